// Checks that cannot see what phones do: notified with the reason, for one domain or many.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Blindness")
    struct BlindnessTests {
        private static let hour = 3600.0

        /// Healthy for an hour, then `answers` for ten hours, then healthy again.
        private func world(
            _ count: Int, staleAfter: Duration = .seconds(86_400), _ answers: (origin: Reply, cdn: Reply)
        ) throws -> GlobalWorld {
            var world = try GlobalWorld(count)
            world.policy = Policy(CheckSettings(staleAfter: staleAfter))
            try world.run(until: 12 * Self.hour) { _, second in
                (Self.hour..<11 * Self.hour).contains(second) ? answers : (GlobalWorld.file, GlobalWorld.file)
            }
            return world
        }

        @Test(
            "a blocked path to Apple's CDN fires after six hours, or after stale_after, and ends",
            arguments: [1, 3], [(24.0, 6.0), (2.0, 2.0)])
        func cdnCut(_ count: Int, _ hours: (stale: Double, told: Double)) throws {
            let world = try world(
                count, staleAfter: .seconds(hours.stale * Self.hour), (GlobalWorld.file, .failed(.unreachable)))
            #expect(world.summary == ["firing monitor.degraded", "resolved monitor.degraded"])
            let firing = try #require(world.told.first)
            let after = (firing.at - Self.hour) / Self.hour
            #expect(after >= hours.told && after < hours.told + 0.2)
            #expect(firing.facts?.findings.first?.rule.rawValue == "monitor.blind")
            #expect(
                firing.facts?.trouble == "what phones do is unknown for \(count) of \(count) domains" || count == 1)
        }

        @Test("a filter's page replaces Apple's answer for one domain of six")
        func filtered() throws {
            var world = try GlobalWorld(6)
            let page = Reply.status(403).with { $0.headers = ["Server": "filter"] }
            try world.run(until: 8 * Self.hour) { number, _ in (GlobalWorld.file, number == 2 ? page : GlobalWorld.file)
            }
            let told = world.summary
            #expect(!told.isEmpty, "\(world.states[2].verdict?.findings.map(\.rule) ?? [])")
        }

        @Test("a wrong clock fires immediately under its own name, and not as a network that is down")
        func clock() throws {
            let world = try world(3, (.certificate(.expired), .certificate(.expired)))
            #expect(world.summary == ["firing monitor.degraded", "resolved monitor.degraded"])
            let firing = try #require(world.told.first)
            #expect(firing.at < Self.hour + 900)
            #expect(firing.facts?.diagnosis.id == .clockIsWrong)
        }

        @Test("one check that sees nothing does not fire")
        func once() throws {
            var world = try GlobalWorld(2)
            try world.run(until: 3 * Self.hour) { _, second in
                let isWrong = (Self.hour..<Self.hour + 290).contains(second)
                return isWrong
                    ? (.certificate(.expired), .certificate(.expired)) : (GlobalWorld.file, GlobalWorld.file)
            }
            #expect(world.summary.isEmpty, "\(world.summary)")
        }

        @Test("a network outage of hours fires once: a domain without checks is not blind")
        func afterTheNetwork() throws {
            var world = try GlobalWorld(12)
            try world.run(until: 12 * Self.hour) { _, second in
                let isAway = (Self.hour..<9 * Self.hour).contains(second)
                return isAway ? (GlobalWorld.lost, GlobalWorld.lost) : (GlobalWorld.file, GlobalWorld.file)
            }
            #expect(world.summary == ["firing monitor.degraded", "resolved monitor.degraded"])
        }

        @Test("a problem that already has a domain incident is not sent again")
        func toldOtherwise() throws {
            let world = try world(2, (.status(404), .failed(.unreachable)))
            #expect(Set(world.summary) == ["firing origin.broken", "resolved origin.broken"], "\(world.summary)")
        }

        @Test("a domain whose CDN is deliberately not asked is not blind")
        func notAsked() throws {
            var course = try Course()
            for hour in 0...30 { try course.probed(at: Double(hour), .status(404), nil) }
            #expect(course.state.blindness == nil)
        }
    }
}
