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
    /// What Apple's copy did not have yet, at the last news of the incident.
    let changes: ChangeList?
    let findings: [DomainView.FindingRow]
    let affected: [FrontPage.Kept]
    let canAcknowledge: Bool
    let canUnacknowledge: Bool
    let canSilence: Bool
    let path: String
    let jsonURL: String

    init(
        _ record: IncidentRecord, facts: IncidentFacts?, deliveries: [DeliveryRecord], context: IncidentContext,
        labels: [String: String], basis: Frame.Basis, time: PageTime
    ) {
        let incident = record.incident
        path = "/incidents/\(incident.id)"
        jsonURL = "/api/v1/incidents/\(incident.id)"
        domain = incident.subjectName == "aasa-monitor" ? "the monitor" : incident.subjectName
        domainAddress = incident.domain.map { "/domains/\($0.name)" }
        kind = incident.kind.rawValue
        (mark, tone) = incident.face
        story = IncidentStory(
            record, deliveries: deliveries, context: context, labels: labels, time: time)
        frame = Frame(
            title: "\(domain): \(kind)",
            tone: incident.state == .resolved ? .ok : incident.severity == .error ? .fail : .warn,
            section: .incidents, json: jsonURL, basis: basis, time: time)
        let text = facts?.text(at: time.reading(incident))
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
        self.facts = lines.compactMap { name, text in text.map { .init(name: name, text: $0) } }
        changes = incident.domain.flatMap { domain in
            facts.flatMap { ChangeList($0.comparison, of: domain, reader: nil) }
        }
        findings = (facts?.findings ?? []).enumerated().map { index, finding in
            DomainView.FindingRow(finding.text(at: time.reading(incident)), index)
        }
        affected = (facts?.affected?.domains ?? []).prefix(AffectedDomains.mostNamed).map {
            FrontPage.Kept(name: $0.name, value: "/domains/\($0.name)")
        }
        let isOpen = incident.state == .firing || incident.state == .recovering
        canAcknowledge = basis.role == .writer && isOpen && record.acknowledgement == nil
        canUnacknowledge = basis.role == .writer && isOpen && record.acknowledgement != nil
        canSilence = basis.role == .writer && isOpen && incident.domain != nil
    }
}

/// Incidents of a domain: the open ones with each message that was sent, the past ones in a line each.
struct IncidentStory: Equatable, Sendable {
    let id: String
    let shortID: String
    let kind: String
    let mark: String
    let tone: String
    let state: String
    let since: String
    let acknowledged: String?
    let isUnacknowledged: Bool
    let silenced: String?
    let deliveries: [Delivery]

    struct Delivery: Equatable, Sendable {
        let time: String
        let message: String
        let channel: String
        let result: String
        let tone: String
        let attempts: String
    }

    init(
        _ record: IncidentRecord, deliveries: [DeliveryRecord], context: IncidentContext, labels: [String: String],
        time: PageTime
    ) {
        let (incident, acknowledgement) = (record.incident, record.acknowledgement)
        id = incident.id
        shortID = String(incident.id.prefix(12))
        kind = incident.kind.rawValue
        (mark, tone) = incident.face
        switch incident.state {
        case .pending: state = "pending, not notified yet"
        case .resolved:
            state =
                "resolved \(incident.resolvedAt.map(time.brief) ?? "")"
                + (incident.reason.map { " (\($0.rawValue))" } ?? "")
        default: state = "\(incident.state.rawValue) since \(time.brief(incident.firedAt ?? incident.openedAt))"
        }
        since = "trouble since \(time.brief(incident.since))"
        acknowledged = acknowledgement.map {
            "acknowledged by \($0.by.onOneLine(upTo: 100)) at \(time.brief($0.at))"
                + ($0.reason.isEmpty ? "" : ": “\($0.reason.onOneLine(upTo: 300))”")
        }
        silenced = context.silencedUntil(incident, labels: labels, at: time.wall).map {
            "silenced until \(PageTime.brief($0, wall: time.wall))"
        }
        isUnacknowledged =
            acknowledgement == nil && incident.inhibitedBy == nil
            && (incident.state == .firing || incident.state == .recovering)
        self.deliveries = deliveries.reversed().map { Delivery($0, time) }
    }
}

extension IncidentStory.Delivery {
    init(_ record: DeliveryRecord, _ time: PageTime) {
        self.time = time.brief(record.at)
        message = record.reason == .firing ? "FIRING" : record.reason.rawValue.uppercased().replacing("_", with: " ")
        channel = record.channel.onOneLine(upTo: 60)
        let answer = record.status.map { " (\($0))" } ?? ""
        let isDelivered = record.outcome == .delivered
        result =
            record.outcome.rawValue.replacing("_", with: " ") + answer
            + (record.error.map { ": \($0.onOneLine(upTo: 200))" } ?? "")
        tone = isDelivered ? "ink" : "fail"
        attempts = "\(record.attempts)"
    }
}

struct EarlierIncident: Equatable, Sendable {
    let kind: String
    let address: String
    let began: String
    let lasted: String
    let reason: String
    let notified: String

    init(_ incident: Incident, notified: [String], time: PageTime) {
        kind = incident.kind.rawValue
        address = "/incidents/\(incident.id)"
        began = time.brief(incident.since)
        lasted = Span.words((incident.resolvedAt ?? time.now).timeIntervalSince(incident.since))
        reason = incident.reason.map { $0.rawValue.replacing("_", with: " ") } ?? ""
        self.notified = notified.isEmpty ? "nobody" : notified.map { $0.onOneLine(upTo: 40) }.listed(upTo: 3)
    }
}

extension Incident {
    /// The symbol and colour of its kind.
    var face: (mark: String, tone: String) {
        let status: DomainStatus =
            switch kind {
            case .cdnMissing: .missing
            case .cdnStale: state == .pending ? .propagating : .stale
            case .cdnDivergent: .divergent
            case .expectationFailed, .fileBroken: .expectationFailed
            case .originBroken, .originUnreachable, .originInconsistent: .originFailing
            case .certificateExpiring, .cdnWide, .monitorDegraded: .atRisk
            case .change: .propagating
            }
        if state == .resolved { return ("m-check", "soft") }
        if state == .pending { return (status.mark, "prog") }
        return (status.mark, severity == .error ? "fail" : "warn")
    }
}
