import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("A global incident that returns")
    struct ReopenedParentTests {
        private static let gone = Reply.status(404)

        /// Forty copies vanish for 15 minutes, all return for 15 minutes, and then `again` of them vanish.
        private func world(_ again: Int) throws -> GlobalWorld {
            var world = try GlobalWorld(40, interval: .seconds(300))
            try world.run(until: 4200) { number, now in
                let isGone = (900..<1800).contains(now) || now >= 2700 && number < again
                return (GlobalWorld.file, isGone ? Self.gone : GlobalWorld.file)
            }
            return world
        }

        private func parents(_ world: GlobalWorld) -> [GlobalWorld.Told] { world.told.filter { $0.domain == nil } }

        /// All copies vanished within one or two intervals. The first message had a smaller number, so an update
        /// follows.
        @Test("reopening needs the share that opens an incident, not the half that keeps it open", arguments: [7, 10])
        func tooFew(_ count: Int) throws {
            let world = try world(count)
            #expect(parents(world).map(\.transition) == [.firing, .worse, .resolved])
        }

        @Test("with the opening share it is the same incident again")
        func enough() throws {
            let world = try world(24)
            #expect(parents(world).map(\.transition) == [.firing, .worse, .resolved, .again])
            #expect(Set(parents(world).map(\.incident)).count == 1)
        }

        @Test(
            "each domain that stays broken is notified once, as a new incident or as the same one again",
            arguments: [1, 5, 7, 10])
        func children(_ count: Int) throws {
            let world = try world(count)
            #expect(world.toldOfDomains.allSatisfy { [.firing, .again].contains($0.transition) && $0.at >= 2700 })
            #expect(world.toldOfDomains.compactMap(\.domain).sorted() == world.domains.prefix(count).sorted())
        }
    }
}
