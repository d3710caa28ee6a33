// What `diff` says, for programs.

import AASA
import Evidence

extension FileDifference {
    private static func json(_ change: BehaviourChange) -> [(String, OrderedJSON)] {
        [
            ("app", .string(change.appID)), ("from", .string(change.from.rawValue)),
            ("to", .string(change.to.rawValue)), ("example", .string(change.example)),
        ]
    }

    private static func json(_ successors: Successors) -> OrderedJSON {
        .object([
            ("rule", .string(successors.rule)),
            (
                "opened_now_by",
                .array(
                    successors.shares.map {
                        .object([("app", .optional($0.app)), ("example", .string($0.example))])
                    })
            ),
        ])
    }

    var json: OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/diff/v1")),
            ("sources", .array(names.map { .string($0) })),
            ("bytes_equal", .bool(areSameBytes)),
            ("meaning_equal", .bool(isEmpty)),
            (
                "changes",
                .array(
                    changes.changes.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("summary", .string($0.summary)),
                            ("pointer", .string($0.pointer)),
                        ])
                    })
            ),
            ("changes_total", .integer(changes.total)),
            (
                "behaviour",
                .array(
                    openings.map { change in
                        let remarks = remarks[change.example]
                        func app(_ id: String?) -> OrderedJSON { id.map(OrderedJSON.string) ?? .null }
                        return .object(
                            Self.json(change) + [
                                ("opened_before_by", app(remarks?.before)), ("opened_now_by", app(remarks?.after)),
                                ("urls_of_rule", successors[change].map(Self.json) ?? .null),
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
            (
                "order",
                .array(
                    order.changes.map {
                        .object([
                            ("example", .string($0.example)), ("from", .array($0.before.map { .string($0) })),
                            ("to", .array($0.after.map { .string($0) })),
                        ])
                    })
            ),
            ("order_complete", .bool(order.isComplete)),
            (
                "other_readings",
                .array(
                    otherReadings.contested.map {
                        .object([("point", .string($0.point.rawValue))] + Self.json($0.change))
                    })
            ),
            ("ios_12", .array(otherReadings.olderSystems.map { .object(Self.json($0)) })),
            ("ios_12_complete", .bool(otherReadings.isCompleteForOlderSystems)),
        ])
    }
}
