import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("This machine's own network")
    struct EgressTests {
        private func outage(
            _ count: Int, canaries: ((Double) -> Bool)?, interval: Duration = .seconds(300)
        ) throws -> FleetWorld {
            var world = try FleetWorld(count, interval: interval)
            world.canaries = canaries
            try world.run(until: 5400) { _, second in
                (1800..<3600).contains(second)
                    ? (FleetWorld.lost, FleetWorld.lost) : (FleetWorld.file, FleetWorld.file)
            }
            return world
        }

        @Test(
            "lost for half an hour it is one message and one end; nothing of any domain opens or closes",
            arguments: [1, 3, 20])
        func withCanaries(_ count: Int) throws {
            let world = try outage(count, canaries: { !(1800..<3600).contains($0) })
            #expect(world.gist == ["firing monitor.degraded", "resolved monitor.degraded"])
            #expect(world.states.values.allSatisfy { $0.open.isEmpty && $0.ended.isEmpty })
            #expect(world.states.values.allSatisfy { $0.verdict?.level == .ok && $0.originValidSince == .testing })
        }

        @Test(
            "without reference hosts five domains that meet nobody are enough",
            arguments: [(5, 120), (20, 300), (40, 300)])
        func withoutCanaries(_ count: Int, _ interval: Int) throws {
            let world = try outage(count, canaries: nil, interval: .seconds(interval))
            #expect(world.gist == ["firing monitor.degraded", "resolved monitor.degraded"])
            #expect(world.states.values.allSatisfy { $0.open.isEmpty })
        }

        @Test("reference hosts that answer leave no doubt: the failures are the sites' and Apple's")
        func canariesAnswer() throws {
            let world = try outage(20, canaries: { _ in true })
            // They fail together all the same, and are told of together.
            #expect(world.gist == ["firing monitor.degraded", "resolved monitor.degraded"])
            #expect(world.states.values.allSatisfy { $0.open.isEmpty })
            let few = try outage(3, canaries: { _ in true })
            #expect(few.gist.count { $0 == "firing origin.unreachable" } == 3)
        }

        @Test("what fires when the network goes stays as it is, and ends after it is back")
        func firingBefore() throws {
            var world = try FleetWorld(10, interval: .seconds(120))
            world.canaries = { !(1800..<3600).contains($0) }
            try world.run(until: 6000) { number, second in
                if (1800..<3600).contains(second) { return (FleetWorld.lost, FleetWorld.lost) }
                return number == 3 && (600..<4500).contains(second)
                    ? (.status(500), FleetWorld.file) : (FleetWorld.file, FleetWorld.file)
            }
            #expect(
                world.gist == [
                    "firing origin.broken", "firing monitor.degraded", "resolved monitor.degraded",
                    "resolved origin.broken",
                ])
        }

        @Test("while it is in doubt the verdict says so, and blames no site")
        func verdict() throws {
            let state = evaluate(
                DomainState(domain: try Domain("example.com")),
                try .of(origin: FleetWorld.file, cdn: FleetWorld.file), Policy(), now: .testing
            ).state
            let now = Date.testing + 300
            let look = try Observation.of(at: now, origin: FleetWorld.lost, cdn: FleetWorld.lost)
            let doubted = evaluate(state, look, Policy(failureThreshold: 1), now: now, egress: .inDoubt)
            #expect(doubted.verdict.level == .warning && doubted.events.isEmpty && doubted.state.open.isEmpty)
            #expect(doubted.verdict.findings.map(\.severity).filter { $0 == .error }.isEmpty)
            #expect(doubted.verdict.findings.first?.rule.rawValue == "monitor.network-lost")
            #expect(doubted.verdict.diagnosis.contains("network"))
            #expect(!state.wantsFullLook(after: doubted))
            #expect(doubted.state.originValidSince == state.originValidSince)
            #expect(evaluate(state, look, Policy(failureThreshold: 1), now: now).events.count == 1)
        }

        static let kinds: [(Failure.Kind, Bool)] = [
            (.nameNotFound, true), (.connectionRefused, true), (.unreachable, true), (.timedOut, true),
            (.connectionReset, true), (.tlsHandshake, true), (.tlsVersion, true), (.certificate, true), (.proxy, true),
            (.headersTooLarge, false), (.malformedAnswer, false), (.badEncoding, false), (.privateAddress, false),
            (.truncated, false), (.noIPv4Address, false), (.noIPv6Address, false), (.own, false),
        ]

        @Test("which failures say that nobody was met", arguments: kinds)
        func reach(_ kind: Failure.Kind, _ isLost: Bool) throws {
            let look = try Observation.of(origin: .failed(kind), cdn: .failed(kind))
            #expect(Reach().after(look, at: .testing).isLost == isLost)
            #expect(Set(Self.kinds.map(\.0)) == Set(Failure.Kind.allCases))
        }

        @Test("a machine that meets one side has a network")
        func oneSide() throws {
            for (origin, cdn) in [(FleetWorld.file, FleetWorld.lost), (FleetWorld.lost, FleetWorld.file)] {
                #expect(try !Reach().after(.of(origin: origin, cdn: cdn), at: .testing).isLost)
            }
            // Nobody else was asked.
            #expect(
                try Reach().after(
                    .of(mode: .developer, origin: FleetWorld.lost, cdn: nil, unasked: .mode), at: .testing
                )
                .isLost)
        }
    }
}
