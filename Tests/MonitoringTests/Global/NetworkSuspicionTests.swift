import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("The local network")
    struct NetworkSuspicionTests {
        private func outage(
            _ count: Int, canaries: ((Double) -> Bool)?, interval: Duration = .seconds(300)
        ) throws -> GlobalWorld {
            var world = try GlobalWorld(count, interval: interval)
            world.canaries = canaries
            try world.run(until: 5400) { _, second in
                (1800..<3600).contains(second)
                    ? (GlobalWorld.lost, GlobalWorld.lost) : (GlobalWorld.file, GlobalWorld.file)
            }
            return world
        }

        @Test(
            "a network lost for half an hour is one message and one end; no domain incident opens or closes",
            arguments: [1, 3, 20])
        func withCanaries(_ count: Int) throws {
            let world = try outage(count, canaries: { !(1800..<3600).contains($0) })
            #expect(world.summary == ["firing monitor.degraded", "resolved monitor.degraded"])
            #expect(world.states.allSatisfy { $0.open.isEmpty && $0.ended.isEmpty })
            #expect(world.states.allSatisfy { $0.verdict?.level == .ok && $0.originValidSince == .testing })
        }

        @Test(
            "without reference hosts, five domains that reach nobody are enough",
            arguments: [(5, 120), (20, 300), (40, 300)])
        func withoutCanaries(_ count: Int, _ interval: Int) throws {
            let world = try outage(count, canaries: nil, interval: .seconds(interval))
            #expect(world.summary == ["firing monitor.degraded", "resolved monitor.degraded"])
            #expect(world.states.allSatisfy { $0.open.isEmpty })
        }

        @Test("if the reference hosts answer, the sites and Apple have failed, not the local network")
        func canariesAnswer() throws {
            let world = try outage(20, canaries: { _ in true })
            // They still fail together, and are notified together.
            #expect(
                world.summary == ["firing monitor.degraded", "worse monitor.degraded", "resolved monitor.degraded"])
            #expect(world.states.allSatisfy { $0.open.isEmpty })
            let few = try outage(3, canaries: { _ in true })
            #expect(few.summary.count { $0 == "firing origin.unreachable" } == 3)
        }

        @Test("an incident that fires when the network fails stays unchanged, and ends after it is back")
        func firingBefore() throws {
            var world = try GlobalWorld(10, interval: .seconds(120))
            world.canaries = { !(1800..<3600).contains($0) }
            try world.run(until: 6000) { number, second in
                if (1800..<3600).contains(second) { return (GlobalWorld.lost, GlobalWorld.lost) }
                return number == 3 && (600..<4500).contains(second)
                    ? (.status(500), GlobalWorld.file) : (GlobalWorld.file, GlobalWorld.file)
            }
            #expect(
                world.summary == [
                    "firing origin.broken", "firing monitor.degraded", "resolved monitor.degraded",
                    "resolved origin.broken",
                ])
        }

        @Test("while the network is suspect, the verdict says so and blames no site")
        func verdict() throws {
            let state = evaluate(
                DomainState(domain: try Domain("example.com")),
                try .of(origin: GlobalWorld.file, cdn: GlobalWorld.file), Policy(), now: .testing, wall: .testing
            ).state
            let now = Date.testing + 300
            let probed = try Observation.of(at: now, origin: GlobalWorld.lost, cdn: GlobalWorld.lost)
            let policy = Policy(CheckSettings(failureThreshold: 1))
            let suspect = evaluate(state, probed, policy, now: now, wall: now, network: .suspect)
            #expect(suspect.verdict.level == .unknown && suspect.changes.isEmpty && suspect.state.open.isEmpty)
            #expect(suspect.verdict.findings.allSatisfy { $0.severity != .error })
            #expect(suspect.verdict.findings.first?.rule.rawValue == "monitor.network-lost")
            #expect(suspect.verdict.diagnosis == .monitor(.networkSuspect, .unknown(.localNetwork)))
            #expect(!state.wantsFullProbe(after: suspect))
            #expect(suspect.state.originValidSince == state.originValidSince)
            // If the site and Apple's CDN are both unreachable, that alone suggests the local network; reference hosts
            // override it.
            let alone = evaluate(state, probed, policy, now: now, wall: now)
            #expect(alone.verdict.level == .unknown && alone.changes.isEmpty)
            #expect(alone.verdict.diagnosis.id == .noWayOut)
            let proven = evaluate(state, probed, policy, now: now, wall: now, network: .proven)
            #expect(proven.changes.map(\.transition) == [.firing])
        }

        @Test("a CDN that was unreachable before the site proves nothing about the network")
        func outAlone() throws {
            let policy = Policy(CheckSettings(failureThreshold: 1))
            var state = DomainState(domain: try Domain("example.com"))
            for (minute, origin) in [(0.0, GlobalWorld.file), (5, GlobalWorld.lost), (10, GlobalWorld.lost)] {
                let now = Date.testing + minute * 60
                let evaluation = evaluate(
                    state, try .of(at: now, origin: origin, cdn: GlobalWorld.lost), policy, now: now, wall: now)
                state = evaluation.state
            }
            #expect(state.open[.originUnreachable]?.incident.state == .firing)
            #expect(state.verdict?.level == .failing)
        }

        /// What the last checks reached, one each second: `+` somebody, `-` nobody, `o` nobody when only the origin was
        /// asked.
        private func suspicion(_ checks: String, every seconds: Double = 1, shuffled: Bool = false) throws
            -> NetworkSuspicion
        {
            var notes = try checks.enumerated().map { index, check in
                let origin = check == "+" ? GlobalWorld.file : GlobalWorld.lost
                let observation = try Observation.of(
                    mode: check == "o" ? .developer : .production, origin: origin, cdn: check == "o" ? nil : origin,
                    unasked: .mode)
                let at = Date.testing + Double(index) * seconds
                return (try Domain("d\(index).test"), Reachability().after(observation, at: at), at)
            }
            var random = SeededGenerator(seed: 1)
            if shuffled { notes.shuffle(using: &random) }
            var suspicion = NetworkSuspicion()
            for note in notes { suspicion.note(note.0, note.1, interval: .seconds(300), at: note.2) }
            return suspicion
        }

        static let rows: [(checks: String, isSuspect: Bool)] = [
            ("-", true), ("----", true), ("+---", false), ("oooo", false), ("-----", true), ("++++++-----", true),
            ("-----+", false), ("+----", false),
            ("---------+", true), ("--------++", false), ("+++++++++++++++-----", true), ("ooooo", true),
            ("+++++ooooo", false), ("+ooooooooo", true), ("++++++++++++++++++++++oooooooooooooooooooo", false),
        ]

        @Test(
            "without reference hosts the last checks of up to five domains decide, in any order",
            arguments: rows.indices)
        func checks(_ index: Int) throws {
            let row = Self.rows[index]
            let now = Date.testing + Double(row.checks.count)
            let suspicion = try suspicion(row.checks)
            #expect(suspicion.isSuspect(canaries: nil, now: now) == row.isSuspect)
            #expect(try self.suspicion(row.checks, shuffled: true) == suspicion)
            // Checks from before a pause say nothing about the present.
            #expect(!suspicion.isSuspect(canaries: nil, now: now + 3600))
        }

        @Test("reference hosts decide if they were asked after the last check that reached anybody")
        func canaries() throws {
            func isSuspect(_ checks: String, askedAt second: Double, isLost: Bool = true) throws -> Bool {
                try suspicion(checks).isSuspect(
                    canaries: ConnectivityRound(at: .testing + second, hosts: ["ref.test"], isLost: isLost),
                    now: .testing + 60)
            }
            #expect(try isSuspect("+-", askedAt: 1.5))
            #expect(try isSuspect("-", askedAt: 0.5))
            #expect(try !isSuspect("+-", askedAt: 1.5, isLost: false))
            #expect(try !isSuspect("-+-", askedAt: 0.5))
            #expect(try !isSuspect("+", askedAt: 1))
        }

        @Test("another domain that reaches somebody proves the network while its check is fresh")
        func others() throws {
            let suspicion = try suspicion("+-")
            let (first, second) = (try Domain("d0.test"), try Domain("d1.test"))
            #expect(suspicion.reachesOthers(than: second, now: .testing + 2))
            #expect(!suspicion.reachesOthers(than: first, now: .testing + 2))
            #expect(!suspicion.reachesOthers(than: second, now: .testing + 3600))
        }

        @Test("a domain with frequent checks counts once")
        func distinct() throws {
            var suspicion = try suspicion("+----")
            let lost = try Reachability().after(.of(origin: GlobalWorld.lost, cdn: GlobalWorld.lost), at: .testing)
            for second in 5..<30 {
                suspicion.note(try Domain("d1.test"), lost, interval: .seconds(60), at: .testing + Double(second))
            }
            #expect(!suspicion.isSuspect(canaries: nil, now: .testing + 31))
        }

        static let kinds: [(Failure.Kind, Bool)] = [
            (.nameNotFound, true), (.nameServerFailure, true), (.noNameServer, true), (.noAddress, false),
            (.connectionRefused, true), (.unreachable, true), (.timedOut, true),
            (.connectionReset, true), (.tlsHandshake, true), (.tlsVersion, true), (.certificate, true),
            (.proxy, true),
            (.headersTooLarge, false), (.malformedAnswer, false), (.badEncoding, false), (.privateAddress, false),
            (.truncated, false), (.noIPv4Address, false), (.noIPv6Address, false), (.own, false),
        ]

        @Test("each failure either means that nobody was reached, or not", arguments: kinds)
        func reach(_ kind: Failure.Kind, _ isLost: Bool) throws {
            let probed = try Observation.of(origin: .failed(kind), cdn: .failed(kind))
            #expect(Reachability().after(probed, at: .testing).isLost == isLost)
            #expect(Set(Self.kinds.map(\.0)) == Set(Failure.Kind.allCases))
        }

        @Test("a machine that reaches one of the two has a network")
        func oneSide() throws {
            for (origin, cdn) in [(GlobalWorld.file, GlobalWorld.lost), (GlobalWorld.lost, GlobalWorld.file)] {
                #expect(try !Reachability().after(.of(origin: origin, cdn: cdn), at: .testing).isLost)
            }
            // Only the origin was asked.
            #expect(
                try Reachability().after(
                    .of(mode: .developer, origin: GlobalWorld.lost, cdn: nil, unasked: .mode), at: .testing
                )
                .isLost)
        }
    }
}
