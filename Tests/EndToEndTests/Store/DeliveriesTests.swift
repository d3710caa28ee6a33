// The log of deliveries and the commands for it, while the daemon runs.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct DeliveriesTests {
        private static func list(_ stage: Stage, _ options: [String] = []) async throws -> [JSONValue] {
            try await stage.run(["deliveries", "list", "--format", "json"] + options).json().elements
        }

        /// Waits until the newest line of the log has this outcome, and returns the log.
        private static func list(_ stage: Stage, until outcome: String) async throws -> [JSONValue] {
            var last: [JSONValue] = []
            try await until("the outcome \(outcome)", every: .milliseconds(400), seen: { "\(last)" }) {
                last = try await list(stage)
                return last.first?["outcome"] == .string(outcome)
            }
            return last
        }

        @Test(
            "a refused message is listed and sent again by `retry`, and no secret is shown",
            arguments: [false, true])
        func retry(isRemote: Bool) async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                receiver.answers(400)
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/hidden-path"))]))
                let (process, page) = try await watch.started()
                // Also in its plainest form; each try starts a program.
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                let refused = try await Self.list(stage, until: "refused")
                #expect(refused.count == 1)
                let entry = try #require(refused.first)
                #expect(entry["channel"] == .string("hook"))
                #expect(entry["domain"] == .string("site.test"))
                #expect(entry["kind"] == .string("origin.broken"))
                #expect(entry["type"] == .string("incident.firing"))
                #expect(entry["reason"] == .string("firing"))
                #expect(entry["status"] == .number(400))
                // The full and the plainest form have the same key.
                #expect(entry["attempts"] == .number(2))
                #expect(Set(receiver.messages.map(\.id)) == Set([entry["message_key"].string ?? ""]))
                #expect(try await Self.list(stage, ["--domain", "site.test"]) == refused)
                #expect(try await Self.list(stage, ["--incident", entry["incident"].string ?? ""]) == refused)
                let id = entry["incident"].string ?? ""
                #expect(try await Self.list(stage, ["--incident", String(id.prefix(6))]) == refused)
                for (option, name, words) in [
                    ("--channel", "other", "no channel is named 'other'; known: hook"),
                    ("--incident", "ffff", "no incident has an id that begins with 'ffff'"),
                    ("--domain", "other.test", "other.test is not watched here"),
                ] {
                    let none = try await stage.run(
                        ["deliveries", "list", option, name] + (isRemote ? ["--url", page] : []))
                    #expect(none.end == .exit(64) && none.errors.contains(words), "\(none.errors)")
                }
                let text = try await stage.run(["deliveries", "list"])
                #expect(
                    text.output.contains(
                        /refused  hook     firing  origin\.broken site\.test  [0-9a-f]{12}  2         400/),
                    "\(text.output)")
                let shown = try await stage.run(["deliveries", "show", "\(entry["id"].int ?? 0)"])
                #expect(shown.output.contains("channel:  hook\noutcome:  refused\n"), "\(shown.output)")
                #expect(shown.output.contains("domains:  site.test\n"), "\(shown.output)")
                #expect(shown.output.matches(of: /message refused  status 400/).count == 2, "\(shown.output)")
                #expect(shown.output.contains("  site.test: "), "\(shown.output)")
                let named = try await stage.run([
                    "deliveries", "show", String(entry["message_key"].string?.prefix(12) ?? ""),
                ])
                #expect(named.output == shown.output, "\(named.errors)")
                for secret in ["hidden-path", "whsec_", "127.0.0.1:\(receiver.port)"] {
                    #expect(!(text.output + shown.output).contains(secret))
                }

                receiver.answers(200)
                let retried = try await stage.run(["deliveries", "retry", "hook"] + (isRemote ? ["--url", page] : []))
                #expect(
                    retried.output == "hook: retrying now, refused messages included; 0 notifications pending\n",
                    "\(retried.errors)")
                #expect(retried.end == .exit(0))
                let delivered = try await Self.list(stage, until: "delivered")
                #expect(delivered.map { $0["outcome"] } == [.string("delivered"), .string("refused")])

                let unknown = try await stage.run(["deliveries", "retry", "nobody"])
                #expect(unknown.end == .exit(64))
                #expect(unknown.errors.contains("no channel is named 'nobody'"), "\(unknown.errors)")
                let missing = try await stage.run(["deliveries", "show", "99"])
                #expect(missing.end == .exit(64))
                #expect(missing.errors.contains("no delivery is named '99'"), "\(missing.errors)")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("an undelivered message is pending; one that is no longer needed is abandoned")
        func abandoned() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                receiver.answers(503)
                // Apple's CDN has a copy: otherwise the CDN would get its own incident.
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                try await until("an attempt", seen: { process.errors }) { process.errors.contains("not delivered") }
                let waiting = try await stage.run(["deliveries", "list"])
                #expect(waiting.output.hasPrefix("hook: 1 notification pending since "), "\(waiting.output)")
                stage.lab.origin("site.test").serve(file())
                try await until("the end of the incident", seen: { process.errors }) {
                    process.errors.contains("incident resolved")
                }
                let count = receiver.messages.count
                receiver.answers(200)
                // The channel may know of the firing: it gets the end, and no firing before it.
                let log = try await Self.list(stage, until: "delivered")
                #expect(log.map { $0["outcome"] } == [.string("delivered"), .string("abandoned")])
                #expect(log.map { $0["reason"] } == [.string("resolved"), .string("firing")])
                // A message that came just before the receiver recovered was refused, and is sent again.
                #expect(Set(receiver.messages.dropFirst(count).map(\.type)) == ["incident.resolved"])
                #expect(!(try await stage.run(["deliveries", "list"]).output.contains("pending")))
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
