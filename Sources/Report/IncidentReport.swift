import Evidence
import Foundation
import Monitoring
import Storage

/// What is said of one incident: by pages and commands, by the API, and by webhooks.
package struct IncidentReport: Codable, Equatable, Sendable {
    package let id: String
    /// nil for an incident of many domains, or of the monitor itself.
    package let domain: String?
    package let kind: IncidentKind
    package let severity: Severity
    package let state: Incident.State
    /// Since when it is wrong, as far as is known.
    package let since: Date
    /// When a check first saw it.
    package let openedAt: Date
    /// When it was confirmed, and people were notified.
    package let firedAt: Date?
    package let resolvedAt: Date?
    package let reason: Incident.Resolution?
    package let isFlapping: Bool
    /// When a pending one alerts at the earliest, where that is known.
    package let alertsAfter: Date?
    /// Until when a silence or window suppresses notifications.
    package let silencedUntil: Date?
    /// The kind of the incident that inhibits it.
    package let inhibitedBy: IncidentKind?
    package let acknowledged: Acknowledged?
    /// The channels that took a message about it, by name. nil within a message, and for who must not know of channels.
    package let notified: [String]?
    /// The parts below in one line; nil in a digest, which has little room. They say what the incident is, or what it was at its
    /// last news. All of them are nil within a domain and a message about one open incident, which have their own.
    package let diagnosis: String?
    package let diagnosisId: DiagnosisID?
    package let effect: String?
    package let cause: String?
    package let action: String?
    package let outlook: String?
    /// How it is since the end; nil while it is not over, and where the message says it.
    package let ended: Ended?

    /// What the check saw that ended an incident.
    package struct Ended: Codable, Equatable, Sendable {
        package let effect: String
        package let cause: String?
        package let action: String?
        /// Something else is wrong with the domain.
        package let isStillFailing: Bool

        /// `text`: of the facts.
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

    /// What else is known of an incident at the moment: by the wall clock.
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

    /// `text`: nil where it is said elsewhere.
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

    /// Confirmed, and not over.
    package var isOpen: Bool { state == .firing || state == .recovering }

    /// As much of the id as a list needs: every command takes it.
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

    /// `firing since 08:02, wrong since 07:32`: when people were notified, and when it began. `shown`: an instant as it is
    /// written there.
    package func stateSince(_ shown: (Date) -> String) -> String {
        let notified = firedAt ?? since
        return "\(state.rawValue) since \(shown(notified))"
            + (notified.timeIntervalSince(since) < 600 ? "" : ", wrong since \(shown(since))")
    }

    /// Why its notifications are suppressed or paused, in the same words everywhere; nothing of one that is over. `zone`: behind
    /// an instant, where no head of the page says it.
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

    /// What people did about it, its marks, and who knows of it: in one order everywhere.
    package func notes(at wall: Date, zone: String = "") -> [String] {
        [acknowledgedInWords].compactMap(\.self) + marks(at: wall, zone: zone)
            + [notifiedInWords()].compactMap(\.self)
    }

    /// `cdn.stale firing ab9b5ae99bdb (acknowledged by eva)`, where a domain has one line.
    package func brief(at wall: Date) -> String {
        let notes = [acknowledgedInWords].compactMap(\.self) + marks(at: wall, zone: " UTC")
        return "\(kind.rawValue) \(state.rawValue) \(shortID)"
            + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
    }

    /// `notified ops, pager`; nil where nobody was, or that is not known. `limit`: so many names at most.
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

/// `/api/v1/incidents/{id}`: with all that a message would say, and what was sent.
package typealias IncidentDetail = Detailed<IncidentReport, IncidentReport.Details>

extension IncidentReport {
    package struct Details: Codable, Sendable {
        package var schema = "aasa-monitor/incident/v1"
        package let comparison: ComparisonReport?
        package let findings: [FindingText]
        /// Of an incident of many domains: some of them.
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

/// What an order to acknowledge an incident did, or to end that.
package struct AcknowledgementReport: Codable, Sendable {
    package let id: String
    package let kind: IncidentKind
    package let domain: String?
    /// nil: nobody any more.
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
