// Receivers in trouble: every message arrives in the end, in order, and no check waits for it.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct DeliveryTests {
        private static let host = "site.test"

        enum Trouble: String, CaseIterable {
            case refusesOnce, asksToWait, hangs, isGone, resets
        }

        @Test("a receiver in trouble gets each message in the end, while checks go on", arguments: Trouble.allCases)
        func trouble(_ trouble: Trouble) async throws {
            try await Stage.with { stage in
                var receiver = try await LabReceiver.start(port: stage.port())
                let origin = stage.lab.origin(Self.host)
                origin.serve(file())
                // A transfer that hangs is given up after 15 seconds; 5 more, and it is tried again.
                let patience = Duration.seconds(60)
                let watch = try Watch(
                    stage, [Self.host], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(1, of: Self.host)
                switch trouble {
                case .refusesOnce: receiver.next([.reply(.status(500))])
                case .asksToWait: receiver.next([.reply(LabReply(status: 429, headers: [("Retry-After", "2")]))])
                case .hangs: receiver.next([.fault(.hang)])
                case .resets: receiver.next([.fault(.reset)])
                case .isGone: await receiver.shutdown()
                }
                origin.behaviour = .reply(.status(500))
                try await until("the firing", seen: { process.errors }) { process.errors.contains("incident.firing") }
                if trouble == .isGone {
                    try await until("a failed attempt", seen: { process.errors }) {
                        process.errors.contains("not delivered")
                    }
                } else {
                    _ = try await receiver.deliveries(count: 1, within: patience)
                }
                // Many checks fit into the time in which the channel waits.
                try await watch.checks(5, of: Self.host)
                if trouble == .isGone { receiver = try await LabReceiver.start(port: receiver.port) }
                let attempts = trouble == .isGone ? 1 : 2
                let deliveries = try await receiver.deliveries(count: attempts, within: patience)
                if trouble == .asksToWait {
                    let (first, second) = (try #require(deliveries.first), try #require(deliveries.dropFirst().first))
                    #expect(second.receivedAt.timeIntervalSince(first.receivedAt) >= 1.9)
                }
                origin.serve(file())
                _ = try await receiver.deliveries(count: attempts + 1, within: patience)
                try await watch.checks(2, of: Self.host)
                let messages = try receiver.messages.distinct()
                #expect(
                    messages.map(\.gist) == [
                        "incident.firing origin.broken site.test", "incident.resolved origin.broken site.test",
                    ])
                #expect(receiver.messages.count == attempts + 1)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a channel that hangs delays no other channel")
        func twoChannels() async throws {
            try await Stage.with { stage in
                let deaf = try await LabReceiver.start()
                let good = try await LabReceiver.start()
                deaf.behaviour = .fault(.hang)
                let origin = stage.lab.origin(Self.host)
                origin.behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, [Self.host],
                    Watch.Settings(
                        channels: [
                            Watch.webhook(deaf.url("/in"), name: "deaf"), Watch.webhook(good.url("/in"), name: "good"),
                        ]))
                let process = try watch.start()
                _ = try await good.deliveries(count: 1, within: Stage.patience)
                origin.serve(file())
                _ = try await good.deliveries(count: 2, within: Stage.patience)
                #expect(good.messages.map(\.type) == ["incident.firing", "incident.resolved"])
                // The order of one incident's messages holds: the resolve waits behind the firing.
                #expect(Set(deaf.messages.map(\.type)) == ["incident.firing"])
                process.signal(SIGKILL)
                await deaf.shutdown()
                await good.shutdown()
            }
        }
    }
}
