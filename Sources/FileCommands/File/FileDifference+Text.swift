// The text of `diff`.

import AASA
import Evidence

extension FileDifference {
    func text(style: TextStyle) -> String {
        if areSameBytes { return "the two files are the same, byte for byte" }
        if isEmpty { return "the two files differ in formatting only; they mean the same" }
        var lines = ["\(style.bold("from")) \(names[0].displayable)  \(style.bold("to")) \(names[1].displayable)", ""]
        for (name, isNothing) in zip(names, isNothing) where isNothing {
            lines.append("  devices ignore \(name.displayable)")
        }
        lines += changes.changes.map { "  \($0.kind.mark) \($0.summary.displayable.shortened(to: 400))" }
        let unlisted = changes.total - changes.changes.count
        if unlisted > 0 { lines.append("  and \(unlisted.of("more change", "more changes"))") }
        lines.append("")
        if openings.isEmpty {
            lines.append(
                behaviour.isComplete
                    ? "no app gains or loses a URL (proven for all URLs)"
                    : "no URL found that an app gains or loses")
        }
        if !openings.isEmpty || !services.isEmpty { lines.append("what changes on a phone") }
        var example: String?
        let sorted = openings.sortedByExample
        for (index, change) in sorted.enumerated() {
            if change.example != example { lines.append("  \(style.bold(change.example.displayable))") }
            example = change.example
            lines.append(
                "      \(change.appID.displayable): \(Self.words(change.from)) before, \(Self.words(change.to)) now")
            guard index + 1 == sorted.count || sorted[index + 1].example != change.example else { continue }
            let changes = sorted[...index].reversed().prefix { $0.example == change.example }.reversed()
            lines += otherAppLines(Array(changes)) + remarkLines(change.example, style)
        }
        if !openings.isEmpty, hasOtherApps, behaviour.isComplete {
            lines.append("  no other app matches more or fewer URLs (proven for all URLs)")
        }
        if moreOpenings > 0 { lines.append("  and \(moreOpenings.grouped) more apps and URLs") }
        lines += moreRules
        lines += services.prefix(50).map { "  \($0.words)" }
        if services.count > 50 { lines.append("  and \((services.count - 50).grouped) more apps of services") }
        if !behaviour.isComplete {
            lines.append(
                "not fully compared for \(Self.list(behaviour.incompleteApps)): the rules are too many or too complex; "
                    + "the examples shown are real")
        }
        return style.signs(lines.joined(separator: "\n"))
    }

    /// Which other app opened the URL, or opens it now.
    private func otherAppLines(_ changes: [BehaviourChange]) -> [String] {
        guard let remarks = changes.first.flatMap({ remarks[$0.example] }), let before = remarks.before,
            let after = remarks.after, before != after
        else { return [] }
        let line: String
        if !changes.contains(where: { $0.to == .opens && $0.appID == after }) {
            line = "\(after): opens it now, instead of \(before)"
        } else if !changes.contains(where: { $0.to != .opens && $0.appID == before }) {
            line = "\(before): opened it before; now \(after) comes first"
        } else {
            return []
        }
        return ["      \(line.displayable.shortened(to: 400))"]
    }

    private func remarkLines(_ example: String, _ style: TextStyle) -> [String] {
        guard let remarks = remarks[example] else { return [] }
        let literals = remarks.literals.map {
            "\($0.displayable.shortened(to: 80)) is not a wildcard: devices compare it literally"
        }
        let contested = remarks.contested.map { "not documented by Apple: " + $0.explanation }
        return (literals + contested).flatMap { style.wrapped($0, indentation: 6, hanging: 6) }
    }

    /// How many names one line lists.
    private static let maximumNames = 20

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(maximumNames).map { $0.displayable.shortened(to: 200) }.joined(separator: ", ")
        return names.count > maximumNames ? "\(shown) and \((names.count - maximumNames).grouped) more" : shown
    }

    var moreRules: [String] {
        let count = rules.more == 1 ? "1 more rule" : "\(rules.more) more rules"
        return switch (rules.more, rules.isComplete) {
        case (0, true): []
        case (0, false): ["  (too many rules changed to look for an example of each)"]
        case (_, true): ["  and \(count)"]
        case (_, false): ["  and at least \(count)"]
        }
    }

    static func words(_ behaviour: LinkBehaviour) -> String {
        switch behaviour {
        case .opens: "opened by the app"
        case .blocked: "not opened (excluded)"
        case .notMatched: "not opened"
        }
    }
}

extension [BehaviourChange] {
    /// The changes of one URL together, the URLs in the order of their first appearance.
    fileprivate var sortedByExample: [BehaviourChange] {
        var places: [String: Int] = [:]
        for change in self where places[change.example] == nil { places[change.example] = places.count }
        return enumerated().sorted {
            (places[$0.element.example] ?? 0, $0.offset) < (places[$1.element.example] ?? 0, $1.offset)
        }.map(\.element)
    }
}

extension AssociationChange.Kind {
    /// At the start of a line.
    package var mark: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }
}
