import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    /// Receivers and the outbox identify an incident by its ID forever.
    @Suite("An incident's id")
    struct IdentityTests {
        private static let file = Reply.file(SampleFile.version(1)).expiring(at: .testing + 400 * 86_400)

        @Test("the ID of a pending incident that ends is not used again")
        func dropped() throws {
            var course = try Course(policy: Policy(CheckSettings(failureThreshold: 2)))
            var ids: Set<String> = []
            for _ in 0..<3 {
                try course.probed(at: 1, .status(500), Self.file)
                ids.insert(try #require(course.open(.originBroken)?.incident.id))
                try course.probed(at: 2, Self.file, Self.file)
            }
            #expect(ids.count == 3)
        }

        @Test("a domain that is watched again continues its earlier numbers")
        func watchedAnew() throws {
            func id(of state: DomainState) throws -> (String?, Int) {
                let probed = try Observation.of(
                    "example.com", at: .testing, origin: .status(500), cdn: Self.file)
                let after = evaluate(state, probed, Policy(), now: .testing, wall: .testing).state
                return (after.open[.originBroken]?.incident.id, after.begun)
            }
            let domain = try Domain("example.com")
            let (former, count) = try id(of: DomainState(domain: domain))
            let (later, _) = try id(of: DomainState(domain: domain, begun: count))
            #expect(former != nil && later != nil && former != later)
        }

        @Test("global incidents are numbered too")
        func global() throws {
            let sick = FailingChannel(name: "ops", isDisabled: true, since: .testing, words: "403")
            var state = GlobalState()
            var ids: Set<String> = []
            for _ in 0..<3 {
                for (second, channels) in [(0.0, [sick]), (60, []), (120, [])] {
                    let evaluation = evaluateGlobal(
                        state, GlobalSnapshot(domains: [], channels: channels), now: .testing + second)
                    ids.formUnion(evaluation.changes.map(\.incident.id))
                    state = try JSONDecoder().decode(GlobalState.self, from: JSONEncoder().encode(evaluation.state))
                    state.ended = [:]
                }
            }
            #expect(ids.count == 3)
        }
    }
}
