import Evidence
import Foundation
import Monitoring
import Storage

/// One incident as pages, commands, the API and webhooks show it.
package struct IncidentReport: Codable, Equatable, Sendable {
    package let id: String
    /// nil for an incident of many domains, or of the monitor itself.
    package let domain: String?
    package let kind: IncidentKind
    package let severity: Severity
    package let state: Incident.State
    /// Since when something is wrong, as far as known.
    package let since: Date
    /// When a check first saw it.
    package let openedAt: Date
    /// When it was confirmed, and people were notified.
    package let firedAt: Date?
    package let resolvedAt: Date?
    package let reason: Incident.Resolution?
    package let isFlapping: Bool
    /// When a pending incident alerts at the earliest, if known.
    package let alertsAfter: Date?
    /// Until when a silence or window suppresses notifications.
    package let silencedUntil: Date?
    /// The kind of the incident that inhibits it.
    package let inhibitedBy: IncidentKind?
    package let acknowledged: Acknowledged?
    /// The channels that accepted a message about it, by name. nil within a message, and for readers who must not see
    /// channels.
    package let notified: [String]?
    /// The parts below in one line; nil in a digest, which has little room. They describe the incident now, or at its
    /// last update. All of them are nil within a domain and within a message about one open incident: those have their
    /// own.
    package let diagnosis: String?
    package let diagnosisId: DiagnosisID?
    package let effect: String?
    package let cause: String?
    package let action: String?
    package let outlook: String?
    /// The state after the end; nil before that, and if the message says it.
    package let ended: Ended?

    /// What the check that resolved an incident saw.
    package struct Ended: Codable, Equatable, Sendable {
        package let effect: String
        package let cause: String?
        package let action: String?
        /// The domain has another problem.
        package let isStillFailing: Bool

        /// `text`: the text of `facts`.
        package init(_ facts: IncidentFacts, text: DiagnosisText) {
            isStillFailing = facts.isStillFailing ?? false
            // An incident of many domains says what works again.
            effect = facts.resolvedText.map { "\($0.atStart)." } ?? text.effect
            cause = isStillFailing ? text.cause : nil
            action = isStillFailing ? text.action : nil
        }
    }

    package struct Acknowledged: Codable, Equatable, Sendable {
        package let by: String
        package let reason: String
        package let at: Date
    }

    /// What else is known about an incident now, with instants of the wall clock.
    package struct Marks: Sendable {
        package var alertsAfter: Date?
        package var silencedUntil: Date?
        package var inhibitedBy: IncidentKind?
        package var acknowledgement: Acknowledgement?
        package var notified: [String]?

        package init(
            alertsAfter: Date? = nil, silencedUntil: Date? = nil, inhibitedBy: IncidentKind? = nil,
            acknowledgement: Acknowledgement? = nil, notified: [String]? = nil
        ) {
            self.alertsAfter = alertsAfter
            self.silencedUntil = silencedUntil
            self.inhibitedBy = inhibitedBy
            self.acknowledgement = acknowledgement
            self.notified = notified
        }
    }

    package init(_ incident: Incident, _ account: IncidentAccount? = nil, marks: Marks = Marks(), time: ReportTime) {
        let reading = time.reading(incident)
        let text = account?.facts.text(at: reading)
        self.init(
            incident, text: text, oneLine: text?.oneLine, id: account?.facts.diagnosis.id,
            ended: account?.ending.map { Ended($0, text: $0.text(at: reading)) }, marks: marks, time: time)
    }

    /// `text`: nil if it appears elsewhere.
    package init(
        _ incident: Incident, text: DiagnosisText?, oneLine: String? = nil, id diagnosisID: DiagnosisID? = nil,
        ended: Ended? = nil, marks: Marks = Marks(), time: ReportTime
    ) {
        id = incident.id
        domain = incident.domain?.name
        kind = incident.kind
        severity = incident.severity
        state = incident.state
        since = time.shown(incident.since)
        openedAt = time.shown(incident.openedAt)
        firedAt = incident.firedAt.map(time.shown)
        resolvedAt = incident.resolvedAt.map(time.shown)
        reason = incident.reason
        isFlapping = incident.isFlapping
        alertsAfter = marks.alertsAfter
        silencedUntil = marks.silencedUntil
        inhibitedBy = marks.inhibitedBy
        acknowledged = marks.acknowledgement.map {
            Acknowledged(by: $0.by, reason: $0.reason, at: time.shown($0.at))
        }
        notified = marks.notified
        diagnosis = oneLine
        diagnosisId = diagnosisID
        effect = text?.effect
        cause = text?.cause
        action = text?.action
        outlook = text?.outlook
        self.ended = ended
    }
}

extension IncidentReport {
    package var parts: [String] { [effect, cause, action, outlook].compactMap(\.self) }

    /// Confirmed and not resolved.
    package var isOpen: Bool { state == .firing || state == .recovering }

    /// The part of the id that lists show; every command accepts it.
    package var shortID: String { String(id.prefix(12)) }

    /// `origin.broken of example.com`
    package var about: String { Self.about(kind, domain) }

    package static func about(_ kind: IncidentKind, _ domain: String?) -> String {
        kind.rawValue + (domain.map { " of \($0)" } ?? "")
    }

    /// Whether somebody should acknowledge it.
    package var isUnacknowledged: Bool { isOpen && acknowledged == nil && inhibitedBy == nil }

    /// The domain, `many domains` or `the monitor`.
    package var subject: String { domain ?? (kind == .monitorDegraded ? "the monitor" : "many domains") }

    /// From the beginning to the end, or to now.
    package func lasted(at wall: Date) -> TimeInterval { (resolvedAt ?? wall).timeIntervalSince(since) }

    /// `firing since 08:02, wrong since 07:32`: when people were notified, and when it began. `shown` formats an
    /// instant.
    package func stateSince(_ shown: (Date) -> String) -> String {
        let notified = firedAt ?? since
        return "\(state.rawValue) since \(shown(notified))"
            + (notified.timeIntervalSince(since) < 600 ? "" : ", wrong since \(shown(since))")
    }

    /// Why it ended; nil while it is open.
    package var endInWords: String? {
        reason.map { reason in
            switch reason {
            case .cdnCaughtUp: "Apple's CDN caught up"
            case .cdnRefreshed: "Apple's CDN moved to a newer version"
            case .recovered, .originReverted, .superseded, .removed, .ignored:
                reason.rawValue.replacing("_", with: " ")
            }
        }
    }

    /// Why its notifications are suppressed or paused, in the same words everywhere; empty once it is resolved. `zone`:
    /// added to an instant if no heading of the page names the zone.
    package func marks(at wall: Date, zone: String = "") -> [String] {
        guard state != .resolved else { return [] }
        return [
            isFlapping ? "flapping" : nil, inhibitedBy.map { "inhibited by \($0.rawValue)" },
            silencedUntil.map { "silenced until \(ReportTime.brief($0, wall: wall))\(zone)" },
        ].compactMap(\.self)
    }

    /// `acknowledged by eva`
    package var acknowledgedInWords: String? {
        acknowledged.map { "acknowledged by \($0.by.onOneLine(upTo: 100))" }
    }

    /// The acknowledgement, the marks, and who was notified: in the same order everywhere.
    package func notes(at wall: Date, zone: String = "") -> [String] {
        [acknowledgedInWords].compactMap(\.self) + marks(at: wall, zone: zone)
            + [notifiedInWords()].compactMap(\.self)
    }

    /// `cdn.stale firing ab9b5ae99bdb (acknowledged by eva)`, if a domain has one line.
    package func brief(at wall: Date) -> String {
        let notes = [acknowledgedInWords].compactMap(\.self) + marks(at: wall, zone: " UTC")
        return "\(kind.rawValue) \(state.rawValue) \(shortID)"
            + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }

    /// `notified ops, pager`; nil if nobody was, or that is unknown. `limit`: the most names.
    package func notifiedInWords(upTo limit: Int = 3) -> String? {
        guard let notified, !notified.isEmpty else { return nil }
        return "notified \(notified.map { $0.onOneLine(upTo: 40) }.listed(upTo: limit))"
    }

    /// `alerts after 22 Nov 07:00 UTC if it lasts`; nil for one that is confirmed.
    package func waitsFor(at wall: Date) -> String? {
        guard state == .pending else { return nil }
        guard let alertsAfter, alertsAfter > wall else { return "alerts if the next checks see it too" }
        return "alerts after \(ReportTime.brief(alertsAfter, wall: wall)) UTC if it lasts"
    }
}

/// `/api/v1/incidents/{id}`: with everything that a message would say, and what was sent.
package typealias IncidentDetail = Detailed<IncidentReport, IncidentReport.Details>

extension IncidentReport {
    package struct Details: Codable, Sendable {
        package var schema = "aasa-monitor/incident/v1"
        package let comparison: ComparisonReport?
        package let findings: [FindingText]
        /// Some of the domains, for an incident of many domains.
        package let domains: [String]
        package let deliveries: [DeliveryReport]

        package init(
            comparison: ComparisonReport?, findings: [FindingText], domains: [String], deliveries: [DeliveryReport]
        ) {
            self.comparison = comparison
            self.findings = findings
            self.domains = domains
            self.deliveries = deliveries
        }
    }
}

/// One page of `/api/v1/incidents`.
package struct IncidentPage: Codable, Sendable {
    package var schema = "aasa-monitor/incidents/v1"
    package let incidents: [IncidentReport]
    /// `cursor` of the next page.
    package let next: String?

    package init(incidents: [IncidentReport], next: String?) {
        self.incidents = incidents
        self.next = next
    }
}

/// The result of acknowledging an incident, or of ending an acknowledgement.
package struct AcknowledgementReport: Codable, Sendable {
    package let id: String
    package let kind: IncidentKind
    package let domain: String?
    /// nil: no longer acknowledged.
    package let by: String?
    package let reason: String?

    package init(_ incident: Incident, _ acknowledgement: Acknowledgement?) {
        id = incident.id
        kind = incident.kind
        domain = incident.domain?.name
        by = acknowledgement?.by
        reason = acknowledgement?.reason
    }

    /// `origin.broken of example.com`
    package var about: String { IncidentReport.about(kind, domain) }
}
