// The log of deliveries for people and for programs. Where a message goes is not shown: a channel's URL is a secret, and its
// name is enough.

import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

enum DeliveryListing {
    static func text(_ records: [DeliveryRecord]) -> String {
        let heads = ["id", "at", "outcome", "channel", "reason", "about", "incident", "attempts", "answer"]
        let lines = [heads] + records.map(cells)
        // The last column is as long as it is.
        let widths = heads.indices.dropLast().map { column in lines.map { $0[column].count }.max() ?? 0 } + [0]
        return lines.map { cells in
            zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func json(_ record: DeliveryRecord) -> OrderedJSON {
        .object([
            ("id", .integer(Int(record.id))), ("at", .optional(record.at)),
            ("outcome", .string(record.outcome.rawValue)), ("channel", .string(record.channel)),
            ("type", .string(record.type.rawValue)), ("reason", .string(record.reason.rawValue)),
            ("incident", .string(record.incidentID)), ("domain", .optional(record.incident?.domain?.name)),
            ("kind", .optional(record.incident?.kind.rawValue)), ("version", .integer(record.version)),
            ("message_key", .string(record.key)), ("attempts", .integer(record.attempts)),
            ("status", .optional(record.status)), ("error", .optional(record.error?.displayable)),
        ])
    }

    /// `ops: 3 notifications pending since 2026-11-21T07:00:00Z`; nil for another channel than the one asked for.
    static func text(_ pending: PendingCount, _ channel: String?) -> String? {
        guard pending.count > 0, channel == nil || channel == pending.channel else { return nil }
        return "\(pending.channel.displayable): \(words(pending.count)) pending since \(pending.since.rfc3339)"
    }

    static func text(_ retried: RetryDocument) -> String {
        let (name, pending) = (retried.channel.displayable, words(retried.pending))
        return retried.heldUntil.value.map {
            "\(name): the receiver asked to wait until \($0.rfc3339); \(pending) pending"
        } ?? "\(name): tried now, also with what it refused; \(pending) pending"
    }

    private static func words(_ count: Int) -> String { count == 1 ? "1 notification" : "\(count) notifications" }

    private static func cells(_ record: DeliveryRecord) -> [String] {
        [
            String(record.id), record.at.rfc3339, record.outcome.rawValue, record.channel.displayable,
            record.reason.rawValue, about(record), String(record.incidentID.prefix(12)), String(record.attempts),
            answer(record).shortened(to: 120),
        ]
    }

    private static func about(_ record: DeliveryRecord) -> String {
        record.incident.map { "\($0.kind.rawValue) \($0.subjectName)".displayable } ?? "-"
    }

    private static func answer(_ record: DeliveryRecord) -> String {
        [record.status.map(String.init), record.error].compactMap(\.self).joined(separator: " ").displayable
    }
}
