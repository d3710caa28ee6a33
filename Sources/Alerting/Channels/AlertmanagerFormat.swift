// Alertmanager's API v2: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
// Real incidents go there by `StateFeed`; this form is for test messages, and for the one way of writing an alert.

import Evidence
import Foundation
import Monitoring

struct AlertmanagerFormat: ChannelFormat {
    func body(_ facts: AlertFacts, minimal: Bool, reference: String?) throws -> Data {
        let story = Story(facts)
        // A minute is enough to be seen, and then a test is over by itself.
        return try JSONText.encoded([
            AlertmanagerAlert(
                facts.incident, labels: facts.labels, summary: story.headline, description: story.gist,
                links: facts.links, endsAt: facts.event.at + 60)
        ])
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/api/v2/alerts") }

    func headers(messageKey: String, timestamp: Date, body: Data, channel: Channel) -> [HeaderField] {
        [HeaderField(name: "content-type", value: "application/json")] + channel.bearer
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome { Classification.outcome(of: answer, now: now) }
}

/// One alert as Alertmanager takes it.
struct AlertmanagerAlert: Encodable, Equatable {
    /// The identity. Nothing that may change while the incident lasts is in it: another severity would be another alert.
    let labels: [String: String]
    let annotations: [String: String]
    let startsAt: String
    let endsAt: String
    let generatorURL: String?

    init(
        _ incident: Incident, labels: [String: String], summary: String, description: String,
        links: AlertFacts.Links, endsAt: Date
    ) {
        self.labels = Self.labels(incident, labels)
        let form = PlainMarkup(unit: .bytes)
        annotations = [
            "summary": form.cut(summary, to: 1000), "description": form.cut(description, to: 4000),
            "severity": incident.severity.rawValue, "incident": form.cut(incident.id, to: 100),
            "origin": links.origin ?? "", "cdn": links.cdn ?? "",
        ].filter { !$0.value.isEmpty }
        // Alertmanager refuses an alert that ends before it begins, as one would after a jump of the clock.
        let start = min(incident.firedAt ?? incident.openedAt, endsAt)
        startsAt = Self.instant(start)
        self.endsAt = Self.instant(endsAt)
        generatorURL = links.statusPage.flatMap { PlainMarkup.isPlain($0) ? $0 : nil }
    }

    /// `alertname`, `domain` and `kind` are ours; a label of the domain with such a name keeps its value under `label_`.
    private static func labels(_ incident: Incident, _ more: [String: String]) -> [String: String] {
        var labels = ["alertname": "aasa_monitor_incident", "kind": incident.kind.rawValue]
        // Without a domain two incidents of one kind would be one alert.
        if let domain = incident.domain { labels["domain"] = domain.name } else { labels["incident"] = incident.id }
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
