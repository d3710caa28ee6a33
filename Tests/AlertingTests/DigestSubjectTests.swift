import Evidence
import Foundation
import Monitoring
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("What a digest is about")
    struct DigestSubjectTests {
        private func facts(_ name: String?, _ kind: IncidentKind, _ id: String) throws -> AlertFacts {
            let incident = Incident(
                id: id, domain: try name.map { try Domain($0) }, kind: kind, severity: .error, state: .firing,
                since: noon - 300, openedAt: noon - 300, firedAt: noon, sequence: 1)
            return AlertFacts(
                event: Event(
                    type: .firing, at: noon, incident: incident, summary: id, diagnosis: id,
                    comparison: Comparison(state: .notCompared), findings: []),
                labels: [:], links: .init(statusPage: nil, cdn: nil, origin: nil))
        }

        struct Case: Sendable {
            let places: [(String?, IncidentKind)]
            let subject: String
        }

        @Test(
            "it counts domains where there are any, and never says that there are none",
            arguments: [
                Case(places: [("a.test", .cdnStale), ("b.test", .cdnStale)], subject: "2 domains"),
                Case(places: [("a.test", .cdnStale), ("a.test", .originBroken)], subject: "2 incidents of 1 domain"),
                Case(
                    places: [(nil, .monitorDegraded), (nil, .monitorDegraded)], subject: "2 incidents of aasa-monitor"),
                Case(
                    places: [(nil, .monitorDegraded), (nil, .cdnWide)],
                    subject: "2 incidents of aasa-monitor and many domains"),
                Case(
                    places: [("a.test", .cdnStale), ("b.test", .cdnStale), (nil, .monitorDegraded)],
                    subject: "3 incidents of 2 domains and aasa-monitor"),
            ])
        func subjects(example: Case) throws {
            let members = try example.places.enumerated().map { try facts($1.0, $1.1, "i\($0)") }
            let digest = try #require(AlertFacts(members, key: "k")?.digest)
            let wording = DigestWording(digest: digest, at: noon)
            #expect(wording.headline.contains(" · \(example.subject)"), "\(wording.headline)")
            #expect(wording.gist == "\(example.subject): none of them is over")
        }
    }
}
