import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("New channels beside a domain that cannot be looked at")
    struct LateIntroductionTests {
        private static let names = (0..<3).map { "d\($0).example.com" }

        private func watch(_ world: World, channels: [String]? = nil) throws -> SilenceWatch {
            let recipients = try Self.names.map { name in
                (try Domain(name), SilenceWatch.Recipient(labels: [:], channels: channels))
            }
            return SilenceWatch(
                store: world.store, routes: world.routes, delivery: world.delivery, time: world.time,
                logger: Logger(label: "x") { _ in SwiftLogNoOpLogHandler() }, windows: [],
                recipients: Dictionary(recipients) { first, _ in first })
        }

        /// A look at a domain that is as it was.
        private func look(_ world: World, at name: String) async throws {
            var state = DomainState(domain: try Domain(name))
            state.lastCheckedAt = world.time.now()
            try await world.store.commit(CheckRecord(observation: nil, state: state))
        }

        @Test("after five minutes it is told of the others, and of that one after its first look, each once")
        func bounded() async throws {
            let world = try World(channels: [channel("hook"), channel("late")])
            try await world.commit(Self.names, channels: ["hook"])
            world.time.advance(to: noon + 60)
            let watch = try watch(world)
            try await world.running {
                for name in Self.names.dropLast() { try await look(world, at: name) }
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
                #expect(world.transport.sent(to: "late").isEmpty)
                world.time.advance(to: noon + 60 + Introduction.patience)
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
                #expect(world.transport.sent(to: "late").count == 2)
                try await watch.look()
                try await look(world, at: Self.names[2])
                try await watch.look()
                try await watch.look()
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.transport.sent(to: "late").count == 3)
            #expect(world.transport.sent(to: "hook").count == 3)
        }

        @Test("a domain that is not routed to a channel holds its introduction up in no way")
        func foreign() async throws {
            let world = try World(channels: [channel("hook"), channel("late")])
            try await world.commit(Self.names, channels: ["hook"])
            world.time.advance(to: noon + 60)
            let watch = try watch(world, channels: ["hook"])
            try await world.running {
                try await watch.look()
                #expect(try await world.store.unknownChannels(among: ["late"]).isEmpty)
                try await world.pass { try await world.isEmpty() }
            }
            #expect(world.transport.sent(to: "late").isEmpty)
        }

        @Test("a channel whose message of the beginning ran out of time is told all the same after that look")
        func expired() async throws {
            let refusals = Array(repeating: ScriptedTransport.Reply.status(401), count: 7)
            let world = try World(script: ["hook": [.status(200)] + refusals])
            try await world.running {
                let first = try watch(world)
                try await first.look()
                try await world.commit([Self.names[0]])
                try await world.pass { try await world.isEmpty() }
                // Its message expires while the channel is disabled; then the channel works, and the process ends.
                try await world.commit([Self.names[1]])
                try await world.pass { try await world.isEmpty() }
                try await world.commit([Self.names[2]], at: world.time.now())
                try await world.pass { try await world.isEmpty() && world.delivery.troubles().isEmpty }
                let sent = world.transport.sent.count
                world.time.advance(to: world.time.now() + 10)
                let second = try watch(world)
                world.time.advance(to: world.time.now() + Introduction.patience)
                try await second.look()
                try await world.pass { try await world.isEmpty() }
                #expect(world.transport.sent.count == sent)
                for name in Self.names { try await look(world, at: name) }
                try await second.look()
                try await world.pass { try await world.isEmpty() }
                #expect(world.transport.sent.count == sent + 1)
            }
            let last = try #require(world.transport.sent.last)
            let data = try object(last.request.body)["data"] as? [String: Any]
            #expect(data?["domain"] as? String == Self.names[1])
        }
    }
}
