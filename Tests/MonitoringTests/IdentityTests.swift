import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    /// Receivers and the outbox know an incident by its id for ever.
    @Suite("An incident's id")
    struct IdentityTests {
        private static let file = Reply.file(SampleFile.version(1)).expiring(at: .testing + 400 * 86_400)

        @Test(
            "a clock that is set back and meets an instant again gives new trouble a new id",
            arguments: [
                Reply.failed(.connectionRefused), .status(500), file.expiring(at: .testing + 3 * 86_400),
            ])
        func clockSetBack(_ trouble: Reply) throws {
            var course = try Course(policy: Policy(failureThreshold: 1, remindEvery: nil))
            // Ends in between, once told and once before anybody was told.
            for _ in 0..<4 {
                try course.look(at: 1, trouble, Self.file)
                try course.look(at: 2, Self.file, Self.file)
            }
            let begun = course.evaluations.flatMap(\.incidents).filter { $0.openedAt == .testing + 3600 }
            #expect(Set(begun.filter { $0.state == .firing }.map(\.id)).count == 4)
            let keys = course.events.map { "\($0.incident.id) \($0.incident.sequence)" }
            #expect(Set(keys).count == keys.count && course.events.count == 8)
        }

        @Test("trouble that nobody was told of takes its id with it")
        func dropped() throws {
            var course = try Course(policy: Policy(failureThreshold: 2, remindEvery: nil))
            var ids: Set<String> = []
            for _ in 0..<5 {
                try course.look(at: 1, .status(500), Self.file)
                ids.insert(try #require(course.open(.originBroken)?.incident.id))
                try course.look(at: 2, Self.file, Self.file)
            }
            #expect(ids.count == 5)
        }

        @Test("a domain that is watched anew begins with the numbers behind those of its former life")
        func watchedAnew() throws {
            func id(of state: DomainState) throws -> (String?, Int) {
                let look = try Observation.of(
                    "example.com", at: .testing, origin: .status(500), cdn: Self.file)
                let after = evaluate(state, look, Policy(), now: .testing).state
                return (after.open[.originBroken]?.incident.id, after.begun)
            }
            let domain = try Domain("example.com")
            let (former, count) = try id(of: DomainState(domain: domain))
            let (later, _) = try id(of: DomainState(domain: domain, begun: count))
            #expect(former != nil && later != nil && former != later)
        }

        @Test("the fleet's incidents have a number each, too")
        func fleet() throws {
            let sick = FailingChannel(name: "ops", isDisabled: true, since: .testing, words: "403")
            var state = FleetState()
            var ids: [String] = []
            for _ in 0..<3 {
                for (second, channels) in [(0.0, [sick]), (60, []), (120, [])] {
                    let look = FleetLook(domains: [], channels: channels)
                    let policy = FleetPolicy(reopenWindow: .zero)
                    let evaluation = judgeFleet(state, look, policy, now: .testing + second)
                    ids += evaluation.news.map { "\($0.event.incident.id) \($0.event.incident.sequence)" }
                    state = try JSONDecoder().decode(FleetState.self, from: JSONEncoder().encode(evaluation.state))
                }
            }
            #expect(ids.count == 6 && Set(ids).count == 6)
        }

        @Test("a state of an earlier version has counted none yet")
        func earlierVersions() throws {
            let state = DomainState(domain: try Domain("example.com"), begun: 7)
            let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(state))
            var fields = try #require(written as? [String: Any])
            #expect(fields.removeValue(forKey: "begun") as? Int == 7)
            let read = try JSONDecoder().decode(
                DomainState.self, from: JSONSerialization.data(withJSONObject: fields))
            #expect(read.begun == 0 && read.domain == state.domain)
        }
    }
}
