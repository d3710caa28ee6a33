// What `diff` says.

import AASA
import Evidence

struct FileDifference {
    let names: [String]
    let areSameBytes: Bool
    let changes: [AssociationChange]
    let behaviour: BehaviourComparison
    let order: OrderComparison

    init(old: AssociationFile, new: AssociationFile, names: [String], areSameBytes: Bool) {
        self.names = names
        self.areSameBytes = areSameBytes
        changes = AssociationDiff.changes(from: old.document, to: new.document)
        behaviour = BehaviourDiff.compare(old.applinks, new.applinks)
        order = OrderDiff.compare(old.applinks, new.applinks)
    }

    /// Two files of the same bytes, which need not be read.
    init(ofEqualBytes names: [String]) {
        self.names = names
        areSameBytes = true
        changes = []
        behaviour = .ofEqualFiles
        order = .ofEqualFiles
    }

    /// Whether the two mean the same.
    var isEmpty: Bool { changes.isEmpty }

    func text(style: TextStyle) -> String {
        if areSameBytes { return "the two files are the same, byte for byte" }
        if isEmpty { return "the two files differ in formatting only; they mean the same" }
        var lines = ["\(style.bold("from")) \(names[0].displayable)  \(style.bold("to")) \(names[1].displayable)", ""]
        lines += changes.map { "  \(Self.mark($0.kind)) \($0.summary.displayable.shortened(to: 200))" }
        lines.append("")
        if behaviour.changes.isEmpty {
            lines.append(nothingChanges)
        } else {
            lines.append("what changes on a phone")
            var example: String?
            for change in behaviour.changes.sortedByExample {
                if change.example != example { lines.append("  \(style.bold(change.example.displayable))") }
                example = change.example
                lines.append(
                    "      \(change.appID.displayable): \(Self.words(change.from)) before, \(Self.words(change.to)) now"
                )
            }
        }
        lines += orderLines(style)
        if !behaviour.isComplete {
            lines.append(
                "not decided to the end for \(behaviour.incompleteApps.map(\.displayable).joined(separator: ", ")): the rules "
                    + "are too many to prove it; the examples shown are real")
        }
        return lines.joined(separator: "\n")
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
                    behaviour.changes.map {
                        .object([
                            ("app", .string($0.appID)), ("from", .string($0.from.rawValue)),
                            ("to", .string($0.to.rawValue)),
                            ("example", .string($0.example)),
                        ])
                    })
            ),
            ("behaviour_complete", .bool(behaviour.isComplete)),
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
