// PagerDuty's Events API v2: https://developer.pagerduty.com/docs/send-alert-event
// A pager repeats notifications itself, so it gets no reminders.

import Evidence
import Foundation
import Monitoring

struct PagerDutyFormat: ChannelFormat {
    static let summaryLimit = 1024

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let action = Action(alert.type)
        return try JSONText.encoded(
            Event(
                event_action: action, dedup_key: alert.pagerKey,
                payload: action == .trigger ? Self.payload(alert, plain: plain) : nil,
                links: action == .trigger && !plain ? Self.links(alert) : nil,
                client: "aasa-monitor", client_url: alert.links.page))
    }

    private enum Action: String, Encodable {
        case trigger, acknowledge, resolve

        init(_ type: EventType) {
            self =
                switch type {
                case .resolved, .changePropagated: .resolve
                case .acknowledged: .acknowledge
                case .firing, .update, .reminder, .changeDetected: .trigger
                }
        }
    }

    private static func payload(_ alert: Alert, plain: Bool) -> Event.Payload {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let form = PlainMarkup(unit: .utf16)
        let room = summaryLimit - rendered.headline.utf16.count - 2
        let details = TextLayout(form: form, limit: 20_000).paragraphs(rendered)
        return Event.Payload(
            summary: rendered.headline + (alert.common(\.cause).map { ". " + form.cut($0, to: room) } ?? ""),
            source: alert.incident.subjectName,
            severity: alert.tone(over: "info", error: "error", warning: "warning", note: "info"),
            timestamp: alert.at.formatted(.iso8601), component: component(alert.incident.kind),
            class: alert.incident.kind.rawValue,
            custom_details: .init(
                text: details.map { ([$0.title].compactMap(\.self) + $0.lines).joined(separator: "\n") },
                since: rendered.since, incident: form.cut(alert.incident.id, to: 100),
                monitor: form.cut(alert.instance, to: 100),
                labels: alert.labels.mapValues { form.cut($0, to: 300) }))
    }

    private static func component(_ kind: IncidentKind) -> String {
        kind == .monitorDegraded ? "monitor" : kind.isOfCDN ? "cdn" : "origin"
    }

    private static func links(_ alert: Alert) -> [Event.Link] {
        RenderedAlert(alert).links.filter { PlainMarkup.isPlain($0.url) }.map {
            Event.Link(href: $0.url, text: $0.title)
        }
    }

    private struct Event: Encodable {
        let event_action: Action
        let dedup_key: String
        let payload: Payload?
        let links: [Link]?
        let client: String
        let client_url: String?

        struct Payload: Encodable {
            let summary: String
            let source: String
            let severity: String
            let timestamp: String
            let component: String
            let `class`: String
            let custom_details: Details
        }

        struct Details: Encodable {
            let text: [String]
            let since: String
            let incident: String
            let monitor: String
            let labels: [String: String]
        }

        struct Link: Encodable {
            let href: String
            let text: String
        }
    }

    func wire(_ body: Data, channel: Channel) throws -> Data {
        try JSONText.adding(["routing_key": channel.token ?? ""], to: body)
    }

    func address(messageKey: String, channel: Channel) -> String { channel.url("/v2/enqueue") }

    func isTaken(_ answer: TransportAnswer) -> Bool {
        answer.status == 202 && JSONText.text("status", answer) == "success"
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        // The key is in the body, so PagerDuty reports a wrong key as an invalid message.
        if answer.status == 400,
            answer.text.range(of: "routing[_ ]key", options: [.regularExpression, .caseInsensitive]) != nil
        {
            return .permanentChannel(gone: false)
        }
        return classified(answer, now: now)
    }
}
