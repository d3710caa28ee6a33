// Messages looked at and moved by hand, beside the daemon.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct OutboxTests {
        private static func list(_ stage: Stage, _ options: [String] = []) async throws -> [JSONValue] {
            try await stage.run(["outbox", "list", "--format", "json"] + options).json().elements
        }

        @Test("a refused message is listed, sent again on demand within seconds, and no secret is shown")
        func retry() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                receiver.answers(400)
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/hidden-path"))]))
                let (process, _) = try await watch.started()
                try await until("the refusal", seen: { process.errors }) {
                    process.errors.contains("the receiver refuses the message; it was given up")
                }
                let dead = try await Self.list(stage, ["--state", "dead", "--channel", "hook"])
                #expect(dead.count == 1)
                #expect(dead.first?["domain"] == .string("site.test"))
                #expect(dead.first?["kind"] == .string("origin.broken"))
                #expect(dead.first?["last_status"] == .number(400))
                #expect(try await Self.list(stage, ["--state", "delivered"]).isEmpty)
                #expect(try await Self.list(stage, ["--channel", "other"]).isEmpty)
                let text = try await stage.run(["outbox", "list"])
                #expect(
                    text.output.contains("dead   hook     incident.firing  origin.broken site.test"), "\(text.output)")
                for secret in ["hidden-path", "whsec_", "127.0.0.1"] { #expect(!text.output.contains(secret)) }

                receiver.answers(200)
                let retried = try await stage.run(["outbox", "retry", "--dead"])
                #expect(retried.output == "1: will be sent again\n", "\(retried.errors)")
                #expect(retried.end == .exit(0))
                try await until("the delivery", seen: { process.errors }) { process.errors.contains("info delivered") }
                #expect(try await Self.list(stage, ["--state", "delivered"]).count == 1)

                let refused = try await stage.run(["outbox", "retry", "1", "99"])
                #expect(refused.end == .exit(1))
                #expect(
                    refused.output
                        == "1: left as it is, since it was delivered\n99: left as it is, since there is no such message\n"
                )
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a message that waits for its channel is dropped by hand and never arrives")
        func drop() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                receiver.answers(503)
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await until("an attempt", seen: { process.errors }) { process.errors.contains("not delivered") }
                // Between two attempts, of which it may be in the middle.
                var answer = ""
                while answer != "1: dropped\n" {
                    answer = try await stage.run(["outbox", "drop", "1"]).output
                    try #require(
                        ["1: dropped\n", "1: left as it is, since it is being sent right now\n"].contains(answer))
                }
                let count = receiver.messages.count
                receiver.answers(200)
                stage.lab.origin("site.test").serve(file())
                try await until("the end of the story", seen: { process.errors }) {
                    process.errors.contains("info delivered")
                }
                #expect(receiver.messages.dropFirst(count).map(\.type) == ["incident.resolved"])
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test(
            "what makes no sense is told",
            arguments: [
                (["list", "--state", "lost"], "--state"), (["list", "--limit", "0"], "--limit"),
                (["retry"], "--dead"), (["retry", "--dead", "3"], "--dead"), (["retry", "x"], "x"),
            ])
        func usage(words: [String], expected: String) async throws {
            try await Stage.with { stage in
                _ = try Watch(stage, ["site.test"], Watch.Settings())
                let process = try await stage.run(["outbox"] + words)
                #expect(process.end == .exit(64))
                #expect(process.errors.contains(expected), "\(process.errors)")
            }
        }
    }
}
