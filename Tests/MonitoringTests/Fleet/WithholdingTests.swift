import Evidence
import Foundation
import Monitoring
import TestSupport
import Testing

extension MonitoringSuite {
    @Suite("What the fleet's incidents keep back")
    struct WithholdingTests {
        @Test(
            "a parent keeps its children back, also while the clock shows a time before it",
            arguments: [-90_000.0, 0, 60])
        func clockSetBack(_ seconds: Double) throws {
            let finding = Finding(
                rule: Rule(rawValue: "cdn.wide"), severity: .error, message: "m", fix: "f", reference: "")
            let incident = Incident(
                id: "f1f1", domain: nil, kind: .cdnWide, severity: .error, state: .firing, since: .testing,
                openedAt: .testing)
            var state = FleetState()
            state.open = [
                FleetIncident(
                    cause: .cdn, incident: incident,
                    report: FleetReport(
                        subject: "many", trouble: "away", relief: "back", diagnosis: "d", finding: finding))
            ]
            let mutings = Mutings(fleet: state.withholding)
            func muting(_ kind: IncidentKind) throws -> Muting? {
                mutings.muting(
                    domain: try Domain("example.com"), labels: [:], kind: kind, at: .testing + seconds)
            }
            #expect(try muting(.cdnMissing)?.reason == "away")
            #expect(try muting(.originBroken) == nil)
        }
    }
}
