import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Many domains at once")
    struct FleetJudgementTests {
        static let gone = Reply.status(404)
        static let bad = Reply.status(502)

        /// Well for half an hour, then `answers` for another, then well again.
        private func world(
            _ count: Int, interval: Duration = .seconds(300), canaries: ((Double) -> Bool)? = nil,
            _ answers: @escaping (Int) -> (origin: Reply, cdn: Reply)
        ) throws -> FleetWorld {
            var world = try FleetWorld(count, interval: interval)
            world.canaries = canaries
            try world.run(until: 5400) { number, second in
                (1800..<3600).contains(second) ? answers(number) : (FleetWorld.file, FleetWorld.file)
            }
            return world
        }

        @Test(
            "Apple's CDN loses many copies: one parent, no child, and one end",
            arguments: [(20, 120), (60, 300), (120, 300)])
        func copiesGone(_ count: Int, _ interval: Int) throws {
            let world = try world(count, interval: .seconds(interval)) { _ in (FleetWorld.file, Self.gone) }
            #expect(world.gist == ["firing cdn.wide", "resolved cdn.wide"])
            #expect(world.firing.isEmpty && world.fleet.open.isEmpty)
        }

        @Test("a gateway that answers for everybody is trouble of our own, told once")
        func gateway() throws {
            let world = try world(100) { _ in (Self.bad, Self.bad) }
            #expect(world.gist == ["firing monitor.degraded", "resolved monitor.degraded"])
        }

        @Test("many origins that fail while Apple's CDN is well are trouble of theirs: each is told")
        func originsAlone() throws {
            let world = try world(20) { _ in (Self.bad, FleetWorld.file) }
            #expect(world.gist.count { $0 == "firing origin.broken" } == 20)
            #expect(world.gist.count { $0 == "resolved origin.broken" } == 20)
            #expect(world.gist.count == 40)
        }

        static let shares: [(count: Int, failing: Int, isWide: Bool)] = [
            (4, 4, false), (5, 5, true), (20, 4, false), (20, 6, false), (20, 7, true), (50, 14, false),
            (50, 22, true),
        ]

        @Test("more than three in ten, and at least five, make a parent", arguments: 0..<shares.count)
        func share(_ index: Int) throws {
            let (count, failing, isWide) = Self.shares[index]
            let world = try world(count, interval: .seconds(120)) {
                (FleetWorld.file, $0 < failing ? Self.gone : FleetWorld.file)
            }
            #expect(world.told.contains { $0.kind == .cdnWide } == isWide, "\(world.gist)")
            if !isWide { #expect(world.toldOfDomains.count == 2 * failing) }
        }

        @Test("what was wrong at first sight has not turned together")
        func firstSight() throws {
            var world = try FleetWorld(20, interval: .seconds(60))
            try world.run(until: 3600) { _, _ in (Self.bad, Self.bad) }
            #expect(!world.told.contains { $0.domain == nil })
            #expect(world.toldOfDomains.count == 20)
        }

        @Test(
            "files that change together are on their way for their time, and no trouble of Apple's; then it is one message"
        )
        func deployment() throws {
            var world = try FleetWorld(20)
            world.policy.staleAfter = .seconds(7200)
            let old = Reply.file(SampleFile.version(1))
            let new = Reply.file(SampleFile.version(2))
            let answers: FleetWorld.Answers = { _, second in (second < 1800 ? old : new, second < 20_000 ? old : new) }
            try world.run(until: 8900, answers)
            #expect(world.told.isEmpty)
            #expect(!world.parents.contains { $0.at < 8000 && !$0.open.isEmpty })
            try world.run(until: 22_000, answers)
            try #require(world.gist == ["firing cdn.wide", "resolved cdn.wide"])
            // Not before the first of them would have been told, but for a lead of seconds.
            #expect(world.told[0].at >= 1800 + 7200 - 30)
        }

        @Test("a child that outlives its parent is told after a look of its own; the others never are")
        func survivors() throws {
            var world = try FleetWorld(20, interval: .seconds(120))
            try world.run(until: 7500) { number, second in
                let isGone = (1800..<3600).contains(second) || number == 7 && (1800..<4500).contains(second)
                return (FleetWorld.file, isGone ? Self.gone : FleetWorld.file)
            }
            try #require(
                world.gist == ["firing cdn.wide", "resolved cdn.wide", "firing cdn.missing", "resolved cdn.missing"])
            #expect(world.toldOfDomains.allSatisfy { $0.domain == world.domains[7] })
            #expect(world.told[2].at >= world.told[1].at)
        }

        @Test("what is told before keeps its end, and is told neither twice nor anew")
        func toldBefore() throws {
            var world = try FleetWorld(20, interval: .seconds(120))
            try world.run(until: 7500) { number, second in
                let isGone = (3600..<5400).contains(second) || number == 7 && (1800..<6300).contains(second)
                return (FleetWorld.file, isGone ? Self.gone : FleetWorld.file)
            }
            #expect(
                world.gist == ["firing cdn.missing", "firing cdn.wide", "resolved cdn.wide", "resolved cdn.missing"])
        }

        @Test("a blip that no child would be told of is not told of the fleet either")
        func blip() throws {
            var world = try FleetWorld(100)
            try world.run(until: 2700) { _, second in
                (FleetWorld.file, (1800..<1850).contains(second) ? Self.gone : FleetWorld.file)
            }
            #expect(world.told.isEmpty && world.fleet.open.isEmpty)
            #expect(world.parents.contains { !$0.open.isEmpty }, "it was suspected")
        }

        @Test("trouble that is back within the window is the same incident")
        func again() throws {
            var world = try FleetWorld(20, interval: .seconds(120))
            try world.run(until: 7500) { _, second in
                let isGone = (1800..<3600).contains(second) || (4200..<6000).contains(second)
                return (FleetWorld.file, isGone ? Self.gone : FleetWorld.file)
            }
            #expect(world.gist == ["firing cdn.wide", "resolved cdn.wide", "update cdn.wide", "resolved cdn.wide"])
            #expect(Set(world.told.map(\.incident)).count == 1)
        }

        @Test("reminders grow apart, and one that was missed comes once")
        func reminders() throws {
            var world = try FleetWorld(20, interval: .seconds(600))
            world.fleetPolicy.remindEvery = .seconds(14_400)
            try world.run(until: 60_000) { _, second in
                (FleetWorld.file, second < 1800 ? FleetWorld.file : Self.gone)
            }
            try #require(world.gist == ["firing cdn.wide", "reminder cdn.wide", "reminder cdn.wide"])
            #expect((world.told[1].at - world.told[0].at) >= 14_400 && world.told[2].at - world.told[0].at >= 43_200)
        }
    }
}
