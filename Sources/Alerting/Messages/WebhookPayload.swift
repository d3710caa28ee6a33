// The body of a webhook. Every key is always there: a receiver must not have to guess whether one is absent or null. So the
// code uses `encode` of an optional, which writes null, and not `encodeIfPresent`, which leaves the key out.

import Evidence
import Foundation
import Monitoring

struct WebhookPayload: Encodable {
    private let alert: Alert
    var labels: [String: String]
    var summary: String
    var diagnosis: String
    var parts: DiagnosisText
    var changes: [Change]
    var behaviour: [BehaviourNote]
    var findings: [FindingText]

    init(_ alert: Alert) {
        self.alert = alert
        labels = alert.labels
        summary = alert.summary
        parts = alert.text
        diagnosis = parts.oneLine
        changes = alert.facts.comparison.changes
        behaviour = alert.facts.comparison.behaviour
        findings = alert.facts.findings.map(\.text)
    }

    fileprivate enum Key: String, CodingKey {
        case type, timestamp, data
        case schema, instance, domain, domains, domainCount = "domain_count", count, labels, kind, severity, summary,
            diagnosis,
            diagnosisID = "diagnosis_id", effect, cause, action, outlook, incident, incidents, comparison, findings,
            links
        case state, bytesEqual = "bytes_equal", changedAt = "changed_at", lagSeconds = "lag_seconds", changes, behaviour
        case statusPage = "status_page", cdn, origin
    }

    func encode(to encoder: any Encoder) throws {
        let incident = alert.incident
        var data = try alert.container(encoder)
        if let domain = incident.domain {
            try data.encode(domain, forKey: .domain)
        } else {
            // The domains are not the subject of the monitor's own trouble.
            let affected = incident.kind == .monitorDegraded ? nil : alert.facts.affected
            try data.encode(affected?.domains ?? [], forKey: .domains)
            try data.encode(affected?.count ?? 0, forKey: .domainCount)
        }
        try data.encode(labels, forKey: .labels)
        try data.encode(incident.kind, forKey: .kind)
        try data.encode(incident.severity, forKey: .severity)
        try data.encode(summary, forKey: .summary)
        try data.encode(diagnosis, forKey: .diagnosis)
        try data.encode(alert.facts.diagnosis.id, forKey: .diagnosisID)
        try data.encode(parts.effect, forKey: .effect)
        try data.encode(parts.cause, forKey: .cause)
        try data.encode(parts.action, forKey: .action)
        try data.encode(parts.outlook, forKey: .outlook)
        try data.encode(findings, forKey: .findings)

        try data.encode(WebhookIncident(incident: incident, text: nil), forKey: .incident)

        let seen = alert.facts.comparison
        var comparison = data.nestedContainer(keyedBy: Key.self, forKey: .comparison)
        try comparison.encode(seen.state, forKey: .state)
        try comparison.encode(seen.bytesEqual, forKey: .bytesEqual)
        try comparison.encode(seen.changedAt?.rfc3339, forKey: .changedAt)
        try comparison.encode(seen.lagSeconds, forKey: .lagSeconds)
        try comparison.encode(changes, forKey: .changes)
        try comparison.encode(behaviour, forKey: .behaviour)

        var links = data.nestedContainer(keyedBy: Key.self, forKey: .links)
        try links.encode(alert.links.statusPage, forKey: .statusPage)
        try links.encode(alert.links.cdn, forKey: .cdn)
        try links.encode(alert.links.origin, forKey: .origin)
    }
}

/// The same for a digest. `domains` and `incidents` hold as many as fit; `count` says how many there are.
struct WebhookDigest: Encodable {
    private let alert: Alert
    private let digest: Alert.Digest
    /// How many domains and incidents are listed.
    var room: Int

    init?(_ alert: Alert) {
        guard let digest = alert.digest else { return nil }
        self.alert = alert
        self.digest = digest
        room = digest.alerts.count
    }

    func encode(to encoder: any Encoder) throws {
        let rendered = RenderedAlert(alert)
        var data = try alert.container(encoder)
        try data.encode(Array(digest.domains.prefix(room)), forKey: .domains)
        try data.encode(digest.alerts.count, forKey: .count)
        try data.encode(alert.labels, forKey: .labels)
        try data.encode(alert.incident.kind, forKey: .kind)
        try data.encode(digest.severity, forKey: .severity)
        try data.encode(rendered.headline, forKey: .summary)
        try data.encode(rendered.oneLine.cut(toBytes: 1000), forKey: .diagnosis)
        try data.encode(digest.common(\.facts.diagnosis.id), forKey: .diagnosisID)
        try data.encode(alert.common(\.effect), forKey: .effect)
        try data.encode(alert.common(\.cause), forKey: .cause)
        try data.encode(alert.common(\.action), forKey: .action)
        try data.encode(alert.common(\.outlook), forKey: .outlook)
        try data.encode([String](), forKey: .findings)
        try data.encode(
            digest.alerts.prefix(room).map { WebhookIncident(incident: $0.incident, text: $0.text) },
            forKey: .incidents)
        var links = data.nestedContainer(keyedBy: WebhookPayload.Key.self, forKey: .links)
        try links.encode(alert.links.statusPage, forKey: .statusPage)
    }
}

extension Alert {
    /// Writes what all bodies begin with, and gives the container of their `data`.
    fileprivate func container(_ encoder: any Encoder) throws -> KeyedEncodingContainer<WebhookPayload.Key> {
        var root = encoder.container(keyedBy: WebhookPayload.Key.self)
        try root.encode(typeName, forKey: .type)
        try root.encode(at.rfc3339, forKey: .timestamp)
        var data = root.nestedContainer(keyedBy: WebhookPayload.Key.self, forKey: .data)
        try data.encode("aasa-monitor/alert/v1", forKey: .schema)
        try data.encode(instance, forKey: .instance)
        return data
    }
}

private struct WebhookIncident: Encodable {
    let incident: Incident
    /// In a digest each incident names what it is about, and says it; nil where the message itself does.
    let text: DiagnosisText?

    private enum Key: String, CodingKey {
        case id, domain, kind, severity, state, since, openedAt = "opened_at", resolvedAt = "resolved_at", reason
        case effect, cause, action
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(incident.id, forKey: .id)
        if let text {
            try container.encode(text.effect, forKey: .effect)
            try container.encode(text.cause, forKey: .cause)
            try container.encode(text.action, forKey: .action)
            try container.encode(incident.domain, forKey: .domain)
            try container.encode(incident.kind, forKey: .kind)
            try container.encode(incident.severity, forKey: .severity)
        }
        try container.encode(incident.state, forKey: .state)
        try container.encode(incident.since.rfc3339, forKey: .since)
        try container.encode(incident.openedAt.rfc3339, forKey: .openedAt)
        try container.encode(incident.resolvedAt?.rfc3339, forKey: .resolvedAt)
        try container.encode(incident.reason, forKey: .reason)
    }
}
