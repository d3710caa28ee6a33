// The body of a webhook. Every key is always there: a receiver must not have to guess whether one is absent or null.

import Evidence
import Foundation
import Monitoring

struct WebhookPayload: Encodable {
    private let facts: AlertFacts
    var labels: [String: String]
    var summary: String
    var diagnosis: String
    var changes: [Change]
    var behaviour: [BehaviourNote]
    var findings: [Finding]

    init(_ facts: AlertFacts) {
        self.facts = facts
        labels = facts.labels
        summary = facts.event.summary
        diagnosis = facts.event.diagnosis
        changes = facts.event.comparison.changes
        behaviour = facts.event.comparison.behaviour
        findings = facts.event.findings
    }

    private enum Key: String, CodingKey {
        case type, timestamp, data
        case schema, domain, domains, domainCount = "domain_count", labels, kind, severity, summary, diagnosis,
            incident, comparison, findings, links
        case state, bytesEqual = "bytes_equal", changedAt = "changed_at", lagSeconds = "lag_seconds", changes, behaviour
        case statusPage = "status_page", cdn, origin
    }

    func encode(to encoder: any Encoder) throws {
        let event = facts.event
        let incident = event.incident
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(facts.typeName, forKey: .type)
        try root.encode(Self.instant(event.at), forKey: .timestamp)

        var data = root.nestedContainer(keyedBy: Key.self, forKey: .data)
        try data.encode("aasa-monitor/alert/v1", forKey: .schema)
        if let domain = incident.domain {
            try data.encode(domain, forKey: .domain)
        } else {
            // Of the monitor's own trouble the domains are not the matter.
            let affected = incident.kind == .monitorDegraded ? nil : event.affected
            try data.encode(affected?.domains ?? [], forKey: .domains)
            try data.encode(affected?.count ?? 0, forKey: .domainCount)
        }
        try data.encode(labels, forKey: .labels)
        try data.encode(incident.kind, forKey: .kind)
        try data.encode(incident.severity, forKey: .severity)
        try data.encode(summary, forKey: .summary)
        try data.encode(diagnosis, forKey: .diagnosis)
        try data.encode(findings, forKey: .findings)

        try data.encode(WebhookIncident(incident: incident, isOneOfMany: false), forKey: .incident)

        // `encode` of an optional writes null; `encodeIfPresent` would leave the key out.
        var comparison = data.nestedContainer(keyedBy: Key.self, forKey: .comparison)
        try comparison.encode(event.comparison.state, forKey: .state)
        try comparison.encode(event.comparison.bytesEqual, forKey: .bytesEqual)
        try comparison.encode(event.comparison.changedAt.map(Self.instant), forKey: .changedAt)
        try comparison.encode(event.comparison.lagSeconds, forKey: .lagSeconds)
        try comparison.encode(changes, forKey: .changes)
        try comparison.encode(behaviour, forKey: .behaviour)

        var links = data.nestedContainer(keyedBy: Key.self, forKey: .links)
        try links.encode(facts.links.statusPage, forKey: .statusPage)
        try links.encode(facts.links.cdn, forKey: .cdn)
        try links.encode(facts.links.origin, forKey: .origin)
    }

    /// RFC 3339 in UTC.
    static func instant(_ date: Date) -> String { date.formatted(.iso8601) }
}
