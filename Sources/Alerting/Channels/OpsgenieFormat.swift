// Opsgenie's alerts: https://docs.opsgenie.com/docs/alert-api. Jira Service Management accepts the same requests:
// https://developer.atlassian.com/cloud/jira/service-desk-ops/rest/v1/api-group-integration-events
// A pager repeats notifications itself, so it gets no reminders.

import Evidence
import Facts
import Foundation
import Monitoring

struct OpsgenieFormat: ChannelFormat {
    /// In characters, like the other limits.
    static let messageLimit = 130
    static let descriptionLimit = 15_000

    func body(_ alert: Alert, plain: Bool, reference: String?) throws -> Data {
        let rendered = RenderedAlert(alert, isBrief: plain)
        let form = OpsgenieMarkup()
        var order = Order(
            action: Action(alert.type), alias: alert.pagerKey, source: form.cut(alert.instance, to: 100))
        switch order.action {
        case nil:
            let layout = TextLayout(form: form, limit: Self.descriptionLimit)
            order.message = form.cut(rendered.headline, to: Self.messageLimit)
            order.description = layout.text(rendered, withHeadline: false)
            order.priority = alert.isTest ? "P5" : alert.tone(over: "P5", error: "P2", warning: "P3", note: "P5")
            order.entity = alert.incident.subjectName
            order.tags = [alert.incident.kind.rawValue]
            order.details = alert.labels.mapValues { form.cut($0, to: 300) }
        case .acknowledge where !plain:
            order.user = alert.acknowledgement.map { form.cut($0.by, to: 100) }
            order.note = alert.acknowledgement.map { form.cut($0.reason, to: 300) }
        case .close where !plain: order.note = form.cut(rendered.oneLine, to: 1000)
        case .acknowledge, .close: break
        }
        return try JSONText.encoded(order)
    }

    private enum Action: String, Codable {
        case acknowledge, close

        /// nil: creates the alert. If it is already open, Opsgenie counts it and keeps its text.
        init?(_ type: EventType) {
            switch type {
            case .resolved, .changePropagated: self = .close
            case .acknowledged: self = .acknowledge
            case .firing, .update, .reminder, .changeDetected: return nil
            }
        }
    }

    /// The stored body. The action and the alias of its alert are sent in the path.
    private struct Order: Codable {
        var action: Action?
        var alias: String?
        let source: String
        var message: String?
        var description: String?
        var priority: String?
        var entity: String?
        var tags: [String]?
        var details: [String: String]?
        var user: String?
        var note: String?
    }

    func request(
        body: Data, messageKey: String, timestamp: Date, userAgent: String, channel: Channel
    ) throws -> MessageRequest {
        var order = try JSONDecoder().decode(Order.self, from: body)
        var path = "/v2/alerts"
        if let action = order.action, let alias = order.alias {
            path += "/\(alias.percentEncoded)/\(action.rawValue)?identifierType=alias"
            (order.action, order.alias) = (nil, nil)
        }
        return MessageRequest(
            url: channel.url(path),
            headers: [
                HeaderField(name: "content-type", value: "application/json"),
                HeaderField(name: "authorization", value: "GenieKey \(channel.token ?? "")"),
            ], userAgent: userAgent, body: try JSONText.encoded(order), timeout: timeout)
    }

    func isTaken(_ answer: TransportAnswer) -> Bool {
        answer.status == 202 && JSONText.text("requestId", answer) != nil
    }

    func judge(_ answer: TransportAnswer, now: Date) -> Outcome {
        // "Key format is not valid!": Opsgenie answers a wrong key like an invalid body.
        if answer.status == 422, JSONText.text("message", answer)?.hasPrefix("Key ") == true {
            return .permanentChannel(gone: false)
        }
        return classified(answer, now: now)
    }

    /// https://docs.opsgenie.com/docs/api-rate-limiting
    var resetHeader: String? { "x-ratelimit-period-in-sec" }
}
