// Findings that the configuration ignores, in a check's report and in the daemon after a reload.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct IgnoreTests {
        private static let rules = ["origin.status", "cdn.missing", "cdn.crawler-error"]
        private static let ignored = rules.map { "{rule: \($0), reason: moved house, until: 2999-12-31}" }

        private static func get(_ stage: Stage, _ address: String) async throws -> String {
            let process = try stage.tool("curl", ["-q", "-sS", "--max-time", Stage.patience, address])
            try await process.ended()
            return process.output
        }

        @Test("every format shows ignored findings and the reason, and they do not change the exit code")
        func check() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                var settings = Watch.Settings()
                settings.ignored = Self.ignored
                _ = try Watch(stage, ["site.test"], settings)
                let options = ["check", "--config", "monitor.yaml", "--depth", "light", "--strict"]
                let text = try await stage.runNotSlow(options)
                #expect(text.end == .exit(0), "\(text.output)\(text.errors)")
                #expect(
                    text.output.contains(
                        "note  OK because the configuration ignores origin.status, cdn.crawler-error: "
                            + "moved house (until 2999-12-31)"), "\(text.output)")
                let evidence = try await stage.runNotSlow(options + ["-v"]).output
                #expect(evidence.contains("ignored  origin.status (error)"), "\(evidence)")
                #expect(evidence.contains("why:  moved house (until 2999-12-31)"), "\(evidence)")
                let json = try await stage.runNotSlow(options + ["--format", "jsonl"]).json()
                #expect(json["findings"].elements.allSatisfy { $0["severity"] == .string("note") })
                let ignored = try #require(json["ignored"].elements.first { $0["rule"] == .string("origin.status") })
                #expect(ignored["ignored"]["reason"] == .string("moved house"))
                #expect(ignored["ignored"]["until"] == .string("2999-12-31"))
                let markdown = try await stage.runNotSlow(options + ["--format", "markdown"])
                #expect(markdown.output.contains("| ignored | finding | why |"), "\(markdown.output)")
                let github = try await stage.runNotSlow(options + ["--format", "github"])
                #expect(
                    github.output.contains("::notice title=site.test%3A origin.status (ignored)::"), "\(github.output)")
                #expect(!github.output.contains("::error"))
                let nagios = try await stage.runNotSlow(options + ["--format", "nagios"])
                #expect(nagios.end == .exit(0) && nagios.output.hasPrefix("AASA OK"), "\(nagios.output)")
                // Without `ignore` the same site fails.
                _ = try Watch(stage, ["site.test"], Watch.Settings(), file: "plain.yaml")
                let plain = try await stage.run(["check", "--config", "plain.yaml", "--depth", "light"])
                #expect(plain.end == .exit(1))
            }
        }

        @Test("a reload that ignores the finding resolves its incident as usual")
        func reload() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                var settings = Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))])
                let watch = try Watch(stage, ["site.test"], settings)
                let (process, page) = try await watch.started()
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                #expect(receiver.messages.map(\.type) == ["incident.firing"])
                settings.ignored += Self.ignored
                _ = try Watch(stage, ["site.test"], settings)
                process.signal(SIGHUP)
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                let end = try #require(receiver.messages.last)
                #expect(end.type == "incident.resolved")
                #expect(end.json["data"]["incident"]["reason"] == .string("ignored"))
                let answer = try await Self.get(stage, page + "api/v1/domains/site.test")
                let domain = try JSONValue(answer)
                #expect(domain["verdict"] == .string("ok") && domain["incidents"].elements.isEmpty)
                #expect(domain["ignored"].elements.contains { $0["rule"] == .string("origin.status") })
                let metrics = try await Self.get(stage, page + "metrics")
                #expect(!metrics.contains(#"rule="origin.status""#))
                let html = try await Self.get(stage, page + "domains/site.test/findings")
                #expect(html.contains("Ignored: moved house (until 2999-12-31)"), "\(html)")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
