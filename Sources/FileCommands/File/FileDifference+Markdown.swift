// The output of `diff` for a pull request: the verdict on the first line, the rest folded.

import AASA
import Evidence
import Foundation

extension FileDifference {
    /// GitHub refuses comments over 65,536 characters. The difference leaves room for the text that a CI recipe adds.
    private static let limit = 60_000
    /// How many URLs the first line names.
    private static let named = 3

    var markdown: String {
        var lines = [verdict]
        var size = verdict.utf16.count
        fold("URLs that change, one example of each kind", urls, &lines, &size)
        fold("Notes on these URLs", notes, &lines, &size)
        fold("Changes in the file", changed, &lines, &size)
        return lines.joined(separator: "\n")
    }

    /// `content`: the lines of a list or a table.
    private func fold(_ title: String, _ content: [String], _ lines: inout [String], _ size: inout Int) {
        guard !content.isEmpty else { return }
        lines += ["", "<details><summary>\(title)</summary>", ""]
        for (index, line) in content.enumerated() {
            size += line.utf16.count + 1
            guard size < Self.limit else {
                lines += ["", "… and \((content.count - index).of("more line")); `aasa-monitor diff` shows all"]
                break
            }
            lines.append(line)
        }
        lines += ["", "</details>"]
    }

    private var verdict: String {
        if areSameBytes { return "✅ **No change**: the two files are the same, byte for byte." }
        if isEmpty { return "✅ **No change**: the two files differ in formatting only." }
        let nothing = isNothing.last == true ? "❌ **Devices ignore the new file.** " : ""
        let was = isNothing.first == true ? "Devices ignored the old file. " : ""
        let isProven = behaviour.isComplete
        guard !openings.isEmpty || !services.isEmpty else {
            return nothing + was
                + (isProven
                    ? "\(nothing.isEmpty ? "✅ " : "")**No link changes**: no app gains or loses a URL (proven for all URLs)."
                    : "⚠️ **No link change found**, but the rules are too many or too complex to prove that there is none.")
        }
        var parts: [String] = []
        let opened = openings.filter { $0.to == .opens }
        let closed = openings.filter { $0.from == .opens }
        if !opened.isEmpty { parts.append("opens \(examples(opened)) in an app") }
        if !closed.isEmpty { parts.append("closes \(examples(closed))") }
        if !services.isEmpty { parts.append("changes \(services.count.of("app")) of other services") }
        let rest =
            isProven
            ? "No other app gains or loses a URL (proven for all URLs)."
            : "The rules are too many or too complex to prove that nothing else changes."
        return "\(nothing.isEmpty ? "⚠️ " : nothing)\(was)**This change \(parts.joined(separator: " and "))**. \(rest)"
    }

    private func examples(_ changes: [BehaviourChange]) -> String {
        let urls = changes.map(\.example).uniqued
        let more = urls.count - Self.named
        let atLeast = moreOpenings > 0 || !moreRules.isEmpty ? "at least " : ""
        return urls.prefix(Self.named).map(Self.code).joined(separator: ", ")
            + (more > 0 ? " and \(atLeast)\(more.grouped) more" : "")
    }

    private var urls: [String] {
        var rows = openings.map { change in
            "| \(Self.code(change.example)) | \(Self.code(change.appID)) | \(Self.words(change.from)) "
                + "| \(Self.words(change.to)) |"
        }
        if moreOpenings > 0 { rows.append("| and \(moreOpenings.grouped) more | | | |") }
        if !rows.isEmpty { rows = ["| URL | app | before | now |", "|---|---|---|---|"] + rows }
        if rows.isEmpty, services.isEmpty { return [] }
        let list = moreRules.map { "- " + $0.trimmingPrefix("  ") } + services.map { "- \(Markdown.text($0.words))" }
        return rows + (rows.isEmpty || list.isEmpty ? [] : [""]) + list
    }

    private var notes: [String] {
        openings.map(\.example).uniqued.flatMap { example -> [String] in
            guard let remarks = remarks[example] else { return [] }
            let literals = remarks.literals.map {
                "\($0.shortened(to: 80)) is not a wildcard: devices compare it literally"
            }
            return (literals + remarks.contested.map { "not documented by Apple: \($0.explanation)" })
                .map { "- \(Self.code(example)): \(Markdown.text($0))" }
        }
    }

    private var changed: [String] {
        let unlisted = changes.total - changes.changes.count
        return changes.changes.map { "- \($0.kind.rawValue): \(Markdown.text($0.summary.shortened(to: 400)))" }
            + (unlisted > 0 ? ["- and \(unlisted.grouped) more"] : [])
    }

    /// A code span cannot hold every text; this element can.
    private static func code(_ text: String) -> String { "<code>\(Markdown.text(text.shortened(to: 120)))</code>" }
}
