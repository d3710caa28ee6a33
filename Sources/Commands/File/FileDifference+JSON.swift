// What `diff` says, for programs.

import AASA
import Evidence
import Report

extension FileDifference {
    var json: OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/diff/v1")),
            ("sources", .array(names.map { .string($0) })),
            ("bytes_equal", .bool(areSameBytes)),
            ("meaning_equal", .bool(isEmpty)),
            ("changes", .report(changes.changes)),
            ("changes_total", .integer(changes.total)),
            (
                "behaviour",
                .array(
                    openings.map { change in
                        let remarks = remarks[change.example]
                        return .object(
                            [
                                ("app", .string(change.appID)), ("from", .string(change.from.rawValue)),
                                ("to", .string(change.to.rawValue)), ("example", .string(change.example)),
                                ("opened_before_by", .optional(remarks?.before)),
                                ("opened_now_by", .optional(remarks?.after)),
                                ("contested", .array((remarks?.contested ?? []).map { .string($0.rawValue) })),
                            ])
                    })
            ),
            ("more_behaviour", .integer(moreOpenings)), ("more_rules", .integer(rules.more)),
            ("behaviour_complete", .bool(behaviour.isComplete)),
            (
                "services",
                .array(
                    services.map {
                        .object([
                            ("service", .string($0.service)), ("app", .string($0.app)), ("is_on", .bool($0.isOn)),
                        ])
                    })
            ),
            ("taken_by_devices", .array(isNothing.map { .bool(!$0) })),
        ])
    }
}
