// A difficult machine: the log has no reader, the disk is full, another program holds the store.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct RobustnessTests {
        @Test("checks and messages continue when the log has no reader")
        func readerGone() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let pipe = try NarrowPipe(in: stage.folder)
                pipe.closeReader()
                let process = try watch.start(errors: pipe.writing)
                try await watch.checks(2, of: "site.test")
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                try await watch.checks(2, of: "site.test")
                #expect(process.end == nil)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a file that is built to waste time and memory affects only its own domain")
        func hostileFile() async throws {
            try await Stage.with { stage in
                let hosts = ["one.test", "hostile.test", "two.test"]
                let long = String(repeating: "a", count: 20_000)
                let bare = Array(repeating: "{}", count: 12_000).joined(separator: ",")
                func hostile(_ end: String) -> String {
                    "{\"applinks\":{\"defaults\":{\"/\":\"/\(long)\(end)\"},\"details\":[{\"appIDs\":["
                        + "\"D7KQ4ZW2MX.com.acme.shop\"],\"components\":[\(bare)]}]}}"
                }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                stage.lab.origin("hostile.test").serve(hostile("a"))
                let watch = try Watch(stage, hosts, Watch.Settings())
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: hosts)
                // Apple's copy is behind: the two files must be compared.
                stage.lab.origin("hostile.test").serve(hostile("b"))
                try await watch.checks(2, of: hosts)
                #expect(process.end == nil)
                let report = try await stage.report("hostile.test")
                #expect(report.rules.contains("aasa.order-not-checked"), "\(report.rules)")
                #expect(report["comparison"]["state"] != .string("in_sync"))
                #expect(try await stage.report("one.test")["verdict"] == .string("ok"))
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
            }
        }

        @Test("a report that cannot be written ends with 70", arguments: ["text", "json", "jsonl"])
        func fullDisk(_ format: String) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
                let process = try stage.start(
                    ["check", "--format", format] + stage.network + ["site.test"], output: full)
                #expect(try await process.ended() == .exit(70), "\(process.errors)")
                #expect(!process.errors.isEmpty)
            }
        }

        @Test("a CA file without a certificate is refused first")
        func noCertificate() async throws {
            try await Stage.with { stage in
                try stage.write("empty.pem", "# none yet\n")
                let domains = "version: 1\ndomains: [site.test]\nserver: {listen: \"127.0.0.1:0\"}\n"
                try stage.write("monitor.yaml", domains + "network: {ca_file: empty.pem}\n")
                for (arguments, option, shown) in [
                    (["run"], "network.ca_file", "./empty.pem"),
                    (["check", "--cacert", "empty.pem", "site.test"], "--cacert", "empty.pem"),
                ] {
                    let process = try await stage.run(arguments)
                    #expect(process.end == .exit(66), "\(process.errors)")
                    #expect(process.output == "")
                    #expect(
                        process.errors.contains("\(option): the file '\(shown)' contains no PEM certificate"))
                }
                #expect(!FileManager.default.fileExists(atPath: stage.path("aasa-monitor.db")))
            }
        }

        @Test("an unrequested encoding is reported as one, not as a syntax error")
        func unaskedEncoding() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .reply(
                    LabReply(
                        headers: [("Content-Type", "application/json"), ("Content-Encoding", "br")],
                        body: [0x0B, 0x02, 0x80, 0x7B, 0x7D, 0x0A, 0x03]))
                let report = try await stage.report("site.test")
                #expect(report.errorRules.contains("origin.content-encoding"), "\(report)")
                #expect(!report.rules.contains("aasa.json-syntax"), "\(report)")
                #expect(report["verdict"] == .string("failing"))
            }
        }

        @Test("a network rule for any host applies to checks, not to messages")
        func rulesForAnyHost() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let receiver = try await LabReceiver.start()
                // The lab's own rule applies to any host; nothing listens at the target of the other rule.
                let network = """
                      connect_to: ["\(stage.lab.connectTo)"]
                      resolve: ["*:\(receiver.port):127.0.0.2"]
                    """
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(network: network, channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                #expect(receiver.messages.map(\.gist) == ["incident.firing origin.broken site.test"])
                process.signal(SIGKILL)
                await receiver.shutdown()
            }
        }

        @Test("a removed domain's incident is resolved once, and the domain is forgotten")
        func removedDomain() async throws {
            try await Stage.with { stage in
                for host in ["gone.test", "kept.test"] { stage.lab.origin(host).behaviour = .reply(.status(500)) }
                let receiver = try await LabReceiver.start()
                let settings = Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))])
                let both = try Watch(stage, ["gone.test", "kept.test"], settings)
                let (first, _) = try await both.started()
                // A message whose delivery is not recorded yet would be sent again with the same id.
                try await until("two deliveries", seen: { first.errors }) {
                    first.errors.matches(of: /msg=delivered/).count == 2
                }
                first.signal(SIGTERM)
                #expect(try await first.ended() == .exit(0))

                let one = try Watch(stage, ["kept.test"], settings)
                for _ in 0..<2 {
                    let (process, _) = try await one.started()
                    _ = try await receiver.deliveries(count: 3, within: Stage.timeout)
                    try await one.checks(2, of: "kept.test")
                    process.signal(SIGTERM)
                    #expect(try await process.ended() == .exit(0))
                }
                let story = try receiver.messages.distinct().filter { $0.domain == "gone.test" }
                #expect(story.map(\.type) == ["incident.firing", "incident.resolved"])
                #expect(Set(story.map(\.incident)).count == 1)
                #expect(story.last?.json["data"]["incident"]["reason"] == .string("removed"))
                #expect(try receiver.messages.distinct().count == 3)
                let known = try await Self.python(
                    stage, "print([row[0] for row in store.execute('SELECT name FROM domain')])")
                #expect(known.output == "['kept.test']\n", "\(known.errors)")

                // After it is added again, its trouble is new.
                let (again, _) = try await Watch(stage, ["gone.test", "kept.test"], settings).started()
                try await until("the new incident of gone.test", seen: { again.errors }) {
                    receiver.messages.last?.type == "incident.firing"
                }
                #expect(receiver.messages.last?.gist == "incident.firing origin.broken gone.test")
                #expect(receiver.messages.last?.incident != story.first?.incident)
                again.signal(SIGKILL)
                await receiver.shutdown()
            }
        }

        /// The number of domains is the number of commits that may wait for the lock one after the other.
        @Test("SIGTERM ends it while another program holds the store locked", arguments: [1, 12])
        func lockedStore(_ domains: Int) async throws {
            try await Stage.with { stage in
                let hosts = (0..<domains).map { "site\($0).test" }
                for host in hosts { stage.lab.origin(host).serve(file()) }
                let receiver = try await LabReceiver.start()
                let watch = try Watch(stage, hosts, Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: hosts)
                let holder = try Self.holdingPython(
                    stage, "store.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(36000)")
                try await until("the lock", seen: { holder.errors }) { holder.output == "held\n" }
                // Every domain has been checked, and its commit waits.
                try await watch.checks(1, of: hosts)
                try await until("the log line about the lock", seen: { process.errors }) {
                    process.errors.contains("locks the database")
                }
                try await watch.checks(1, of: hosts)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                #expect(!process.errors.contains("Fatal error"), "\(process.errors)")
                holder.signal(SIGKILL)
                try await holder.ended()
                // No committed data is lost, and the next start is normal.
                let (again, _) = try await watch.started()
                try await watch.checks(2, of: hosts)
                again.signal(SIGTERM)
                #expect(try await again.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        private static func holdingPython(_ stage: Stage, _ program: String) throws -> MonitorProcess {
            let opening = """
                import sqlite3, time
                store = sqlite3.connect('monitor.db', timeout=600, isolation_level=None)

                """
            return try stage.tool("python3", ["-c", opening + program])
        }

        private static func python(_ stage: Stage, _ program: String) async throws -> MonitorProcess {
            let process = try holdingPython(stage, program)
            try await process.ended()
            return process
        }
    }
}
