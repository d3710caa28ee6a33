// Messages of the outbox for people and for programs. What a message says is not shown, nor where it goes: a channel's URL is
// a secret, and its name is enough.

import Evidence
import Foundation
import Monitoring
import Storage

enum OutboxListing {
    static func text(_ entries: [OutboxEntry]) -> String {
        let heads = ["id", "state", "channel", "type", "about", "created", "attempts", "last answer"]
        let lines = [heads] + entries.map(cells)
        // The last column is as long as it is.
        let widths = heads.indices.dropLast().map { column in lines.map { $0[column].count }.max() ?? 0 } + [0]
        return lines.map { cells in
            zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func json(_ entry: OutboxEntry) -> OrderedJSON {
        let row = entry.row
        return .object([
            ("id", .integer(Int(row.id))), ("message_key", .string(row.messageKey)),
            ("state", .string(row.state.rawValue)),
            ("channel", .string(row.channel)), ("type", .string(row.type.rawValue)),
            ("incident", .string(row.incidentID)), ("domain", .optional(entry.domain)),
            ("kind", .optional(entry.kind?.rawValue)), ("created_at", .optional(row.createdAt)),
            ("not_before", .optional(row.notBefore)), ("expires_at", .optional(row.expiresAt)),
            ("settled_at", .optional(row.settledAt)), ("attempts", .integer(row.attempts)),
            ("last_class", .optional(row.lastClass)), ("last_status", .optional(row.lastStatus)),
            ("last_error", .optional(row.lastError?.displayable)),
        ])
    }

    /// Prints what became of each; ends with 1 where one was refused.
    static func tell(_ answers: [OutboxAnswer], done: String) throws {
        for answer in answers {
            Console.print("\(answer.id): \(answer.refusal.map { "left as it is, since \($0)" } ?? done)")
        }
        if answers.contains(where: { $0.refusal != nil }) { throw CommandFailure(.found, "") }
    }

    private static func cells(_ entry: OutboxEntry) -> [String] {
        let row = entry.row
        let about = [entry.kind?.rawValue, entry.domain].compactMap(\.self).joined(separator: " ")
        let answer = [row.lastStatus.map(String.init), row.lastError].compactMap(\.self).joined(separator: " ")
        return [
            String(row.id), row.state.rawValue, row.channel.displayable, row.type.rawValue,
            about.isEmpty ? "-" : about.displayable, row.createdAt.rfc3339, String(row.attempts),
            answer.displayable.shortened(to: 120),
        ]
    }
}
