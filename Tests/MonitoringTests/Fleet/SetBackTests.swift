import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("A fleet's incidents after a restart with a clock that was set back")
    struct SetBackTests {
        private func state(_ cause: FleetCause, _ state: Incident.State, calmSince: Date? = nil) -> FleetState {
            let finding = Finding(
                rule: Rule(rawValue: "r"), severity: .error, message: "m", fix: "f", reference: "")
            var open = FleetIncident(
                cause: cause,
                incident: Incident(
                    id: "f1f1", domain: nil, kind: cause.kind, severity: .error, state: state, since: .testing,
                    openedAt: .testing),
                report: FleetReport(
                    subject: "many", trouble: "away", relief: "back", diagnosis: "d", finding: finding))
            open.calmSince = calmSince
            var fleet = FleetState()
            fleet.open = [open]
            return fleet
        }

        private func glimpse(_ cdn: Reply, _ origin: Reply, at now: Date) throws -> DomainGlimpse {
            DomainGlimpse(DomainState(domain: try Domain("example.com")), interval: .seconds(60))
                .after(try Observation.of("example.com", at: now, origin: origin, cdn: cdn), at: now)
        }

        @Test("a parent that looked over before ends as soon as any other")
        func calm() throws {
            var fleet = state(.cdn, .recovering, calmSince: .testing)
            for second in [-3600.0, -3560] {
                let now = Date.testing + second
                let look = FleetLook(domains: [try glimpse(FleetWorld.file, FleetWorld.file, at: now)])
                fleet = judgeFleet(fleet, look, FleetPolicy(), now: now).state
            }
            #expect(fleet.open.isEmpty)
        }

        @Test("a lost network that was only suspected before is told")
        func pending() throws {
            let now = Date.testing - 3600
            let look = FleetLook(
                domains: [try glimpse(FleetWorld.lost, FleetWorld.lost, at: now)],
                canaries: CanaryRound(at: now, hosts: ["ref.test"], isLost: true))
            let evaluation = judgeFleet(state(.network, .pending), look, FleetPolicy(), now: now)
            #expect(evaluation.news.map(\.event.type) == [.firing])
        }
    }
}
