// One message whole, for people.

import Evidence
import Foundation
import StatusServer

enum MessageListing {
    /// A digest may have a thousand.
    private static let mostListed = 20

    static func text(_ message: MessageDocument) -> String {
        let rows: [(String, String?)] = [
            ("message", message.messageKey), ("channel", message.channel), ("outcome", message.outcome),
            ("type", message.type.value), ("reason", message.reason.value), ("domains", domains(message)),
        ]
        var lines = rows.compactMap { name, value in
            value.map { "\(name):".padding(toLength: 10, withPad: " ", startingAt: 0) + $0.displayable }
        }
        lines += section("incidents", listed(message.incidents.map(reference)))
        lines += section("attempts", attempts(message))
        lines += section(
            "what it says",
            message.text.value.map {
                $0.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
            } ?? ["not kept"])
        return lines.joined(separator: "\n")
    }

    private static func reference(_ incident: MessageDocument.Member) -> String {
        let about = incident.kind + (incident.domain.value.map { " of \($0)" } ?? "")
        return "\(incident.id) \(about), \(incident.state) since \(incident.since.rfc3339)".displayable
    }

    private static func domains(_ message: MessageDocument) -> String? {
        var seen: Set<String> = []
        let names = listed(message.incidents.compactMap(\.domain.value).filter { seen.insert($0).inserted })
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static func attempts(_ message: MessageDocument) -> [String] {
        message.attempts.map { attempt in
            [
                attempt.at.rfc3339, attempt.outcome.replacing("_", with: " ").displayable,
                attempt.status.value.map { "status \($0)" }, attempt.error.value?.displayable.shortened(to: 300),
            ].compactMap(\.self).joined(separator: "  ")
        } + (message.retryAt.value.map { ["next at \($0.rfc3339)"] } ?? [])
    }

    private static func section(_ title: String, _ lines: [String]) -> [String] {
        ["", "\(title):"] + (lines.isEmpty ? ["  none"] : lines.map { "  " + $0 })
    }

    private static func listed(_ lines: [String]) -> [String] {
        lines.prefix(mostListed) + (lines.count > mostListed ? ["and \(lines.count - mostListed) more"] : [])
    }
}
