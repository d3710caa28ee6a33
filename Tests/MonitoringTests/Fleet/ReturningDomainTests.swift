import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Domains that return after their parent's end")
    struct ReturningDomainTests {
        /// Forty copies are gone for a quarter of an hour, all are back for as long, and then some of them go for good.
        @Test("each is told once, as a beginning or as the same again", arguments: [1, 5, 7, 10])
        func told(_ count: Int) throws {
            var world = try FleetWorld(40, interval: .seconds(300))
            try world.run(until: 4200) { number, now in
                let isGone = (900..<1800).contains(now) || now >= 2700 && number < count
                return (FleetWorld.file, isGone ? Reply.status(404) : FleetWorld.file)
            }
            #expect(world.toldOfDomains.allSatisfy { [.firing, .update].contains($0.type) && $0.at >= 2700 })
            #expect(world.toldOfDomains.compactMap(\.domain).sorted() == world.domains.prefix(count).sorted())
        }
    }
}
