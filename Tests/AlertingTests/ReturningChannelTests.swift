import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Channels that went with a process and come back by a reload")
    struct ReturningChannelTests {
        @Test("trouble of a channel that went while nobody was running is not that of its successor")
        func successor() async throws {
            let world = try World(channels: [channel("other")])
            try await world.store.note(ChannelTrouble(name: "hook", state: .disabled, since: noon, error: nil))
            try await world.delivery.recall()
            try await world.running {
                try await eventually { try await world.store.channelTroubles().isEmpty }
                try await world.delivery.replace(channels: [channel("hook"), channel("other")])
                #expect(world.delivery.troubles().isEmpty)
            }
        }
    }
}
