// Whether a message's bytes say what the store says about them, and whether ages and instants are right.

import Alerting
import Foundation
import Monitoring

enum BodyAudit {
    /// `incidents`: those that the message is about, as committed.
    /// `present`: on the first attempt only; later attempts carry the same bytes.
    static func examine(
        _ body: Data, _ message: StoredMessage, _ incidents: [CommittedIncident], _ kind: ChannelKind,
        _ present: Present?
    ) throws {
        let text = String(decoding: body, as: UTF8.self)
        guard !text.contains("for -"), !text.contains("after -") else {
            throw Violation(rule: .nonNegative, detail: "a message has a negative age: \(text.prefix(200))")
        }
        switch kind {
        case .webhook: try examineWebhook(body, message, incidents, present)
        case .slack: try examineSlack(body, message.reason)
        case .pagerduty: try examinePager(body, message.reason)
        default: break
        }
    }

    // MARK: - Webhooks

    private struct Webhook: Decodable {
        struct Content: Decodable {
            let comparison: Comparison?
            let incident: Incident?
            /// In a message about several.
            let incidents: [Incident]?
            let count: Int?
        }
        struct Comparison: Decodable {
            let changed_at: String?
            let lag_seconds: Int?
        }
        struct Incident: Decodable {
            let id: String
            let state: String
            let since: String
            let opened_at: String
            let resolved_at: String?
        }
        let type: String
        let timestamp: String
        let data: Content
    }

    private static func examineWebhook(
        _ body: Data, _ message: StoredMessage, _ incidents: [CommittedIncident], _ present: Present?
    ) throws {
        let webhook = try JSONDecoder().decode(Webhook.self, from: body)
        let said = webhook.data.incidents ?? [webhook.data.incident].compactMap(\.self)
        let count = webhook.data.count ?? said.count
        guard webhook.type == message.reason.type.rawValue, count == message.members.count,
            Set(said.map(\.id)).isSubset(of: message.members.map(\.incident)),
            said.allSatisfy({ ($0.state == "resolved") == (message.reason.type == .resolved) })
        else { throw Violation(rule: .present, detail: "a \(webhook.type) differs from the stored message") }
        let at = try instant(webhook.timestamp)
        if let present {
            guard abs(at.timeIntervalSince(present.wall)) <= 2 else {
                throw Violation(rule: .ages, detail: "a new message has the timestamp \(webhook.timestamp)")
            }
            // People read instants by the wall clock; the product stores them by the steady clock.
            let shift = present.wall.timeIntervalSince(present.now)
            for one in said {
                guard let incident = incidents.first(where: { $0.id == one.id }),
                    abs(try instant(one.since).timeIntervalSince(incident.since + shift)) <= 2,
                    abs(try instant(one.opened_at).timeIntervalSince(incident.openedAt + shift)) <= 2
                else { throw Violation(rule: .ages, detail: "\(one.id) did not begin at \(one.since)") }
            }
        }
        guard let lag = webhook.data.comparison?.lag_seconds, let changed = webhook.data.comparison?.changed_at else {
            return
        }
        guard lag >= 0 else { throw Violation(rule: .nonNegative, detail: "a message has a lag of \(lag) seconds") }
        // The message has instants in whole seconds.
        let age = at.timeIntervalSince(try instant(changed))
        guard abs(age - Double(lag)) <= 1 else {
            throw Violation(rule: .ages, detail: "a message has a lag of \(lag) s, but it is \(Int(age)) s")
        }
    }

    private static func instant(_ text: String) throws -> Date {
        guard let date = try? Date(text, strategy: .iso8601) else {
            throw Violation(rule: .ages, detail: "an instant cannot be read: \(text)")
        }
        return date
    }

    // MARK: - Others

    /// The end of an incident whose domain left the configuration.
    static let removed = " no longer monitored"

    /// People read the first line: the type of the message follows the domain.
    private static func examineSlack(_ body: Data, _ reason: NotificationReason) throws {
        struct Slack: Decodable { let text: String }
        let text = try JSONDecoder().decode(Slack.self, from: body).text
        let head = text.prefix { $0 != "\n" }
        let turn: String? =
            switch reason {
            case .firing, .escalated: nil
            case .again: ", again"
            case .worse: ", worse"
            case .changed: ", changed"
            case .flapping: ", flapping"
            case .reminder: ", still"
            case .acknowledged: ", acknowledged"
            case .resolved: ", resolved"
            case .wasFiring: ", was firing"
            }
        let isRemoved = reason == .resolved && head.contains(Self.removed)
        guard turn.map({ head.contains($0) }) ?? !head.contains(", resolved") || isRemoved else {
            throw Violation(rule: .present, detail: "\(reason.rawValue) begins with: \(text.prefix(60))")
        }
    }

    private static func examinePager(_ body: Data, _ reason: NotificationReason) throws {
        struct Pager: Decodable { let event_action: String }
        let action = try JSONDecoder().decode(Pager.self, from: body).event_action
        let expected = reason == .acknowledged ? "acknowledge" : reason.type == .resolved ? "resolve" : "trigger"
        guard action == expected else {
            throw Violation(rule: .present, detail: "\(reason.rawValue) asks a pager to \(action)")
        }
    }

    /// Whether the sent bytes are the stored ones; a pager's key is added on sending.
    static func isSame(_ sent: Data, _ stored: Data, _ kind: ChannelKind) -> Bool {
        guard kind == .pagerduty else { return sent == stored }
        func object(_ data: Data) -> NSMutableDictionary? {
            (try? JSONSerialization.jsonObject(with: data)).flatMap { $0 as? [String: Any] }
                .map { NSMutableDictionary(dictionary: $0) }
        }
        guard let own = object(sent), let other = object(stored) else { return false }
        own.removeObject(forKey: "routing_key")
        return own.isEqual(other)
    }
}
