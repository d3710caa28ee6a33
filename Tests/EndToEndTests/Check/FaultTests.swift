// Each fault that the lab can simulate for the CDN, and other causes of a missing answer. The faults of origins are
// scenarios.

import Foundation
import Lab
import LabFaults
import TestTraits
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct FaultTests {
        @Test("an unknown host fails; refused connections everywhere are a local network fault")
        func noServer() async throws {
            try await Stage.withoutLab { stage in
                let unknown = try await stage.run([
                    "check", "--format", "json", "--max-time", "60", "--connect-to",
                    "app-site-association.cdn-apple.com:443:127.0.0.1:9", "no-such-host.invalid",
                ])
                #expect(unknown.end == .exit(1))
                #expect(try unknown.json().errorRules == ["origin.dns-failed"])
                #expect(try unknown.json()["cdn"]["not_asked"] == .string("origin_has_no_file"))
                let closed = try await stage.run([
                    "check", "--format", "json", "--connect-to", "::127.0.0.1:9", "site.test",
                ])
                // Apple's CDN is refused as well, so the cause must be this machine.
                #expect(closed.end == .exit(70))
                #expect(try closed.json().errorRules == ["monitor.no-way-out"])
            }
        }

        @Test("a fault of the CDN does not blame the origin", .inTurn(.large, first: true))
        func cdnFaults() async throws {
            try await Stage.with { stage in
                let hosts = LabFault.allCases.map { "\($0.rawValue.lowercased()).test" }
                for (fault, host) in zip(LabFault.allCases, hosts) {
                    stage.lab.origin(host).serve(file())
                    stage.lab.cdn.behaves(host, .fault(fault))
                }
                // The origins must answer within this time, however slowly.
                let words = ["check"] + stage.network + ["--format", "jsonl", "--max-time", "60"] + hosts
                let reports = try await stage.run(words).output.split(separator: "\n").map { try JSONValue(String($0)) }
                #expect(reports.map { $0["domain"].string } == hosts)
                for (host, report) in zip(hosts, reports) {
                    // A body that its own Content-Length cuts short is complete as far as HTTP can tell.
                    let isAnswer = host.hasPrefix("longbody")
                    let rule = isAnswer ? "cdn.bad-copy" : "cdn.unreachable"
                    #expect(report.rules.contains(rule), "\(host): \(report)")
                    #expect(
                        (report["comparison"]["state"] == .string("cdn_unavailable")) != isAnswer, "\(host)")
                    #expect(report["origin"]["error"] == .null, "\(host)")
                }
            }
        }

        @Test(
            "a failed TLS handshake of the CDN is a finding about the CDN",
            arguments: [LabHandshake.hang, .reset, .alert, .obsoleteTLS, .plainText])
        func cdnHandshakes(_ handshake: LabHandshake) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.cdn.handshake = handshake
                // The origin must answer within this time.
                let limit = handshake == .hang ? "20" : "60"
                let report = try await stage.report("site.test", ["--max-time", limit])
                #expect(report.rules == ["cdn.unreachable"])
                #expect(report["cdn"]["status"] == .null)
            }
        }

        @Test("a bad certificate of the CDN is reported as one")
        func cdnCertificate() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                stage.lab.cdn.certificate = .untrustedRoot
                let report = try await stage.report("site.test")
                #expect(report.rules == ["cdn.unreachable"])
                #expect(report.finding("cdn.unreachable")["message"].string?.contains("certificate") == true)
            }
        }

        @Test("a low limit on open files is raised", .inTurn(.large))
        func openFiles() async throws {
            try await Stage.with { stage in
                let hosts = (0..<40).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).behaviour = .fault(.hang) }
                let words = ["check"] + stage.network + ["--format", "jsonl", "--max-time", "10"] + hosts
                let script = #"ulimit -S -n 40; exec "$@""#
                let process = try stage.tool("bash", ["-c", script, "bash", MonitorProcess.binary.path] + words)
                let end = try await process.ended()
                #expect(end == .exit(1), "\(process.errors)")
                let rules = try process.output.split(separator: "\n").map { try JSONValue(String($0)).errorRules }
                #expect(rules.count == hosts.count)
                #expect(rules.allSatisfy { $0.contains("origin.timeout") })
            }
        }

        @Test("if both sides hang, each gets its full time limit", .waitsForTimeout)
        func bothHang() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .fault(.hang)
                stage.lab.cdn.behaves("site.test", .fault(.hang))
                let begin = ContinuousClock.now
                let report = try await stage.report("site.test", ["--max-time", "10"])
                #expect(ContinuousClock.now - begin >= .seconds(19))
                #expect(report.rules == ["origin.timeout", "cdn.unreachable"])
            }
        }
    }
}
