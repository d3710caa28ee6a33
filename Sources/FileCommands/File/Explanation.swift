// What `lint --explain` prints for the name of a rule or a kind of alert. Lint rules carry their own text; all others
// are explained with the tables of the documents.

import AASA
import Evidence
import Foundation

enum Explanation {
    /// All names that it can explain.
    static let names: [String] = Linter.rules.map(\.id) + FindingKind.allCases.map(\.rawValue) + kinds

    private static let kinds = IncidentKind.allCases.map(\.rawValue)

    /// `name`: in any form that the configuration accepts.
    /// - Throws: `CommandFailure` for an unknown name.
    static func text(of name: String) throws -> String {
        if let rule = Self.rule(name) { return text(of: rule) }
        let plain = plain(name)
        // A kind of incident may have the same name as its first finding.
        let parts = [FindingKind(rawValue: plain).map(text), kinds.contains(plain) ? text(ofKind: plain) : nil]
        let found = parts.compactMap(\.self)
        guard !found.isEmpty else {
            let hint = Spelling.suggestion(for: plain, among: names + Linter.rules.map { "aasa.\($0.id)" })
            throw CommandFailure(
                .usage, "no rule and no kind of alert is named '\(name.displayable.shortened(to: 60))'\(hint)")
        }
        return found.joined(separator: "\n\n")
    }

    private static func plain(_ name: String) -> String {
        name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
    }

    private static func rule(_ name: String) -> LintRuleDescription? {
        let plain = plain(name)
        return Linter.rules.first { plain == $0.id || plain == "aasa.\($0.id)" }
    }

    /// The id of a rule of the linter.
    /// - Throws: `CommandFailure` for another name.
    static func lintRule(_ name: String) throws -> String {
        if let rule = rule(name) { return rule.id }
        let hint = Spelling.suggestion(for: plain(name), among: Linter.rules.map(\.id))
        throw CommandFailure(.usage, "no rule of lint is named '\(name.displayable.shortened(to: 60))'\(hint)")
    }

    private static func text(of rule: LintRuleDescription) -> String {
        func indented(_ text: String) -> String {
            text.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
        }
        return """
            \(rule.id) (\(rule.severity.rawValue)): \(rule.title)

            \(rule.why)

            flagged:
            \(indented(rule.example))

            accepted:
            \(indented(rule.fixedExample))

            fix: \(rule.fix)
            see: \(rule.reference)
            """
    }

    private static func text(of finding: FindingKind) -> String {
        let row = DocumentedNames.rules[finding.rawValue]?.first ?? [:]
        var lines = ["\(finding.rawValue) (\(row["severity"] ?? finding.severity.rawValue)): a finding"]
        if let words = row["when"] { lines += ["", words] }
        lines.append("")
        if let kind = finding.feeds { lines.append("alert: \(kind.rawValue)") }
        return (lines + ["see: \(finding.reference)"]).joined(separator: "\n")
    }

    private static func text(ofKind kind: String) -> String {
        let paragraphs = (DocumentedNames.kinds[kind] ?? []).map { row in
            let facts = ["confirmed", "findings", "who is notified"].compactMap { key in
                row[key].map { "\(key): \($0)" }
            }
            return ([row["what is wrong"] ?? ""] + facts).joined(separator: "\n")
        }
        return (["\(kind): a kind of alert"] + paragraphs).joined(separator: "\n\n")
    }
}

/// The tables of the documents whose rows begin with names.
private enum DocumentedNames {
    static let rules = rows(of: PackageResources.rules_md, "rule")
    static let kinds = rows(of: PackageResources.alerts_md, "kind")

    /// The rows of each name; a row maps headings to cells. `first`: the heading of the column with the names. A row
    /// without a name belongs to the names above it.
    private static func rows(of document: [UInt8], _ first: String) -> [String: [[String: String]]] {
        var result: [String: [[String: String]]] = [:]
        var headings: [String] = []
        var names: [String] = []
        for line in String(decoding: document, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("| ") else {
                if !line.hasPrefix("|---") { headings = [] }
                continue
            }
            let isContinued = line.hasPrefix("| | ")
            let cells = line.dropFirst(isContinued ? 4 : 2).dropLast(2)
                .split(separator: " | ", omittingEmptySubsequences: false)
            guard !headings.isEmpty else {
                headings = cells.map(String.init)
                continue
            }
            guard headings.first == first else { continue }
            if !isContinued { names = (cells.first ?? "").matches(of: #/`([^`]+)`/#).map { String($0.1) } }
            let columns = isContinued ? headings.dropFirst() : headings[...]
            let row = Dictionary(zip(columns, cells.map(plain))) { first, _ in first }
            for name in names { result[name, default: []].append(row) }
        }
        return result
    }

    /// Without Markdown.
    private static func plain(_ cell: Substring) -> String {
        String(cell).replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }.replacing("`", with: "").replacing("**", with: "")
    }
}
