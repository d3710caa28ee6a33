// The content of a message before it is rendered. It is complete: rendering looks up nothing.

import Evidence
import Foundation
import Monitoring

package struct Alert: Equatable, Sendable {
    package var reason: NotificationReason
    /// Wall-clock time, like all times in an alert.
    package var at: Date
    package var incident: Incident
    /// The facts now. For an end: the facts since then.
    package let facts: IncidentFacts
    /// For an end: the facts while the incident was open.
    package let was: IncidentFacts?
    /// The diagnosis in words, at the time of the message or of the end. Stored, because a digest reads it many times.
    package let text: DiagnosisText
    /// The same for `was`; nil while the incident is open.
    package let wasText: DiagnosisText?
    /// The current acknowledgement.
    package var acknowledgement: Acknowledgement?
    package var labels: [String: String]
    package var links: Links
    /// The operator's own line; nil: none.
    package var note: String?
    /// The name of this monitor.
    package let instance: String
    /// The incident is in the store, so people can acknowledge it.
    package var isStored = true
    /// A test message without a real incident.
    package var isTest: Bool
    /// For the first digest of a burst: the number of further incidents of the kind that are not confirmed yet.
    package var unconfirmed = 0
    /// For ends: the number of incidents of the kind that are still unresolved.
    package var unfinished = 0
    /// The channels that this one replaces, because their receivers refused the message.
    var refusals: [Refusal] = []
    /// No other reminder follows.
    package var isLastReminder = false
    /// All alerts of this message; nil if there is only one.
    package private(set) var digest: Digest?

    package init(
        reason: NotificationReason, at: Date, incident: Incident, facts: IncidentFacts, was: IncidentFacts? = nil,
        acknowledgement: Acknowledgement? = nil, labels: [String: String], links: Links, instance: String,
        isTest: Bool = false
    ) {
        self.reason = reason
        self.at = at
        self.incident = incident
        self.facts = facts
        self.was = was
        text = facts.text(at: incident.resolvedAt ?? at)
        wasText = was?.text(at: incident.resolvedAt ?? at)
        self.acknowledgement = acknowledgement
        self.labels = labels
        self.links = links
        self.instance = instance
        self.isTest = isTest
    }

    /// Combines alerts of one kind and reason into one message, the most severe first, then by name. A single alert
    /// stays unchanged. nil without alerts.
    /// `key`: the key of the message, for threads and for receivers that replace messages.
    package init?(digestOf alerts: [Alert], key: String) {
        let alerts = alerts.sorted {
            ($1.incident.severity, $0.subject, $0.incident.id) < ($0.incident.severity, $1.subject, $1.incident.id)
        }
        guard let first = alerts.first else { return nil }
        self = first
        guard alerts.count > 1 else { return }
        at = alerts.map(\.at).max() ?? first.at
        acknowledgement = nil
        labels = first.labels.filter { label in alerts.allSatisfy { $0.labels[label.key] == label.value } }
        links = Links(statusPage: first.links.incidents)
        if alerts.contains(where: { $0.note != first.note }) { note = nil }
        digest = Digest(key: key, alerts: alerts)
    }

    struct Refusal: Equatable, Sendable {
        let channel: String
        /// The receiver's error; nil: it sent none.
        let words: String?
    }

    package struct Links: Equatable, Sendable {
        /// The page of the domain; the start page if the message is not about a single domain. nil without a status page.
        var statusPage: String?
        /// The page of the incident; nil if the store has no such incident.
        var incident: String?
        /// The page of all incidents.
        var incidents: String?
        /// A link with which a reader of this channel can acknowledge the incident once; nil: nothing to acknowledge.
        var acknowledge: String?
        /// nil if the message is not about a single domain.
        var cdn: String?
        var origin: String?

        /// Where a reader looks first.
        var page: String? { incident ?? statusPage }
    }

    package struct Digest: Equatable, Sendable {
        let key: String
        let alerts: [Alert]

        /// The maximum number of listed alerts.
        static let shown = 10

        var severity: Severity { alerts.map(\.incident.severity).max() ?? .note }

        var domains: [String] {
            var seen: Set<String> = []
            return alerts.compactMap(\.incident.domain?.name).filter { seen.insert($0).inserted }
        }

        /// The value that all alerts share; nil if they differ.
        func common<Value: Equatable>(_ value: (Alert) -> Value?) -> Value? {
            guard let first = alerts.first.flatMap(value), alerts.allSatisfy({ value($0) == first }) else { return nil }
            return first
        }
    }

    package var type: EventType { reason.type(of: incident.kind) }

    var isOver: Bool { reason.type == .resolved }

    /// The service's value for an end, or for the severity. An end that leaves the domain failing counts as a warning.
    func tone<Value>(over: Value, error: Value, warning: Value, note: Value) -> Value {
        if isOver { return (digest?.alerts ?? [self]).contains { $0.facts.isStillFailing == true } ? warning : over }
        return switch incident.severity {
        case .error: error
        case .warning: warning
        case .note: note
        }
    }

    /// It reports trouble, not an end, a change or a test.
    var isOfTrouble: Bool { !isOver && !isChange && !isTest }

    /// Whether readers can acknowledge it. An alert about a failing store has no incident in the store.
    var canBeAcknowledged: Bool {
        switch reason {
        case .firing, .escalated, .again, .worse, .changed, .reminder:
            isOfTrouble && acknowledgement == nil && isStored
        case .flapping, .acknowledged, .resolved, .wasFiring: false
        }
    }
    /// It reports a new version of the file, not trouble.
    var isChange: Bool { incident.kind == .change }

    /// The type of the event in webhooks.
    var typeName: String { isTest ? "test" : type.rawValue }

    /// The id of the thread at the receiver.
    var threadID: String { digest?.key ?? incident.id }
}

extension Alert {
    /// A test message that looks like a real one but says that it is a test.
    /// `domain`: a watched domain, so that the links work.
    package static func test(domain: Domain, links: Links, instance: String, now: Date) -> Alert {
        let incident = Incident(
            id: "test-\(Int(now.timeIntervalSince1970))", subject: .domain(domain), kind: .cdnStale, severity: .note,
            state: .firing, since: now, openedAt: now, firedAt: now, version: 1)
        return Alert(
            reason: .firing, at: now, incident: incident,
            facts: IncidentFacts(diagnosis: .remark(.testMessage)),
            labels: [:], links: links, instance: instance, isTest: true)
    }
}

// MARK: - A store in trouble
// The incident is made up, because the store cannot hold it.

extension Alert {
    /// `since`, `now`: wall-clock times.
    /// `words`: the error of the system or of SQLite.
    package static func storeTrouble(
        since: Date, fault: StoreFault = .other, outage: StoreOutage, words: String, links: Links, instance: String,
        now: Date
    ) -> Alert {
        let cause = MonitorCause.storeFailing(fault, outage, words: words.displayable.shortened(to: 400))
        let trouble =
            switch outage {
            case .start: "the monitor cannot start: \(fault.summary)"
            case .writes: fault == .other ? fault.summary : "nothing can be stored: \(fault.summary)"
            case .setAside: "the store was damaged and set aside"
            }
        let finding = Finding(.monitor(cause), evidence: ["since": since.rfc3339])
        // Monitors that share a receiver must not share an id.
        let id = MessageIdentity.key(ofIncident: "store\n\(instance)\n\(Int64(since.timeIntervalSince1970 * 1000))")
        let incident = Incident(
            id: String(id.prefix(32)), subject: .global(.store), kind: .monitorDegraded, severity: finding.severity,
            state: .firing, since: since, openedAt: since, firedAt: since, version: 1)
        var alert = Alert(
            reason: .firing, at: now, incident: incident,
            facts: IncidentFacts(
                diagnosis: .monitor(cause), findings: [finding], subject: "aasa-monitor", trouble: trouble),
            labels: [:], links: links, instance: instance)
        alert.isStored = false
        return alert
    }
}
