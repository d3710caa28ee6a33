import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("New and repaired channels")
    struct IntroductionTests {
        private static let names = (0..<5).map { "d\($0).example.com" }

        private func watch(_ world: World) throws -> SilenceWatch {
            let recipients = try Self.names.map { name in
                (try Domain(name), SilenceWatch.Recipient(labels: [:], channels: nil))
            }
            return SilenceWatch(
                store: world.store, routes: world.routes, delivery: world.delivery, time: world.time,
                logger: Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }, windows: [],
                recipients: Dictionary(recipients) { first, _ in first })
        }

        @Test(
            "a new channel is told once of all that fires: as one message where it is more than three",
            arguments: [(5, 1), (3, 3)])
        func new(incidents: Int, messages: Int) async throws {
            let world = try World(channels: [channel("hook"), channel("late")])
            let watch = try watch(world)
            try await world.running {
                try await world.commit(Array(Self.names.prefix(incidents)), channels: ["hook"])
                try await world.pass { try await world.isEmpty() }
                try await watch.look()
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
                // From now on it hears of each end.
                try await world.commit([Self.names[0]], .resolved, sequence: 2)
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.transport.sent(to: "hook").count == incidents + 1)
            #expect(world.transport.sent(to: "late").count == messages + 1)
            #expect(world.transport.sent(to: "late").last?.type == "incident.resolved")
        }

        @Test("one that went and is back is told what has become graver, and nothing else that it was told")
        func graver() async throws {
            let world = try World(channels: [channel("hook")])
            let watch = try watch(world)
            try await world.running {
                try await watch.look()
                try await world.commit([Self.names[0]], severity: .warning)
                try await world.commit([Self.names[1]])
                try await world.pass { try await world.isEmpty() }
                world.store.name(channels: [])
                _ = try await world.store.forgetGoneChannels(now: noon)
                try await world.commit([Self.names[0]], .update, sequence: 2, channels: [])
                world.store.name(channels: ["hook"])
                try await watch.look()
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
            }
            #expect(
                world.transport.sent(to: "hook").map(\.type) == [
                    "incident.firing", "incident.firing", "incident.update",
                ])
            let last = try #require(world.transport.sent.last)
            #expect((try object(last.request.body)["data"] as? [String: Any])?["domain"] as? String == Self.names[0])
        }

        @Test("nobody is told of a domain that was not looked at since the start")
        func stale() async throws {
            let world = try World(channels: [channel("hook"), channel("late")])
            try await world.commit(Self.names, channels: ["hook"])
            world.time.advance(to: noon + 60)
            let watch = try watch(world)
            try await world.running {
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
                #expect(world.transport.sent(to: "late").isEmpty)
            }
        }

        @Test("a channel that was disabled is told of what it missed, and of nothing that it knows")
        func repaired() async throws {
            let refusals = Array(repeating: ScriptedTransport.Reply.status(401), count: 7)
            let world = try World(script: ["hook": [.status(200)] + refusals])
            let watch = try watch(world)
            try await world.running {
                try await watch.look()
                try await world.commit([Self.names[0]])
                try await world.pass { try await world.isEmpty() }
                // Its message expires while the channel is disabled.
                try await world.commit([Self.names[1]])
                try await world.pass { try await world.isEmpty() }
                try await watch.look()
                #expect(world.transport.sent.last?.type == "incident.firing")
                try await world.commit([Self.names[2]], at: world.time.now())
                try await world.pass { try await world.isEmpty() && world.delivery.troubles().isEmpty }
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
            }
            let told = try world.transport.sent.suffix(2).map { sent in
                (try object(sent.request.body)["data"] as? [String: Any])?["domain"] as? String
            }
            #expect(told == [Self.names[2], Self.names[1]])
        }

        @Test("a channel that only asked to wait, until its messages ran out of time, is told once of what fires")
        func throttled() async throws {
            let waits = Array(repeating: ScriptedTransport.Reply.status(429, retryAfter: "3600"), count: 24)
            let world = try World(script: ["hook": [.status(200)] + waits])
            let watch = try watch(world)
            try await world.running {
                try await watch.look()
                try await world.commit([Self.names[0]])
                try await world.pass { try await world.isEmpty() }
                try await world.commit([Self.names[1]])
                try await world.pass { try await world.isEmpty() }
                #expect(world.time.now() >= noon + 86_400)
                #expect(world.delivery.troubles().isEmpty)
                let attempts = world.transport.sent.count
                try await watch.look()
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
                #expect(world.transport.sent.count == attempts + 1)
            }
            let last = try #require(world.transport.sent.last)
            #expect((try object(last.request.body)["data"] as? [String: Any])?["domain"] as? String == Self.names[1])
        }
    }
}
