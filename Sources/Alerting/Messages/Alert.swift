// What a message says, before it is rendered. All rendered content comes from here: nothing is looked up later.

import Evidence
import Foundation
import Monitoring

package struct Alert: Equatable, Sendable {
    package var reason: NotificationReason
    /// The wall clock, like all instants in an alert.
    package var at: Date
    package var incident: Incident
    package let facts: IncidentFacts
    /// The diagnosis in words, as of the message, or of the end. A digest asks for it several times an incident.
    package let text: DiagnosisText
    /// The acknowledgement in force.
    package var acknowledgement: Acknowledgement?
    package var labels: [String: String]
    package var links: Links
    /// The name of the monitor that speaks.
    package let instance: String
    /// The store knows the incident, so that it can be acknowledged.
    package var isStored = true
    /// A marked test message, about no real incident.
    package var isTest: Bool
    /// How many more incidents of the kind were seen and are not confirmed yet: the first digest of a burst says so.
    package var unconfirmed = 0
    /// Of ends: how many incidents of the kind go on.
    package var unfinished = 0
    /// The channels in whose place this one gets it, since they refused it.
    var refusals: [Refusal] = []
    /// No other reminder follows.
    package var isLastReminder = false
    /// All alerts of this message; nil where there is one.
    package private(set) var digest: Digest?

    package init(
        reason: NotificationReason, at: Date, incident: Incident, facts: IncidentFacts,
        acknowledgement: Acknowledgement? = nil, labels: [String: String], links: Links, instance: String,
        isTest: Bool = false
    ) {
        self.reason = reason
        self.at = at
        self.incident = incident
        self.facts = facts
        text = facts.text(at: incident.resolvedAt ?? at)
        self.acknowledgement = acknowledgement
        self.labels = labels
        self.links = links
        self.instance = instance
        self.isTest = isTest
    }

    /// One message for several alerts of one kind and one reason, the most severe first, then by name. One alert stays what it is.
    /// nil where there is none.
    /// `key`: names the message, for threads and for receivers that replace a message by a later one.
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
        digest = Digest(key: key, alerts: alerts)
    }

    struct Refusal: Equatable, Sendable {
        let channel: String
        /// The receiver's; nil: it gave none.
        let words: String?
    }

    package struct Links: Equatable, Sendable {
        /// The page about what the message is about; nil where none can be opened. Likewise the page of all incidents.
        package var statusPage: String?
        package var incidents: String?
        /// These two are nil where the message is about no single domain.
        package var cdn: String?
        package var origin: String?

        package init(
            statusPage: String?, incidents: String? = nil, cdn: String? = nil, origin: String? = nil
        ) {
            self.statusPage = statusPage
            self.incidents = incidents
            self.cdn = cdn
            self.origin = origin
        }
    }

    package struct Digest: Equatable, Sendable {
        let key: String
        let alerts: [Alert]

        /// So many are listed.
        static let shown = 10

        var severity: Severity { alerts.map(\.incident.severity).max() ?? .note }

        var domains: [String] {
            var seen: Set<String> = []
            return alerts.compactMap(\.incident.domain?.name).filter { seen.insert($0).inserted }
        }

        /// What is the same in all alerts; nil where they differ.
        func common<Value: Equatable>(_ value: (Alert) -> Value?) -> Value? {
            guard let first = alerts.first.flatMap(value), alerts.allSatisfy({ value($0) == first }) else { return nil }
            return first
        }
    }

    package var type: EventType { reason.type(of: incident.kind) }

    var isOver: Bool { reason.type == .resolved }

    /// It says that something is wrong, as far as is known.
    var isOfTrouble: Bool { !isOver && !isChange && !isTest }

    /// Whether somebody who reads it may take the incident on. The store's own trouble is no incident of the store.
    var canBeAcknowledged: Bool {
        switch reason {
        case .firing, .escalated, .again, .worse, .changed, .reminder:
            isOfTrouble && acknowledgement == nil && isStored
        case .flapping, .acknowledged, .resolved, .wasFiring: false
        }
    }
    /// It tells of a new version, and of no trouble.
    var isChange: Bool { incident.kind == .change }

    /// The name of what happened, as webhooks carry it.
    var typeName: String { isTest ? "test" : type.rawValue }

    /// What belongs together at the receiver, as a thread.
    var threadID: String { digest?.key ?? incident.id }
}

extension Alert {
    /// A test message that looks like a real one and says that it is none.
    /// `domain`: one of the watched ones, so that links work.
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
// No incident of this kind is stored: the store is what fails.

extension Alert {
    /// `since`, `now`: of the wall clock.
    /// `words`: of the system or the database.
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
