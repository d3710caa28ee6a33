import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("Global invariants")
    struct GlobalPropertyTests {
        /// Random problems of domains: a few spells, each with one problem for some domains.
        private struct Spell {
            let from: Double
            let until: Double
            let share: Int
            let way: Int

            init(_ random: inout SeededGenerator) {
                from = Double(Int.random(in: 900...4000, using: &random))
                until = from + Double(Int.random(in: 30...2000, using: &random))
                share = [10, 25, 40, 70, 100].randomElement(using: &random) ?? 100
                way = Int.random(in: 0...4, using: &random)
            }

            func answers(_ number: Int, _ second: Double) -> (origin: Reply, cdn: Reply)? {
                guard (from..<until).contains(second), number * 37 % 100 < share else { return nil }
                return switch way {
                case 0: (GlobalWorld.file, .status(404))
                case 1: (.status(502), .status(502))
                case 2: (GlobalWorld.lost, GlobalWorld.lost)
                case 3: (.status(500), GlobalWorld.file)
                default: (GlobalWorld.file, .failed(.timedOut))
                }
            }
        }

        @Test(
            "each end follows a beginning, and nothing is open at the end",
            arguments: 0..<Rounds.of(UInt64(2), soak: 5))
        func promises(_ seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            let spells = (0..<Int.random(in: 1...4, using: &random)).map { _ in Spell(&random) }
            let count = [3, 8, 20].randomElement(using: &random) ?? 20
            var world = try GlobalWorld(
                count, interval: .seconds([120, 300].randomElement(using: &random) ?? 120))
            if Bool.random(using: &random) {
                world.canaries = { second in !spells.contains { $0.way == 2 && $0.answers(0, second) != nil } }
            }
            try world.run(until: 9000) { number, second in
                spells.lazy.compactMap { $0.answers(number, second) }.first ?? (GlobalWorld.file, GlobalWorld.file)
            }
            var open: Set<String> = []
            for told in world.told {
                switch told.transition {
                case .firing: #expect(open.insert(told.incident).inserted, "notified twice: \(told)")
                case .resolved: #expect(open.remove(told.incident) != nil, "an end without a beginning: \(told)")
                default: open.insert(told.incident)
                }
            }
            // Everything is well at the end, and everyone who was notified knows it.
            #expect(open.isEmpty && world.global.open.isEmpty && world.firing.isEmpty)
        }

        @Test(
            "every incident that still fires at the end was notified, unless a global one inhibits it",
            arguments: 0..<Rounds.of(UInt64(1), soak: 4))
        func nothingForgotten(_ seed: UInt64) throws {
            var random = SeededGenerator(seed: 1000 + seed)
            let spells = (0..<3).map { _ in Spell(&random) }
            var world = try GlobalWorld(20, interval: .seconds(120))
            // Some domains keep a problem.
            try world.run(until: 9000) { number, second in
                if number < 2, second > 3000 { return (GlobalWorld.file, .status(404)) }
                return spells.lazy.compactMap { $0.answers(number, second) }.first ?? (
                    GlobalWorld.file, GlobalWorld.file
                )
            }
            #expect(world.global.open.isEmpty)
            for open in world.states.flatMap(\.open.values) where open.incident.state == .firing {
                #expect(world.told.contains { $0.incident == open.incident.id }, "\(open.incident)")
            }
        }

        @Test(
            "the evaluation handles every state, and its changes are the only differences",
            arguments: 0..<Rounds.of(UInt64(3), soak: 8))
        func total(_ seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            var state = GlobalState()
            var now = Date.testing
            for _ in 0..<60 {
                now += Double(Int.random(in: 0...1800, using: &random))
                let domains = try (0..<Int.random(in: 0...9, using: &random)).map { number in
                    var state = DomainState(domain: try Domain("d\(number).test"))
                    let origin: Reply = Bool.random(using: &random) ? GlobalWorld.lost : GlobalWorld.file
                    let cdn: Reply = Bool.random(using: &random) ? GlobalWorld.lost : .status(404)
                    let probed = try Observation.of(state.domain.name, at: now, origin: origin, cdn: cdn)
                    state =
                        evaluate(state, probed, Policy(CheckSettings(failureThreshold: 1)), now: now, wall: now).state
                    return DomainHealth(state, interval: .seconds(Int.random(in: 0...600, using: &random)))
                }
                let channels = ["a", "b"].filter { _ in Bool.random(using: &random) }.map {
                    FailingChannel(name: $0, isDisabled: Bool.random(using: &random), since: now, words: "")
                }
                let snapshot = GlobalSnapshot(
                    domains: domains, channels: channels, isStoreFailing: Bool.random(using: &random))
                let evaluation = evaluateGlobal(state, snapshot, now: now)
                for (cause, open) in evaluation.state.open {
                    #expect(open.incident.cause == cause && open.incident.since <= open.incident.openedAt)
                    #expect(open.facts != nil && open.hasFired == (open.incident.version > 0))
                    let isSame = state.open[cause]?.incident == open.incident
                    #expect(isSame || evaluation.changes.contains { $0.incident == open.incident })
                }
                for (cause, open) in state.open where evaluation.state.open[cause]?.incident.id != open.incident.id {
                    let ended = evaluation.changes.contains { $0.incident.id == open.incident.id && $0.facts != nil }
                    #expect(ended == open.hasFired)
                    #expect(evaluation.changes.dropped.contains { $0.id == open.incident.id } == !open.hasFired)
                }
                state = evaluation.state
            }
        }
    }
}
