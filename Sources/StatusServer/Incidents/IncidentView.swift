// One incident: what it is about, what was sent, and what can be done about it.

import Evidence
import Foundation
import Monitoring
import Report
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

    init(_ incident: IncidentDetail, basis: Frame.Basis, time: ReportTime) {
        path = "/incidents/\(incident.id)"
        jsonURL = "/api/v1/incidents/\(incident.id)"
        domain = incident.subject
        domainAddress = incident.domain.map { "/domains/\($0)" }
        kind = incident.kind.rawValue
        (mark, tone) = incident.base.face
        story = IncidentStory(incident.base, deliveries: incident.deliveries, time: time)
        frame = Frame(
            title: "\(domain): \(kind)",
            tone: incident.state == .resolved ? .ok : incident.severity == .error ? .fail : .warn,
            section: .incidents, json: jsonURL, basis: basis, time: time)
        parts = incident.base.story.compactMap { name, text in
            text.map { .init(name: name, text: $0.onOneLine(upTo: 600)) }
        }
        var lines: [(String, String?)] = [
            ("State", story.state), ("Trouble since", time.clock(incident.since)),
            ("First seen", time.clock(incident.openedAt)),
            ("Confirmed", incident.firedAt.map(time.clock)), ("Resolved", incident.resolvedAt.map(time.clock)),
            ("Lasted", Span.words(incident.base.lasted(at: time.wall))),
            ("Severity", incident.severity.rawValue), ("Acknowledged", story.acknowledged),
            ("Notifications", story.silenced),
        ]
        if incident.isFlapping {
            lines.append(("Flapping", "it begins and ends often; notifications pause until it is stable"))
        }
        if let reason = incident.reason { lines.append(("Ended with", reason.rawValue.replacing("_", with: " "))) }
        facts = lines.compactMap { name, text in text.map { .init(name: name, text: $0) } }
        changes = incident.domain.flatMap { domain in
            incident.comparison.flatMap { ChangeList($0, of: domain, reader: nil) }
        }
        findings = incident.findings.enumerated().map { DomainView.FindingRow($0.element, $0.offset) }
        affected = incident.domains.map { FrontPage.Kept(name: $0, value: "/domains/\($0)") }
        let mayWrite = basis.role == .writer && incident.isOpen
        canAcknowledge = mayWrite && incident.acknowledged == nil
        canUnacknowledge = mayWrite && incident.acknowledged != nil
        canSilence = mayWrite && incident.domain != nil
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

    init(_ incident: IncidentReport, deliveries: [DeliveryReport], time: ReportTime) {
        id = incident.id
        shortID = incident.shortID
        kind = incident.kind.rawValue
        (mark, tone) = incident.face
        switch incident.state {
        case .pending: state = "pending, not notified yet"
        case .resolved:
            state =
                "resolved \(incident.resolvedAt.map(time.clock) ?? "")"
                + (incident.reason.map { " (\($0.rawValue))" } ?? "")
        default: state = "\(incident.state.rawValue) since \(time.clock(incident.firedAt ?? incident.openedAt))"
        }
        since = "trouble since \(time.clock(incident.since))"
        acknowledged = incident.acknowledged.map {
            "acknowledged by \($0.by.onOneLine(upTo: 100)) at \(time.clock($0.at))"
                + ($0.reason.isEmpty ? "" : ": “\($0.reason.onOneLine(upTo: 300))”")
        }
        let marks = incident.state == .resolved ? [] : incident.marks(at: time.wall)
        silenced = marks.isEmpty ? nil : marks.joined(separator: " · ")
        isUnacknowledged = incident.isUnacknowledged
        self.deliveries = deliveries.reversed().map { Delivery($0, time) }
    }
}

extension IncidentStory.Delivery {
    init(_ delivery: DeliveryReport, _ time: ReportTime) {
        self.time = time.clock(delivery.at)
        message = delivery.reason.uppercased().replacing("_", with: " ")
        channel = delivery.channel.onOneLine(upTo: 60)
        let answer = delivery.status.map { " (\($0))" } ?? ""
        result =
            delivery.outcome.replacing("_", with: " ") + answer
            + (delivery.error.map { ": \($0.onOneLine(upTo: 200))" } ?? "")
        tone = delivery.outcome == "delivered" ? "ink" : "fail"
        attempts = "\(delivery.attempts)"
    }
}

struct EarlierIncident: Equatable, Sendable {
    /// On the page of a domain.
    static let mostShown = 20

    let kind: String
    let address: String
    let began: String
    let lasted: String
    let reason: String
    let notified: String

    init(_ incident: IncidentReport, notified: [String], time: ReportTime) {
        kind = incident.kind.rawValue
        address = "/incidents/\(incident.id)"
        began = time.clock(incident.since)
        lasted = Span.words(incident.lasted(at: time.wall))
        let was = (incident.cause ?? incident.effect)?.firstSentence.shortened(to: 110)
        reason =
            (incident.reason.map { $0.rawValue.replacing("_", with: " ") } ?? "")
            + (was.map { "; was: \($0.onOneLine(upTo: 110))" } ?? "")
        self.notified = notified.isEmpty ? "nobody" : notified.map { $0.onOneLine(upTo: 40) }.listed(upTo: 3)
    }
}

extension IncidentReport {
    /// The diagnosis under its headings: what is, or what was and how it is since the end.
    fileprivate var story: [(String, String?)] {
        guard state == .resolved else {
            return [("What phones do", effect), ("Why", cause), ("What to do", action), ("Until when", outlook)]
        }
        return [
            ("What phones did", effect), ("Why", cause), ("What phones do now", ended?.effect),
            ("Still wrong", ended?.cause), ("What to do", ended?.action),
        ]
    }

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
