// What `diff` says, for people.

import AASA
import Evidence

extension FileDifference {
    func text(style: TextStyle) -> String {
        if areSameBytes { return "the two files are the same, byte for byte" }
        if isEmpty { return "the two files differ in formatting only; they mean the same" }
        var lines = ["\(style.bold("from")) \(names[0].displayable)  \(style.bold("to")) \(names[1].displayable)", ""]
        for (name, isNothing) in zip(names, isNothing) where isNothing {
            lines.append("  devices take nothing from \(name.displayable)")
        }
        lines += changes.changes.map { "  \(Self.mark($0.kind)) \($0.summary.displayable.shortened(to: 400))" }
        let unlisted = changes.total - changes.changes.count
        if unlisted > 0 { lines.append("  and \(unlisted.of("more change", "more changes"))") }
        lines.append("")
        if openings.isEmpty {
            lines.append(nothingChanges)
            if behaviour.isComplete, otherReadings.concernsOlderSystems, otherReadings.isCompleteForOlderSystems,
                otherReadings.olderSystems.isEmpty
            {
                lines.append("and none on iOS 12 and older, which read 'appID' and 'paths' alone (proven for all URLs)")
            }
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
            lines += successorLines(Array(changes)) + remarkLines(change.example, style)
        }
        if !openings.isEmpty, hasOtherApps, behaviour.isComplete {
            lines.append("  no other app matches more or fewer URLs \(systems) (proven for all URLs)")
        }
        if moreOpenings > 0 { lines.append("  and \(moreOpenings.grouped) more apps and URLs") }
        lines += moreRules
        lines += services.prefix(50).map { "  \($0.words)" }
        if services.count > 50 { lines.append("  and \((services.count - 50).grouped) more apps of services") }
        lines += orderLines(style) + otherReadingLines(style)
        if !behaviour.isComplete {
            lines.append(
                "not decided to the end for \(Self.list(behaviour.incompleteApps)): the rules are too many or too complex to "
                    + "prove it; the examples shown are real")
        }
        return lines.joined(separator: "\n")
    }

    /// Which other app opened the URL, or opens it now; and whether that is so for all URLs of the rule.
    private func successorLines(_ changes: [BehaviourChange]) -> [String] {
        guard let example = changes.first?.example, let remarks = remarks[example] else { return [] }
        var lines: [String] = []
        let losing = changes.first { $0.to != .opens && $0.appID == remarks.before }
        let found = losing.flatMap { successors[$0] }
        let next = found?.shares.compactMap(\.app) ?? []
        if let before = remarks.before, let after = remarks.after, before != after {
            let isAll = next == [after] && found?.shares.count == 1
            let all = found.map {
                $0.isAppGone ? "all URLs of \($0.rule)" : "all URLs of \($0.rule) that \(before) loses"
            }
            if changes.contains(where: { $0.to == .opens && $0.appID == after }) {
                if losing == nil { lines.append("\(before): opened it before, and is asked behind \(after) now") }
            } else {
                lines.append(
                    "\(after): opens it now, in place of \(before)"
                        + (isAll ? all.map { ", and \($0) (proven)" } ?? "" : ""))
            }
        }
        for share in found?.shares ?? [] where !next.isEmpty && share.app != remarks.after {
            let rule = found?.rule ?? ""
            lines.append(
                share.app.map { "\($0): opens some URLs of \(rule) now, for example \(share.example)" }
                    ?? "some URLs of \(rule) open the website now, for example \(share.example)")
        }
        return lines.map { "      \($0.displayable.shortened(to: 400))" }
    }

    private func remarkLines(_ example: String, _ style: TextStyle) -> [String] {
        guard let remarks = remarks[example] else { return [] }
        let literals = remarks.literals.map {
            "\($0.displayable.shortened(to: 80)) is no wildcard: devices compare it as it stands"
        }
        let contested = remarks.contested.map { "not documented by Apple: " + $0.explanation }
        return (literals + contested).flatMap { style.wrapped($0, indentation: 6, hanging: 6) }
    }

    /// Of a list of names in a line.
    private static let maximumNames = 20

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(maximumNames).map { $0.displayable.shortened(to: 200) }.joined(separator: ", ")
        return names.count > maximumNames ? "\(shown) and \((names.count - maximumNames).grouped) more" : shown
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
        case (true, true): "no URL changes what it opens \(systems) (proven for all URLs)"
        case (true, false): "no app gains or loses a URL \(systems) (proven for all URLs)"
        case (false, _): "no URL was found that an app gains or loses"
        }
    }

    /// What a proof covers.
    private var systems: String {
        otherReadings.contested.isEmpty ? "on iOS 13 and later" : "on iOS 13 and later, as read here"
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

    /// Where a proof ends: readings that Apple does not document, and systems that read less of the files.
    private func otherReadingLines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        var example: String?
        func add(_ change: BehaviourChange) {
            if change.example != example { lines.append("  \(style.bold(change.example.displayable))") }
            example = change.example
            lines.append(
                "      \(change.appID.displayable): \(Self.words(change.from)) before, \(Self.words(change.to)) now")
        }
        for point in ContestedPoint.allCases {
            let changes = otherReadings.contested.filter { $0.point == point }
            guard !changes.isEmpty else { continue }
            lines.append("what changes where a device reads the files in another way")
            example = nil
            for change in changes.map(\.change).sortedByExample { add(change) }
            lines += style.wrapped("not documented by Apple: " + point.explanation, indentation: 6, hanging: 6)
        }
        if !otherReadings.olderSystems.isEmpty {
            lines.append(
                "what changes on iOS 12 and older, which read 'appID' and 'paths' alone and want an 'apps' list")
            example = nil
            for change in otherReadings.olderSystems.sortedByExample { add(change) }
        }
        return lines
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
