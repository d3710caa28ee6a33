// The generic webhook, a Standard Webhook. The documents specify its keys, so they are stable.

import Evidence
import Facts
import Foundation
import Hashing
import Monitoring
import Report

struct WebhookFormat: ChannelFormat {
    /// Standard Webhooks recommends less than 20 KB.
    static let maximumBytes = 20_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        var payload = WebhookPayload(alert)
        if alert.digest != nil {
            if plain {
                payload.room = min(payload.room, Alert.Digest.shown)
                payload.domains = Array(payload.domains.prefix(Alert.Digest.shown))
            }
            // Encoding a thousand incidents takes a tenth of a second, and a channel's transaction waits for it.
            while payload.leastBytes >= Self.maximumBytes { payload.room = payload.room * 3 / 4 }
            var data = try ReportJSON.encoder.encode(payload)
            while data.count >= Self.maximumBytes, payload.room > 0 {
                payload.room = payload.room * 3 / 4
                data = try ReportJSON.encoder.encode(payload)
            }
            return data
        }
        if plain {
            payload.findings = []
            payload.comparison.changes = []
            payload.comparison.behaviour = []
        }
        // The largest and least useful parts are dropped first.
        let cuts: [(inout WebhookPayload) -> Void] = [
            { payload in for index in payload.findings.indices { payload.findings[index].evidence = [:] } },
            { payload in
                payload.findings = Array(payload.findings.prefix(10))
                payload.comparison.changes = payload.comparison.changes.prefix(20).map {
                    AssociationChange(
                        kind: $0.kind, summary: $0.summary.cut(toBytes: 200), pointer: $0.pointer.cut(toBytes: 200))
                }
                for index in payload.findings.indices {
                    payload.findings[index].message = payload.findings[index].message.cut(toBytes: 300)
                    payload.findings[index].fix = payload.findings[index].fix.cut(toBytes: 300)
                }
                payload.summary = payload.summary.cut(toBytes: 500)
                payload.diagnosis = payload.diagnosis.cut(toBytes: 1000)
                payload.effect = payload.effect?.cut(toBytes: 500)
                payload.cause = payload.cause?.cut(toBytes: 500)
                payload.action = payload.action?.cut(toBytes: 500)
            },
            {
                $0.findings = []
                $0.comparison.changes = []
                $0.comparison.behaviour = []
                $0.labels = [:]
            },
        ]
        var data = try ReportJSON.encoder.encode(payload)
        for cut in cuts where data.count >= Self.maximumBytes {
            cut(&payload)
            data = try ReportJSON.encoder.encode(payload)
        }
        return data
    }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        let seconds = Int(timestamp.timeIntervalSince1970)
        var headers = [
            HeaderField(name: "content-type", value: "application/json"),
            HeaderField(name: "webhook-id", value: messageKey),
            HeaderField(name: "webhook-timestamp", value: "\(seconds)"),
        ]
        if !channel.signingKeys.isEmpty {
            headers.append(
                HeaderField(
                    name: "webhook-signature",
                    value: WebhookSignature.header(
                        id: messageKey, timestamp: seconds, body: body, keys: channel.signingKeys)))
        }
        return headers
    }
}

extension String {
    /// Truncates to `limit` bytes of UTF-8 at a character boundary, and then ends with an ellipsis.
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        var size = "…".utf8.count
        for character in self {
            size += character.utf8.count
            if size > limit { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

/// The body of a webhook. Every key is always present, so receivers need not distinguish absent from null. So the
/// code uses `encode` for optionals, which writes null, and never `encodeIfPresent`.
struct WebhookPayload: Encodable {
    private let alert: Alert
    /// All times of an alert are those of the wall clock.
    private let time: ReportTime
    var labels: [String: String]
    private let severity: Severity
    var summary: String
    var diagnosis: String
    private let diagnosisID: DiagnosisID?
    var effect: String?
    var cause: String?
    var action: String?
    private let outlook: String?
    /// Only in a message about one incident.
    var comparison: ComparisonReport
    var findings: [FindingText] = []
    /// The domains listed in a digest: names are short, so they may take half of the body.
    var domains: [String] = []
    /// The maximum number of incidents listed in a digest; `count` has the total.
    var room = 0

    /// The incidents listed in a digest take more than this, which counts only their texts.
    var leastBytes: Int {
        alert.digest?.alerts.prefix(room).reduce(0) { $0 + $1.text.oneLine.utf8.count } ?? 0
    }

    init(_ alert: Alert) {
        self.alert = alert
        time = ReportTime(now: alert.at)
        comparison = ComparisonReport(alert.facts.comparison, at: nil, time: time)
        labels = alert.labels
        effect = alert.common(\.effect)
        cause = alert.common(\.cause)
        action = alert.common(\.action)
        outlook = alert.common(\.outlook)
        if let digest = alert.digest {
            let rendered = RenderedAlert(alert)
            severity = digest.severity
            summary = rendered.headline
            diagnosis = rendered.oneLine.cut(toBytes: 1000)
            diagnosisID = digest.common(\.facts.diagnosis.id)
            room = digest.alerts.count
            var bytes = 0
            domains = Array(
                digest.domains.prefix {
                    bytes += $0.utf8.count + 3
                    return bytes <= WebhookFormat.maximumBytes / 2
                })
        } else {
            severity = alert.incident.severity
            summary = alert.summary
            diagnosis = alert.text.oneLine
            diagnosisID = alert.facts.diagnosis.id
            findings = alert.facts.findings.map { $0.text(at: alert.at) }
        }
    }

    private enum Key: String, CodingKey {
        case type, timestamp, data
        case schema, instance, domain, domains, domainCount = "domain_count", count, labels, kind, severity, summary,
            diagnosis,
            diagnosisID = "diagnosis_id", effect, cause, action, outlook, note, incident, incidents, comparison,
            findings,
            links
        case statusPage = "status_page", acknowledge, cdn, origin
    }

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Key.self)
        try root.encode(alert.typeName, forKey: .type)
        try root.encode(alert.at.rfc3339, forKey: .timestamp)
        var data = root.nestedContainer(keyedBy: Key.self, forKey: .data)
        try data.encode("aasa-monitor/alert/v1", forKey: .schema)
        try data.encode(alert.instance, forKey: .instance)
        try data.encode(labels, forKey: .labels)
        try data.encode(alert.incident.kind, forKey: .kind)
        try data.encode(severity, forKey: .severity)
        try data.encode(summary, forKey: .summary)
        try data.encode(diagnosis, forKey: .diagnosis)
        try data.encode(diagnosisID, forKey: .diagnosisID)
        try data.encode(effect, forKey: .effect)
        try data.encode(cause, forKey: .cause)
        try data.encode(action, forKey: .action)
        try data.encode(outlook, forKey: .outlook)
        try data.encode(alert.note, forKey: .note)
        try data.encode(findings, forKey: .findings)
        var links = data.nestedContainer(keyedBy: Key.self, forKey: .links)
        try links.encode(alert.links.incident, forKey: .incident)
        try links.encode(alert.links.statusPage, forKey: .statusPage)
        if let digest = alert.digest {
            try data.encode(domains, forKey: .domains)
            try data.encode(digest.alerts.count, forKey: .count)
            let incidents = digest.alerts.prefix(room)
            try data.encode(
                incidents.map {
                    IncidentReport(
                        $0.incident, text: $0.wasText ?? $0.text, id: ($0.was ?? $0.facts).diagnosis.id,
                        ended: $0.was == nil ? nil : .init($0.facts, text: $0.text), time: time)
                }, forKey: .incidents)
        } else {
            try links.encode(alert.links.acknowledge, forKey: .acknowledge)
            try links.encode(alert.links.cdn, forKey: .cdn)
            try links.encode(alert.links.origin, forKey: .origin)
            try encodeSingle(&data)
        }
    }

    /// The keys that only a message about one incident fills.
    private func encodeSingle(_ data: inout KeyedEncodingContainer<Key>) throws {
        let incident = alert.incident
        if let domain = incident.domain {
            try data.encode(domain, forKey: .domain)
        } else {
            // The monitor's own trouble is not about domains.
            let affected = incident.kind == .monitorDegraded ? nil : alert.facts.affected
            try data.encode(Array((affected?.domains ?? []).prefix(AffectedDomains.mostNamed)), forKey: .domains)
            try data.encode(affected?.count ?? 0, forKey: .domainCount)
        }
        let was = alert.wasText
        try data.encode(
            IncidentReport(incident, text: was, oneLine: was?.oneLine, id: alert.was?.diagnosis.id, time: time),
            forKey: .incident)
        try data.encode(comparison, forKey: .comparison)
    }
}

/// Signatures: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
enum WebhookSignature {
    /// The value of `webhook-signature`: `v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`, for each key.
    static func header(id: String, timestamp: Int, body: Data, keys: [Data]) -> String {
        let signed = Data("\(id).\(timestamp).".utf8) + body
        return keys.map { key in
            "v1," + Data(Digest.sha256.authenticationCode(for: signed, key: key)).base64EncodedString()
        }.joined(separator: " ")
    }
}
