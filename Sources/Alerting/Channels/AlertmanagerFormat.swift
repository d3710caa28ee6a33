// Alertmanager's API v2: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
// Feeds use `AlertmanagerAlert`. The format itself is for alerts that are not in the store, such as tests.

import Evidence
import Facts
import Foundation
import Monitoring

struct AlertmanagerFormat: ChannelFormat {
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert)
        // A test expires after a minute. Any other alert ends with its resolve, or after a day without one.
        let end = alert.isOver ? alert.incident.resolvedAt ?? alert.at : alert.at + (alert.isTest ? 60 : 86_400)
        return try JSONText.encoded([
            AlertmanagerAlert(
                incident: alert.incident, labels: alert.labels, summary: rendered.headline,
                description: rendered.oneLine, links: alert.links, note: alert.note,
                instance: alert.instance, endsAt: end)
        ])
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/api/v2/alerts") }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json")] + channel.bearer
    }
}

/// One alert in Alertmanager's API.
struct AlertmanagerAlert: Encodable, Equatable {
    /// The identity of the alert. It contains nothing that may change, because other labels make another alert.
    let labels: [String: String]
    let annotations: [String: String]
    let startsAt: String
    let endsAt: String
    let generatorURL: String?

    init(
        incident: Incident, labels: [String: String], summary: String, description: String, links: Alert.Links,
        note: String?, instance: String, endsAt: Date
    ) {
        self.labels = Self.labels(incident, labels, instance)
        let form = PlainMarkup(unit: .bytes)
        annotations = [
            "summary": form.cut(summary, to: 1000), "description": form.cut(description, to: 4000),
            "severity": incident.severity.rawValue, "incident": form.cut(incident.id, to: 100),
            "instance": form.cut(instance, to: 100),
            "origin": links.origin ?? "", "cdn": links.cdn ?? "", "note": form.cut(note ?? "", to: 1000),
        ].filter { !$0.value.isEmpty }
        // Alertmanager refuses an alert that ends before it starts. A step of the wall clock may cause that.
        let start = min(incident.firedAt ?? incident.openedAt, endsAt)
        startsAt = Self.instant(start)
        self.endsAt = Self.instant(endsAt)
        generatorURL = links.page.flatMap { PlainMarkup.isPlain($0) ? $0 : nil }
    }

    /// `alertname`, `kind`, `domain`, `cause` are reserved.
    private static func labels(
        _ incident: Incident, _ more: [String: String], _ instance: String
    ) -> [String: String] {
        var labels = ["alertname": "aasa_monitor_incident", "kind": incident.kind.rawValue]
        // Labels of a domain's incident must not depend on the monitor: two monitors with the same domains send equal
        // alerts, so the incident's id is not a label. Without domain or cause, two incidents of a kind would be one.
        switch incident.subject {
        case .domain(let domain): labels["domain"] = domain.name
        case .global(let cause):
            labels["cause"] = cause.rawValue
            // These incidents concern this monitor only.
            if cause != .cdn { labels["instance"] = PlainMarkup(unit: .bytes).cut(instance, to: 100) }
        }
        labels.addConfigured(more)
        return labels
    }

    private static func instant(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension [String: String] {
    /// Adds a domain's labels under names that Alertmanager and Prometheus accept. A name that is already in use gets the
    /// prefix `label_`.
    package mutating func addConfigured(_ labels: [String: String]) {
        for (name, value) in labels.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            var plain = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
            if plain.first?.isNumber != false || plain.hasPrefix("__") || self[plain] != nil {
                plain = "label_" + plain
            }
            self[plain] = PlainMarkup(unit: .bytes).cut(value, to: 1000)
        }
    }
}
