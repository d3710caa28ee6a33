// Alertmanager's API v2: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
// A feed sends the firing incidents there; this form is for messages outside the store, and for how an alert is written.

import Evidence
import Facts
import Foundation
import Monitoring

struct AlertmanagerFormat: ChannelFormat {
    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert)
        // A test ends by itself once it was seen. All else is ended by its resolve, or in a day if that never comes.
        let end = alert.isOver ? alert.incident.resolvedAt ?? alert.at : alert.at + (alert.isTest ? 60 : 86_400)
        return try JSONText.encoded([
            AlertmanagerAlert(
                incident: alert.incident, labels: alert.labels, summary: rendered.headline,
                description: rendered.oneLine, links: alert.links, instance: alert.instance, endsAt: end)
        ])
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/api/v2/alerts") }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json")] + channel.bearer
    }
}

/// One alert as Alertmanager takes it.
struct AlertmanagerAlert: Encodable, Equatable {
    /// The identity. It holds nothing that may change during the incident: another severity would be another alert.
    let labels: [String: String]
    let annotations: [String: String]
    let startsAt: String
    let endsAt: String
    let generatorURL: String?

    init(
        incident: Incident, labels: [String: String], summary: String, description: String, links: Alert.Links,
        instance: String, endsAt: Date
    ) {
        self.labels = Self.labels(incident, labels, instance)
        let form = PlainMarkup(unit: .bytes)
        annotations = [
            "summary": form.cut(summary, to: 1000), "description": form.cut(description, to: 4000),
            "severity": incident.severity.rawValue, "incident": form.cut(incident.id, to: 100),
            "instance": form.cut(instance, to: 100),
            "origin": links.origin ?? "", "cdn": links.cdn ?? "",
        ].filter { !$0.value.isEmpty }
        // Alertmanager refuses an alert that ends before it begins, as after a step of the wall clock.
        let start = min(incident.firedAt ?? incident.openedAt, endsAt)
        startsAt = Self.instant(start)
        self.endsAt = Self.instant(endsAt)
        generatorURL = links.statusPage.flatMap { PlainMarkup.isPlain($0) ? $0 : nil }
    }

    /// `alertname`, `kind`, `domain` and `cause` are ours; a label of the domain with such a name keeps its value under `label_`.
    private static func labels(
        _ incident: Incident, _ more: [String: String], _ instance: String
    ) -> [String: String] {
        var labels = ["alertname": "aasa_monitor_incident", "kind": incident.kind.rawValue]
        // Nothing that is said of domains may be of one monitor alone, such as an incident's id: the alerts of two monitors
        // with the same domains are the same alerts. Without domain or cause two incidents of one kind would be one alert.
        switch incident.subject {
        case .domain(let domain): labels["domain"] = domain.name
        case .global(let cause):
            labels["cause"] = cause.rawValue
            // What a monitor says of itself is no other's.
            if cause != .cdn { labels["instance"] = PlainMarkup(unit: .bytes).cut(instance, to: 100) }
        }
        for (name, value) in more.sorted(by: { $0.key < $1.key }) where !value.isEmpty {
            var plain = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
            if plain.first?.isNumber != false || plain.hasPrefix("__") || labels[plain] != nil {
                plain = "label_" + plain
            }
            labels[plain] = PlainMarkup(unit: .bytes).cut(value, to: 1000)
        }
        return labels
    }

    private static func instant(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
