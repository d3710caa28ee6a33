// How the two copies stand to each other, as JSON.

import Evidence

extension CheckReport {
    static func json(of comparison: Comparison) -> OrderedJSON {
        .object([
            ("state", .string(comparison.state.rawValue)),
            ("bytes_equal", .optional(comparison.bytesEqual)),
            ("changed_at", .optional(comparison.changedAt)),
            ("lag_seconds", .optional(comparison.lagSeconds)),
            ("changes", .array(comparison.changes.map(json(of:)))),
            ("behaviour", .array(comparison.behaviour.map(json(of:)))),
            ("edges", comparison.edges.map(json(of:)) ?? .null),
        ])
    }

    private static func json(of tally: EdgeTally) -> OrderedJSON {
        .object([
            ("asked", .integer(tally.asked)), ("in_sync", .integer(tally.inSync)), ("old", .integer(tally.old)),
            ("missing", .integer(tally.missing)), ("other", .integer(tally.other)),
            ("unreachable", .integer(tally.unreachable)),
        ])
    }

    private static func json(of change: Change) -> OrderedJSON {
        .object([
            ("kind", .string(change.kind.rawValue)), ("summary", .string(change.summary)),
            ("pointer", .string(change.pointer)),
        ])
    }

    private static func json(of note: BehaviourNote) -> OrderedJSON {
        .object([
            ("app", .string(note.app)), ("from", .string(note.from.rawValue)), ("to", .string(note.to.rawValue)),
            ("example", .string(note.example)),
        ])
    }
}
