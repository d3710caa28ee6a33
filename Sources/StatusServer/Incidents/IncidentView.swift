// One incident: what it is about, what was sent, and what can be done about it.

import Evidence
import Foundation
import Monitoring
import Storage

struct IncidentView: Equatable, Sendable {
    let frame: Frame
    let story: IncidentStory
    let domain: String
    let domainAddress: String?
    let kind: String
    let tone: String
    let mark: String
    let parts: [OriginTable.Fact]
    let facts: [OriginTable.Fact]
    let affected: [FrontPage.Kept]
    let canAcknowledge: Bool
    let canUnacknowledge: Bool
    let canSilence: Bool
    let path: String

    init(
        _ record: IncidentRecord, facts: IncidentFacts?, note: IncidentNote?, deliveries: [DeliveryRecord],
        context: IncidentContext, labels: [String: String], basis: Frame.Basis, time: PageTime
    ) {
        let incident = record.incident
        path = "/incidents/\(incident.id)"
        domain = incident.subjectName == "aasa-monitor" ? "the monitor" : incident.subjectName
        domainAddress = incident.domain.map { "/domains/\($0.name)" }
        kind = incident.kind.rawValue
        (mark, tone) = incident.face
        story = IncidentStory(
            incident, note: IncidentNote(record: record, notified: note?.notified ?? []), deliveries: deliveries,
            context: context, labels: labels, time: time)
        frame = Frame(
            title: "\(domain): \(kind)",
            tone: incident.state == .resolved ? .ok : incident.severity == .error ? .fail : .warn,
            section: .incidents, json: "/api/v1/incidents", basis: basis, time: time)
        let text = facts?.text
        parts = [
            ("What phones do", text?.effect), ("Why", text?.cause), ("What to do", text?.action),
            ("Until when", text?.outlook),
        ]
        .compactMap { name, text in text.map { .init(name: name, text: $0.onOneLine(upTo: 600)) } }
        var lines: [(String, String?)] = [
            ("State", story.state), ("Trouble since", time.brief(incident.since)),
            ("First seen", time.brief(incident.openedAt)),
            ("Confirmed", incident.firedAt.map(time.brief)), ("Resolved", incident.resolvedAt.map(time.brief)),
            ("Lasted", Span.words((incident.resolvedAt ?? time.now).timeIntervalSince(incident.since))),
            ("Severity", incident.severity.rawValue), ("Acknowledged", story.acknowledged),
            ("Notifications", story.silenced),
        ]
        if incident.isFlapping {
            lines.append(("Flapping", "it begins and ends often; notifications pause until it is stable"))
        }
        if let reason = incident.reason { lines.append(("Ended with", reason.rawValue.replacing("_", with: " "))) }
        lines.append(("Identifier", incident.id))
        self.facts = lines.compactMap { name, text in text.map { .init(name: name, text: $0) } }
        affected = (facts?.affected?.domains ?? []).map {
            FrontPage.Kept(name: $0.name, value: "/domains/\($0.name)")
        }
        let isOpen = incident.state == .firing || incident.state == .recovering
        canAcknowledge = isOpen && record.acknowledgement == nil
        canUnacknowledge = isOpen && record.acknowledgement != nil
        canSilence = isOpen && incident.domain != nil
    }
}
