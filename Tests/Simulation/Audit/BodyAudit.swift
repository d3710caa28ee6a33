// What can be said of a message's bytes without knowing what it is about.

import Alerting
import Foundation

enum BodyAudit {
    /// `rows`: all that the message says.
    static func examine(_ body: Data, kind: ChannelKind, rows: [AuditedRow]) throws {
        let text = String(decoding: body, as: UTF8.self)
        guard !text.contains("for -"), !text.contains("after -") else {
            throw Violation(rule: .nonNegative, detail: "a message tells a negative age: \(text.prefix(200))")
        }
        if kind == .webhook { try examineWebhook(body, rows) }
    }

    private struct Message: Decodable {
        struct Content: Decodable {
            let comparison: Comparison?
            let incident: Incident?
            /// Of a message about many.
            let incidents: [Incident]?
            let count: Int?
        }
        struct Comparison: Decodable {
            let changed_at: String?
            let lag_seconds: Int?
        }
        struct Incident: Decodable {
            let id: String
            let since: String
            let opened_at: String
            let resolved_at: String?
        }
        let timestamp: String
        let data: Content
    }

    private static func examineWebhook(_ body: Data, _ rows: [AuditedRow]) throws {
        let message = try JSONDecoder().decode(Message.self, from: body)
        let told = (message.data.incidents ?? [message.data.incident].compactMap(\.self)).map(\.id)
        let meant = Set(rows.map(\.incident))
        guard rows.isEmpty || Set(told) == meant, message.data.count ?? told.count == told.count else {
            throw Violation(rule: .transitionExplained, detail: "a message tells \(told), and is owed for \(meant)")
        }
        guard let comparison = message.data.comparison, let lag = comparison.lag_seconds,
            let changed = comparison.changed_at
        else { return }
        guard lag >= 0 else { throw Violation(rule: .nonNegative, detail: "a lag of \(lag) seconds is told") }
        guard let told = try? Date(message.timestamp, strategy: .iso8601),
            let since = try? Date(changed, strategy: .iso8601)
        else { throw Violation(rule: .ages, detail: "an instant cannot be read: \(message.timestamp), \(changed)") }
        // Instants are told in whole seconds; a clock that was set back makes no age negative.
        let age = max(0, told.timeIntervalSince(since))
        guard abs(age - Double(lag)) <= 1 else {
            throw Violation(rule: .ages, detail: "a message tells a lag of \(lag) s, and it is \(Int(age)) s")
        }
    }
}
