// One message whole, for people and for programs.

import Evidence
import Foundation
import Monitoring
import Storage

enum MessageListing {
    /// A digest may have a thousand.
    private static let mostListed = 20

    static func text(_ message: SentMessage) -> String {
        let first = message.deliveries.first
        let rows: [(String, String?)] = [
            ("message", message.key), ("channel", message.channel.displayable), ("outcome", outcome(message)),
            ("type", first?.type.rawValue), ("reason", first?.reason.rawValue),
            ("domains", domains(message)),
        ]
        var lines = rows.compactMap { name, value in
            value.map { "\(name):".padding(toLength: 10, withPad: " ", startingAt: 0) + $0 }
        }
        lines += section("incidents", listed(message.incidents.map(\.reference)))
        lines += section("attempts", attempts(message))
        lines += section(
            "what it says",
            message.text.map {
                $0.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
            } ?? ["not kept"])
        return lines.joined(separator: "\n")
    }

    static func json(_ message: SentMessage) -> OrderedJSON {
        let first = message.deliveries.first
        let versions = Dictionary(message.deliveries.map { ($0.incidentID, $0.version) }) { first, _ in first }
        return .object([
            ("message_key", .string(message.key)), ("channel", .string(message.channel)),
            ("outcome", .string(outcome(message))), ("type", .optional(first?.type.rawValue)),
            ("reason", .optional(first?.reason.rawValue)), ("retry_at", .optional(message.retryAt)),
            ("deliveries", .array(message.deliveries.map { .integer(Int($0.id)) })),
            (
                "incidents",
                .array(
                    message.incidents.map { incident in
                        .object([
                            ("id", .string(incident.id)), ("domain", .optional(incident.domain?.name)),
                            ("kind", .string(incident.kind.rawValue)), ("state", .string(incident.state.rawValue)),
                            ("version", .optional(versions[incident.id])),
                        ])
                    })
            ),
            (
                "attempts",
                .array(
                    attemptsOf(message).map { attempt in
                        .object([
                            ("at", .optional(attempt.at)), ("outcome", .string(attempt.outcome)),
                            ("status", .optional(attempt.status)), ("error", .optional(attempt.error?.displayable)),
                        ])
                    })
            ), ("text", .optional(message.text)),
        ])
    }

    /// One word for all of it; a part of a digest may have another end than the rest.
    private static func outcome(_ message: SentMessage) -> String {
        if message.retryAt != nil { return "under way" }
        var seen: Set<String> = []
        return message.deliveries.map(\.outcome.rawValue).filter { seen.insert($0).inserted }.joined(separator: ", ")
    }

    private static func domains(_ message: SentMessage) -> String? {
        var seen: Set<String> = []
        let names = listed(message.incidents.compactMap(\.domain?.name).filter { seen.insert($0).inserted })
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    /// Of a message that has no attempts of its own, as of a feed, what the log says.
    private static func attemptsOf(_ message: SentMessage) -> [DeliveryAttempt] {
        guard message.attempts.isEmpty else { return message.attempts }
        return message.deliveries.filter { $0.outcome != .abandoned }.map {
            DeliveryAttempt(at: $0.at, outcome: $0.outcome.rawValue, status: $0.status, error: $0.error)
        }
    }

    private static func attempts(_ message: SentMessage) -> [String] {
        attemptsOf(message).map { attempt in
            [
                attempt.at.rfc3339, attempt.outcome.replacing("_", with: " "),
                attempt.status.map { "status \($0)" }, attempt.error?.displayable.shortened(to: 300),
            ].compactMap(\.self).joined(separator: "  ")
        } + (message.retryAt.map { ["next at \($0.rfc3339)"] } ?? [])
    }

    private static func section(_ title: String, _ lines: [String]) -> [String] {
        ["", "\(title):"] + (lines.isEmpty ? ["  none"] : lines.map { "  " + $0 })
    }

    private static func listed(_ lines: [String]) -> [String] {
        lines.prefix(mostListed) + (lines.count > mostListed ? ["and \(lines.count - mostListed) more"] : [])
    }
}
