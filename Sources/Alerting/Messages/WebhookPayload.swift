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
        case schema, domain, labels, kind, severity, summary, diagnosis, incident, comparison, findings, links
        case id, state, since, openedAt = "opened_at", resolvedAt = "resolved_at", reason
        case bytesEqual = "bytes_equal", changedAt = "changed_at", lagSeconds = "lag_seconds", changes, behaviour
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
        try data.encode(incident.domain, forKey: .domain)
        try data.encode(labels, forKey: .labels)
        try data.encode(incident.kind, forKey: .kind)
        try data.encode(incident.severity, forKey: .severity)
        try data.encode(summary, forKey: .summary)
        try data.encode(diagnosis, forKey: .diagnosis)
        try data.encode(findings, forKey: .findings)

        // `encode` of an optional writes null; `encodeIfPresent` would leave the key out.
        var story = data.nestedContainer(keyedBy: Key.self, forKey: .incident)
        try story.encode(incident.id, forKey: .id)
        try story.encode(incident.state, forKey: .state)
        try story.encode(Self.instant(incident.since), forKey: .since)
        try story.encode(Self.instant(incident.openedAt), forKey: .openedAt)
        try story.encode(incident.resolvedAt.map(Self.instant), forKey: .resolvedAt)
        try story.encode(incident.reason, forKey: .reason)

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
    private static func instant(_ date: Date) -> String { date.formatted(.iso8601) }
}
