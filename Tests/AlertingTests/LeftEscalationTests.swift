import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("A channel that a reload takes out of the escalation")
    struct LeftEscalationTests {
        /// The domain's own channels, what the channel hears before the reload and after it.
        static let rows: [(routed: [String]?, told: [String])] = [
            // It is called no more, and so hears the end alone.
            (["ops"], ["firing", "resolved"]),
            // It is one of all channels now.
            (nil, ["firing", "update", "reminder", "resolved"]),
        ]

        @Test("hears the end of what it was called for, and else what it is routed to", arguments: 0..<2)
        func left(_ index: Int) async throws {
            let row = Self.rows[index]
            let world = try World(channels: [channel("ops"), channel("boss")])
            let domain = try Domain("example.com")
            let steps = Escalation([.init(after: .seconds(3600), channels: ["boss"])])
            func routes(_ escalation: Escalation) -> Routes {
                Routes(channels: world.routes.channels, cdnBaseURL: "https://cdn.test", escalation: escalation)
            }
            var call = try event(sequence: 2)
            call.escalation = EscalationSpan(after: 0, through: 3600)
            for event in [try event(), call] {
                try await world.store.enqueue(routes(steps).drafts(for: [event], domain: domain, channels: row.routed))
            }
            for (number, type) in [EventType.update, .reminder, .resolved].enumerated() {
                let event = try event(type, sequence: number + 3)
                try await world.store.enqueue(
                    routes(Escalation()).drafts(for: [event], domain: domain, channels: row.routed))
            }
            let told = try await world.store.messages(domain: nil, limit: 99).reversed()
                .filter { $0.channel == "boss" }.map { String($0.type.rawValue.dropFirst(9)) }
            #expect(told == row.told)
            try world.store.close()
        }
    }
}
