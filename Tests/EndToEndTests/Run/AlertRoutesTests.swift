// `alert routes`: the daemon's routing, from the configuration only.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct AlertRoutesTests {
        private static let file = """
            version: 1
            domains:
              - {domain: site.test, labels: {team: growth}}
              - {domain: quiet.test, channels: []}
            alerts:
              escalation: [{after: 1h, channels: [pager]}]
              fallback: mail
              channels:
                - {name: ops, type: slack, url: "https://hooks.test/hidden", notify: [incidents, changes]}
                - {name: mail, type: webhook, url: "https://hooks.test/mail", severity: error, kinds: ["cdn.*", "monitor.*"]}
                - {name: pager, type: pagerduty, routing_key: "\(String(repeating: "a", count: 32))"}
            maintenance:
              - {name: nights, domains: [site.test], days: [sun], start: "02:00", duration: 2h, zone: UTC, reason: backup}
            store: {path: monitor.db}
            server: {listen: "127.0.0.1:0"}
            """

        @Test("alert routes needs no store, daemon or network")
        func text() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("monitor.yaml", Self.file)
                let process = try await stage.run(["alert", "routes", "site.test"])
                #expect(process.end == .exit(0), "\(process.errors)")
                let expected = """
                    site.test  team=growth

                    incidents of the domain
                      ops (slack)        all, after 10s
                      pager (pagerduty)  errors, after 1h (escalation), unless acknowledged, no reminders
                      mail (webhook)     errors of cdn.missing, cdn.stale, cdn.divergent, after 10s

                    new versions of the file (notify: [changes])
                      ops (slack)  after 10s, no reminders

                    """
                #expect(process.output.hasPrefix(expected), "\(process.output)")
                #expect(process.output.contains("  nights  next at "), "\(process.output)")
                #expect(process.output.contains("unknown: no store to read"), "\(process.output)")
                #expect(!process.output.contains("hidden"))
                #expect(!FileManager.default.fileExists(atPath: stage.folder.appending(path: "monitor.db").path))
            }
        }

        @Test("JSON has the same content; a domain that is not configured is a usage error")
        func json() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("monitor.yaml", Self.file)
                let json = try await stage.run(["alert", "routes", "quiet.test", "--format", "json"]).json()
                #expect(json["domain"] == .string("quiet.test") && json["fallback"] == .string("mail"))
                let channels = json["incidents"].elements.flatMap { $0["channels"].elements }
                #expect(!channels.isEmpty && channels.allSatisfy { $0["name"] == .string("pager") })
                #expect(channels.allSatisfy { $0["after_seconds"] == .number(3600) && $0["escalation"] == .bool(true) })
                let unknown = try await stage.run(["alert", "routes", "sit.test"])
                #expect(unknown.end == .exit(64))
                #expect(
                    unknown.errors.contains("does not list sit.test; did you mean 'site.test'?"), "\(unknown.errors)")
            }
        }
    }
}
