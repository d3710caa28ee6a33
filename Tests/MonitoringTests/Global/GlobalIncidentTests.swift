import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Many domains at once")
    struct GlobalIncidentTests {
        static let gone = Reply.status(404)
        static let bad = Reply.status(502)

        /// Healthy for half an hour, then `answers` for half an hour, then healthy again.
        private func world(
            _ count: Int, interval: Duration = .seconds(300), canaries: ((Double) -> Bool)? = nil,
            _ answers: @escaping (Int) -> (origin: Reply, cdn: Reply)
        ) throws -> GlobalWorld {
            var world = try GlobalWorld(count, interval: interval)
            world.canaries = canaries
            try world.run(until: 5400) { number, second in
                (1800..<3600).contains(second) ? answers(number) : (GlobalWorld.file, GlobalWorld.file)
            }
            return world
        }

        @Test(
            "Apple's CDN loses many copies: one global incident, no domain incidents, one end",
            arguments: Rounds.of([(20, 120)], soak: [(20, 120), (60, 300), (120, 300)]))
        func copiesGone(_ count: Int, _ interval: Int) throws {
            let world = try world(count, interval: .seconds(interval)) { _ in (GlobalWorld.file, Self.gone) }
            #expect(world.summary == ["firing cdn.wide", "resolved cdn.wide"])
            #expect(world.firing.isEmpty && world.global.open.isEmpty)
        }

        @Test("a gateway that answers for every site is our own problem, and one notification")
        func gateway() throws {
            let world = try world(30) { _ in (Self.bad, Self.bad) }
            #expect(
                world.summary == ["firing monitor.degraded", "worse monitor.degraded", "resolved monitor.degraded"])
        }

        @Test("many origins that fail while Apple's CDN works are separate problems: each is notified")
        func originsAlone() throws {
            let world = try world(20) { _ in (Self.bad, GlobalWorld.file) }
            #expect(world.summary.count { $0 == "firing origin.broken" } == 20)
            #expect(world.summary.count { $0 == "resolved origin.broken" } == 20)
            #expect(world.summary.count == 40)
        }

        static let shares: [(count: Int, failing: Int, isWide: Bool)] = [
            (4, 4, false), (5, 5, true), (20, 6, false), (20, 7, true),
        ]

        @Test("more than 30 %, and at least five, open a global incident", arguments: 0..<shares.count)
        func share(_ index: Int) throws {
            let (count, failing, isWide) = Self.shares[index]
            let world = try world(count, interval: .seconds(120)) {
                (GlobalWorld.file, $0 < failing ? Self.gone : GlobalWorld.file)
            }
            #expect(world.told.contains { $0.kind == .cdnWide } == isWide, "\(world.summary)")
            if !isWide { #expect(world.toldOfDomains.count == 2 * failing) }
        }

        @Test("problems that exist at first sight have not started together")
        func firstResult() throws {
            var world = try GlobalWorld(20, interval: .seconds(120))
            try world.run(until: 3600) { _, _ in (Self.bad, Self.bad) }
            #expect(!world.told.contains { $0.domain == nil })
            #expect(world.toldOfDomains.count == 20)
        }

        @Test(
            "files that change together may lag for their time without blaming Apple; after that it is one message"
        )
        func deployment() throws {
            var world = try GlobalWorld(20)
            world.policy.checks.staleAfter = .seconds(7200)
            let old = Reply.file(SampleFile.version(1))
            let new = Reply.file(SampleFile.version(2))
            let answers: GlobalWorld.Answers = { _, second in (second < 1800 ? old : new, second < 20_000 ? old : new) }
            try world.run(until: 8900, answers)
            #expect(world.told.isEmpty)
            #expect(!world.parents.contains { $0.at < 8000 && !$0.open.isEmpty })
            try world.run(until: 22_000, answers)
            try #require(world.summary == ["firing cdn.wide", "resolved cdn.wide"])
            // Not before the first domain's own alert would be due, minus a lead of a few seconds.
            #expect(world.told[0].at >= 1800 + 7200 - 30)
        }

        @Test("a domain still failing after the global end is notified after its own check; the others never are")
        func survivors() throws {
            var world = try GlobalWorld(20, interval: .seconds(120))
            try world.run(until: 7500) { number, second in
                let isGone = (1800..<3600).contains(second) || number == 7 && (1800..<4500).contains(second)
                return (GlobalWorld.file, isGone ? Self.gone : GlobalWorld.file)
            }
            try #require(
                world.summary == ["firing cdn.wide", "resolved cdn.wide", "firing cdn.missing", "resolved cdn.missing"])
            #expect(world.toldOfDomains.allSatisfy { $0.domain == world.domains[7] })
            #expect(world.told[2].at >= world.told[1].at)
            // The end gives no count, and does not say that all is well.
            #expect(world.told[0].facts?.subject?.hasSuffix(" of 20 domains") == true)
            let end = try #require(world.told[1].facts)
            #expect(end.subject == nil && end.diagnosis.effect == Effect(.unknown(.ofManyDomains)))
            #expect(end.resolvedText == "Apple's CDN no longer fails for many domains")
        }

        @Test("an incident notified before the global one still gets its end, and no duplicates")
        func toldBefore() throws {
            var world = try GlobalWorld(20, interval: .seconds(120))
            try world.run(until: 7500) { number, second in
                let isGone = (3600..<5400).contains(second) || number == 7 && (1800..<6300).contains(second)
                return (GlobalWorld.file, isGone ? Self.gone : GlobalWorld.file)
            }
            #expect(
                world.summary == ["firing cdn.missing", "firing cdn.wide", "resolved cdn.wide", "resolved cdn.missing"])
        }

        @Test("a failure too short to alert for one domain does not alert for the group")
        func blip() throws {
            var world = try GlobalWorld(100)
            try world.run(until: 2700) { _, second in
                (GlobalWorld.file, (1800..<1850).contains(second) ? Self.gone : GlobalWorld.file)
            }
            #expect(world.told.isEmpty && world.global.open.isEmpty)
            #expect(world.parents.contains { !$0.open.isEmpty }, "a global incident was pending")
        }

        @Test("a problem that returns within the window is the same incident")
        func again() throws {
            var world = try GlobalWorld(20, interval: .seconds(120))
            try world.run(until: 7500) { _, second in
                let isGone = (1800..<3600).contains(second) || (4200..<6000).contains(second)
                return (GlobalWorld.file, isGone ? Self.gone : GlobalWorld.file)
            }
            #expect(world.summary == ["firing cdn.wide", "resolved cdn.wide", "again cdn.wide", "resolved cdn.wide"])
            #expect(Set(world.told.map(\.incident)).count == 1)
        }

        /// Exactly four of five or six, or four frequently checked domains among many others.
        static let tooFew: [(intervals: [Int], failing: Range<Int>)] = [
            (Array(repeating: 120, count: 5), 0..<4), (Array(repeating: 120, count: 6), 0..<4),
            (Array(repeating: 60, count: 4) + Array(repeating: 900, count: 15), 0..<4),
        ]

        @Test(
            "four failing domains are too few for a global incident, and each of them is notified",
            arguments: tooFew.indices,
            Rounds.of([404], soak: [404, 0]))
        func four(_ index: Int, _ status: Int) throws {
            let row = Self.tooFew[index]
            var world = try GlobalWorld(intervals: row.intervals.map { .seconds($0) })
            world.policy.checks.staleAfter = .seconds(3600)
            let new = Reply.file(SampleFile.version(2))
            try world.run(until: 12_000) { number, second in
                guard row.failing.contains(number), second >= 1800 else { return (GlobalWorld.file, GlobalWorld.file) }
                return status == 404 ? (GlobalWorld.file, Self.gone) : (new, GlobalWorld.file)
            }
            #expect(!world.told.contains { $0.domain == nil })
            #expect(Set(world.toldOfDomains.compactMap(\.domain)) == Set(world.domains[row.failing]))
            #expect(world.summary.allSatisfy { $0 == (status == 404 ? "firing cdn.missing" : "firing cdn.stale") })
        }

        @Test(
            "the facts of a global incident contain its affected domains and follow each change"
        )
        func affected() throws {
            func snapshot(_ failing: Int, at second: Double) throws -> GlobalSnapshot {
                GlobalSnapshot(
                    domains: try (0..<200).map { number in
                        var state = DomainState(domain: try Domain("d\(number).test"))
                        state.firstCheckedAt = .testing - 86_400
                        state.lastCheckedAt = .testing + second
                        state.reachability.isCDNAsked = true
                        if number < failing {
                            var open = TrackedIncident(
                                incident: Incident(
                                    id: "\(number)", subject: .domain(state.domain), kind: .cdnMissing,
                                    severity: .error,
                                    state: .firing, since: .testing, openedAt: .testing))
                            open.incident.firedAt = .testing
                            state.open[.cdnMissing] = open
                        }
                        return DomainHealth(state, interval: .seconds(300))
                    })
            }
            var state = GlobalState()
            var written: [String] = []
            for (second, failing) in [(10.0, 70), (20, 100), (30, 139), (40, 140), (50, 150), (60, 65)] {
                let evaluation = evaluateGlobal(
                    state, try snapshot(failing, at: second), now: .testing + second)
                #expect(evaluation.state.open[.cdn]?.facts?.affected?.count == failing)
                #expect(evaluation.isWorthStoring != evaluation.changes.isEmpty)
                written += evaluation.changes.map {
                    "\(Int(second)) \($0.transition.rawValue) \($0.facts?.affected?.count ?? 0)"
                }
                state = evaluation.state
            }
            #expect(
                written == [
                    "10 firing 70", "20 rewritten 100", "30 rewritten 139", "40 rewritten 140", "50 rewritten 150",
                    "60 rewritten 65",
                ])
            #expect(state.open[.cdn]?.incident.version == 1)
        }

        @Test("domains are sorted by name, whatever order they arrive in")
        func named() throws {
            var random = SeededGenerator(seed: 3)
            let domains = try (0..<300).map { try Domain("d\($0).test") }.shuffled(using: &random)
            let affected = AffectedDomains(domains, of: 500)
            #expect(affected.domains == domains.sorted())
            #expect(affected.count == 300 && affected.words == "300 of 500 domains")
            #expect(AffectedDomains(Array(domains.prefix(3)), of: 5).domains == domains.prefix(3).sorted())
        }
    }
}
