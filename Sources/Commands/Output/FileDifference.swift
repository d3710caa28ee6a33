// What `diff` says.

import AASA
import Evidence

struct FileDifference {
    let names: [String]
    let areSameBytes: Bool
    /// Which of the two sources devices take nothing from.
    let isNothing: [Bool]
    let changes: [AssociationChange]
    let behaviour: BehaviourComparison
    /// What changes on a phone: each URL with the app that gains or loses it. An exclusion and no match are the same there.
    let openings: [BehaviourChange]
    let rules: ChangedRules
    /// What is to be known of the URLs of `openings`.
    let remarks: [String: Remarks]
    let services: [ServiceChange]
    let order: OrderComparison

    init(old: AssociationFile?, new: AssociationFile?, names: [String]) {
        self.names = names
        areSameBytes = false
        isNothing = [old == nil, new == nil]
        if let old, let new {
            changes = AssociationDiff.changes(from: old.document, to: new.document)
        } else {
            changes = []
        }
        behaviour = BehaviourDiff.compare(old?.applinks, new?.applinks)
        let known = behaviour.changes.filter(\.isSeenOnPhone)
        rules = ChangedRules(old?.applinks, new?.applinks, besides: known)
        openings = known + rules.changes
        var remarks: [String: Remarks] = [:]
        for change in openings where remarks[change.example] == nil {
            remarks[change.example] = Remarks(on: change.example, [old?.applinks, new?.applinks])
        }
        self.remarks = remarks
        services = ServiceChange.all(from: old, to: new)
        order = OrderDiff.compare(old?.applinks, new?.applinks)
    }

    /// Two files of the same bytes, which need not be read.
    init(ofEqualBytes names: [String]) {
        self.names = names
        areSameBytes = true
        isNothing = [false, false]
        changes = []
        behaviour = .ofEqualFiles
        openings = []
        rules = .ofEqualFiles
        remarks = [:]
        services = []
        order = .ofEqualFiles
    }

    /// Whether the two mean the same.
    var isEmpty: Bool { changes.isEmpty && !isNothing.contains(true) }

    func text(style: TextStyle) -> String {
        if areSameBytes { return "the two files are the same, byte for byte" }
        if isEmpty { return "the two files differ in formatting only; they mean the same" }
        var lines = ["\(style.bold("from")) \(names[0].displayable)  \(style.bold("to")) \(names[1].displayable)", ""]
        for (name, isNothing) in zip(names, isNothing) where isNothing {
            lines.append("  devices take nothing from \(name.displayable)")
        }
        lines += changes.map { "  \(Self.mark($0.kind)) \($0.summary.displayable.shortened(to: 200))" }
        lines.append("")
        if openings.isEmpty { lines.append(nothingChanges) }
        if !openings.isEmpty || !services.isEmpty { lines.append("what changes on a phone") }
        var example: String?
        let sorted = openings.sortedByExample
        for (index, change) in sorted.enumerated() {
            if change.example != example { lines.append("  \(style.bold(change.example.displayable))") }
            example = change.example
            lines.append(
                "      \(change.appID.displayable): \(Self.words(change.from)) before, \(Self.words(change.to)) now")
            guard index + 1 == sorted.count || sorted[index + 1].example != change.example else { continue }
            lines += remarks[change.example]?.lines(style) ?? []
        }
        lines += moreRules
        lines += services.map { "  \($0.words)" }
        lines += orderLines(style)
        if !behaviour.isComplete {
            lines.append(
                "not decided to the end for \(behaviour.incompleteApps.map(\.displayable).joined(separator: ", ")): the rules "
                    + "are too many to prove it; the examples shown are real")
        }
        return lines.joined(separator: "\n")
    }

    private var moreRules: [String] {
        let count = rules.more == 1 ? "1 more rule" : "\(rules.more) more rules"
        return switch (rules.more, rules.isComplete) {
        case (0, true): []
        case (0, false): ["  (too many rules changed to look for an example of each)"]
        case (_, true): ["  and \(count)"]
        case (_, false): ["  and at least \(count)"]
        }
    }

    /// Where no app gains or loses a URL, the order of the apps may still turn: only both proofs together say that all URLs
    /// open what they opened.
    private var nothingChanges: String {
        let isOrderKept = order.changes.isEmpty && order.isComplete
        return switch (behaviour.isComplete, isOrderKept) {
        case (true, true): "no URL changes what it opens (proven for all URLs)"
        case (true, false): "no app gains or loses a URL (proven for all URLs)"
        case (false, _): "no URL was found that an app gains or loses"
        }
    }

    private func orderLines(_ style: TextStyle) -> [String] {
        guard !order.changes.isEmpty else { return [] }
        var lines = ["which of several apps is asked first, where all of them are installed"]
        for change in order.changes {
            let turned = change.turned
            let (before, after) = (turned.before.displayable, turned.after.displayable)
            lines.append("  \(style.bold(change.example.displayable))")
            lines.append(
                turned.place == 0
                    ? "      \(before) before, \(after) now"
                    : "      \(before) ahead of \(after) before, behind it now")
        }
        lines.append(
            "  (Apple documents that the first in the file is asked first; on iOS 15 the last was once reported to win)"
        )
        return lines
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
                    changes.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("summary", .string($0.summary)),
                            ("pointer", .string($0.pointer)),
                        ])
                    })
            ),
            (
                "behaviour",
                .array(
                    openings.map { change in
                        .object([
                            ("app", .string(change.appID)), ("from", .string(change.from.rawValue)),
                            ("to", .string(change.to.rawValue)), ("example", .string(change.example)),
                            (
                                "contested",
                                .array((remarks[change.example]?.contested ?? []).map { .string($0.rawValue) })
                            ),
                        ])
                    })
            ),
            ("more_rules", .integer(rules.more)),
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
        ])
    }

    private static func mark(_ kind: AssociationChange.Kind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }

    private static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opened by the app"
        case .blocked: "excluded"
        case .notMatched: "not matched"
        }
    }
}

extension [BehaviourChange] {
    /// Those of one URL side by side, the URLs in the order of their first appearance.
    fileprivate var sortedByExample: [BehaviourChange] {
        var places: [String: Int] = [:]
        for change in self where places[change.example] == nil { places[change.example] = places.count }
        return enumerated().sorted {
            (places[$0.element.example] ?? 0, $0.offset) < (places[$1.element.example] ?? 0, $1.offset)
        }.map(\.element)
    }
}
