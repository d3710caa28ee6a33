import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Channels that a reload removes")
    struct RemovedChannelTests {
        @Test("nothing is remembered of its trouble, so that one that comes back under its name is another channel")
        func forgotten() async throws {
            let world = try World(
                script: ["hook": [.status(410)]], channels: [channel("hook"), channel("other")])
            try await world.running {
                try await world.enqueue([event()])
                try await eventually { world.delivery.troubles().map(\.name) == ["hook"] }
                try await world.delivery.replace(channels: [channel("other")])
                #expect(world.delivery.troubles().isEmpty && world.delivery.health()["hook"] == nil)
                try await world.delivery.replace(channels: [channel("hook"), channel("other")])
                #expect(world.delivery.troubles().isEmpty && world.delivery.trouble(of: "hook") == nil)
                try await eventually { try await world.store.channelTroubles().isEmpty }
            }
        }

        @Test("an answer that comes after it went leaves no trouble behind")
        func late() async throws {
            let world = try World(channels: [channel("hook")])
            try await world.running {
                try await world.delivery.replace(channels: [])
                world.delivery.keep(
                    ChannelTrouble(name: "hook", state: .disabled, since: noon, error: nil), of: "hook")
                world.delivery.record(.transient, channel: "hook")
                #expect(world.delivery.trouble(of: "hook") == nil && world.delivery.health().isEmpty)
            }
        }
    }
}
