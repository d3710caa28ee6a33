// What the owner of a domain expects from its file: in a check, and while a daemon runs.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct ExpectationTests {
        @Test("a check tests the origin's file against the expectations")
        func check() async throws {
            let cases: [(options: [String], rule: String)] = [
                (["--expect-url", "/help/1=\(Sample.app)"], ""),
                (["--expect-url", "https://site.test/help/1=\(Sample.app)"], ""),
                (["--expect-url", "/help/website/1=nothing", "--expect-url", "/else=nothing"], ""),
                (["--expect-app", Sample.app, "--expect-service", "applinks"], ""),
                (["--expect-url", "/help/1=nothing"], "expect.url-opens"),
                (["--expect-url", "/help/1=\(Sample.other)"], "expect.url-opens-other"),
                (["--expect-url", "/else=\(Sample.app)"], "expect.url-opens-nothing"),
                (["--expect-url", "/help/website/1=\(Sample.app)"], "expect.url-opens-nothing"),
                (["--expect-app", Sample.other], "expect.app-missing"),
                (["--expect-service", "webcredentials"], "expect.service-missing"),
            ]
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Sample.clean)
                for (options, rule) in cases {
                    let process = try await stage.check(["--format", "json"] + options + ["site.test"])
                    #expect(process.end == .exit(rule.isEmpty ? 0 : 1), "\(options)")
                    let report = try process.json()
                    #expect(report["verdict"] == .string(rule.isEmpty ? "ok" : "failing"))
                    #expect(report.rules.filter { $0.hasPrefix("expect.") } == (rule.isEmpty ? [] : [rule]))
                    guard !rule.isEmpty else { continue }
                    let finding = report.finding(rule)
                    #expect(finding.keys == ["rule", "severity", "message", "evidence", "fix", "reference"])
                    #expect(finding["severity"] == .string("error"))
                    let value = options[1].split(separator: "=")[0]
                    #expect(finding["message"].string?.contains(value) == true, "\(finding)")
                }
            }
        }

        @Test("a URL is matched against its own host's file, a path against each target's file")
        func hosts() async throws {
            let cases: [(urls: [String], targets: [String], failing: [String], note: String)] = [
                (["https://site.test/help/1=\(Sample.app)"], ["site.test", "free.test"], [], ""),
                (["https://FREE.test./help/1=\(Sample.app)"], ["site.test", "free.test"], ["free.test"], ""),
                (["/help/1=\(Sample.app)"], ["site.test", "free.test"], ["free.test"], ""),
                (
                    ["https://www.free.test/help/1=nothing"], ["site.test", "free.test"], [],
                    "applinks:*.free.test use that file"
                ),
                (
                    ["https://www.free.test/help/1=\(Sample.app)"], ["free.test"], ["free.test"],
                    "the file of www.free.test"
                ),
            ]
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Sample.clean)
                stage.lab.origin("free.test").serve(Sample.clean.replacing("\"/help/*\"", with: "\"/support/*\""))
                for (urls, targets, failing, note) in cases {
                    let process = try await stage.check(
                        ["--format", "json"] + urls.flatMap { ["--expect-url", $0] } + targets)
                    #expect(process.end == .exit(failing.isEmpty ? 0 : 1), "\(urls)")
                    let answer = try process.json()
                    let reports = targets.count == 1 ? [answer] : answer.elements
                    try #require(reports.count == targets.count)
                    for report in reports where report.rules.contains("expect.url-opens-nothing") {
                        #expect(failing.contains(report["domain"].string ?? ""))
                    }
                    #expect(reports.count { $0.rules.contains("expect.url-opens-nothing") } == failing.count)
                    #expect(
                        note.isEmpty ? process.errors.isEmpty : process.errors.contains(note), "\(process.errors)")
                }
            }
        }

        @Test(
            "a URL that does not belong to the file's host is an error",
            arguments: [
                (["check", "site.test", "--expect-url", "https://sites.test/a=nothing"], "or give only the path"),
                (
                    ["check", "site.test", "www.site.test", "--expect-url", "https://test.test/a=nothing"],
                    "not a URL of any of the targets"
                ),
                (["match", "cdn:www.site.test", "https://site.test/a"], "use the file of site.test"),
                (
                    ["match", "site.test", "--expect-url", "https://other.test/a=nothing"],
                    "use the file of other.test"
                ),
                (["check", "site.test", "--expect-url", "https://site.test:8443/a=nothing"], "has no port"),
                (
                    ["check", "site.test", "--expect-url", "https://eva@site.test/a=nothing"],
                    "has no path, query, user"
                ),
                (["check", "site.test", "--expect-url", "//site.test/a=nothing"], "begins with '//'"),
                (["match", "site.test", "https://127.0.0.1/a"], "it is an IP address"),
            ])
        func otherSite(_ arguments: [String], _ words: String) async throws {
            try await Stage.withoutLab { stage in
                let process = try await stage.run(arguments)
                #expect(process.end == .exit(64))
                #expect(process.output.isEmpty)
                #expect(process.errors.contains(words), "\(process.errors)")
            }
        }

        @Test("if a URL opens two apps, either one meets the expectation")
        func either() async throws {
            try await Stage.with { stage in
                let entries = [Sample.app, Sample.other].map { #"{"appIDs": ["\#($0)"], "paths": ["/help/*"]}"# }
                stage.lab.origin("site.test").serve(
                    #"{"applinks": {"details": [\#(entries.joined(separator: ","))]}}"#)
                let apps = [(Sample.app, 0), (Sample.other, 0), ("Q7X4M2K9RT.jp.shop.third", 1)]
                for (app, end) in apps {
                    let process = try await stage.check(["--expect-url", "/help/1=\(app)", "site.test"])
                    #expect(process.end == .exit(Int32(end)), "\(app): \(process.output)")
                }
            }
        }

        @Test("an invalid app ID in an expectation is a usage error, with the reason")
        func impossible() async throws {
            try await Stage.with { stage in
                let option = try await stage.run(["check", "site.test", "--expect-app", "shop"])
                #expect(option.end == .exit(64))
                #expect(option.errors.contains("--expect-app: 'shop' is not a valid app ID: it has no bundle ID"))
                _ = try Watch(stage, ["{domain: site.test, expect: {apps: [\"\(Sample.app) \"]}}"], Watch.Settings())
                let file = try await stage.run(["config", "check", "--config", "monitor.yaml"])
                #expect(file.end == .exit(78))
                #expect((file.output + file.errors).contains("it contains a space or a line break"))
            }
        }

        @Test("expectations in the configuration apply to a check too")
        func configuration() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(Sample.clean)
                stage.lab.origin("free.test").serve(Sample.clean)
                _ = try Watch(
                    stage,
                    ["{domain: site.test, expect: {urls: [{url: /else, opens: \(Sample.app)}]}}", "free.test"],
                    Watch.Settings())
                let reports = try await stage.reports(["site.test", "free.test"], ["--config", "monitor.yaml"])
                #expect(reports["site.test"]?.errorRules == ["expect.url-opens-nothing"])
                #expect(reports["free.test"]?.errorRules == [])
            }
        }

        @Test("a URL that stops opening its app is notified once, and its recovery once")
        func incident() async throws {
            try await Stage.with { stage in
                let origin = stage.lab.origin("site.test")
                origin.serve(Sample.clean)
                stage.lab.origin("free.test").serve(Sample.clean)
                let receiver = try await LabReceiver.start()
                let expect =
                    "{apps: [\(Sample.app)], services: [applinks], urls: [{url: /help/1, opens: \(Sample.app)}, "
                    + "{url: /help/website/1, opens: nothing}]}"
                let watch = try Watch(
                    stage, ["{domain: site.test, expect: \(expect)}", "free.test"],
                    Watch.Settings(staleAfter: "1h", channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, page) = try await watch.started()
                #expect(page.hasPrefix("http"))
                try await watch.checks(3, of: "site.test")
                #expect(receiver.messages.isEmpty)
                for host in ["site.test", "free.test"] {
                    stage.lab.origin(host).serve(Sample.clean.replacing("\"/help/*\"", with: "\"/support/*\""))
                    stage.lab.cdn.refresh(host)
                }
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                try await watch.checks(3, of: "site.test")
                origin.serve(Sample.clean)
                stage.lab.cdn.refresh("site.test")
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                try await watch.checks(3, of: "site.test")
                let messages = receiver.messages
                #expect(
                    messages.map(\.gist) == [
                        "incident.firing expectation.failed site.test",
                        "incident.resolved expectation.failed site.test",
                    ])
                #expect(Set(messages.map(\.incident)).count == 1)
                let data = messages.first?.json["data"] ?? .absent
                #expect(data["severity"] == .string("error"))
                let findings = data["findings"].elements.filter { $0["rule"].string?.hasPrefix("expect.") == true }
                #expect(findings.map { $0["rule"].string } == ["expect.url-opens-nothing"])
                #expect(findings.first?["message"].string?.contains("/help/1") == true)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
