// What `match` says to people.

import AASA
import Evidence

struct MatchText {
    let style: TextStyle
    /// nil: devices take nothing from the source.
    let file: AssociationFile?
    let source: String

    func describe(_ answer: MatchAnswer, explains: Bool) -> String {
        var lines = [headline(answer)]
        if explains { lines += explanation(answer) }
        // `--explain` tells the same as a contested point.
        if !explains, let also = answer.result?.alsoOpenedBy.first {
            lines.append(
                "    note: \(also.displayable) claims this URL too; Apple documents that the first in the file wins, iOS 15 "
                    + "was reported to take the last")
        }
        for literal in (answer.result?.literalNotations ?? []).prefix(3) {
            lines.append(
                "    note: \(place(of: literal.rule)) does not match: devices compare "
                    + "\(literal.written.displayable.shortened(to: 80)) as it stands")
        }
        if !answer.isAsExpected, let expected = answer.question.expected {
            lines.append("    " + style.severity(.error) + ": expected to open \(expected)")
        }
        return lines.joined(separator: "\n")
    }

    private func headline(_ answer: MatchAnswer) -> String {
        let url = answer.question.url.text.displayable
        let opens = answer.opens.map { "opens \($0.displayable)" } ?? "opens nothing"
        switch answer.obstacle {
        case .noFile: return "\(style.bold(url))  \(opens): devices take nothing from this file"
        case .otherHost(let domain): return "\(style.bold(url))  \(opens): the file is that of \(domain)"
        case nil: break
        }
        guard file?.applinks != nil else { return "\(style.bold(url))  \(opens): the file has no applinks object" }
        guard let deciding = answer.result?.deciding else {
            let matching = answer.result?.attempts.first { $0.mismatch == nil && !$0.entry.appIDs.isEmpty }
            guard let matching else { return "\(style.bold(url))  \(opens): no rule matches" }
            let app = matching.entry.appIDs[0].displayable
            return "\(style.bold(url))  \(opens): the app ID \"\(app)\" was never filled in"
        }
        let word = deciding.rule.isExclusion ? "excluded by" : "by"
        return "\(style.bold(url))  \(opens), \(word) \(source.displayable):\(place(of: deciding.rule))"
    }

    private func explanation(_ answer: MatchAnswer) -> [String] {
        guard file?.applinks != nil else { return [] }
        var lines: [String] = []
        var pointer: String?
        for attempt in answer.result?.attempts ?? [] {
            if attempt.entry.pointer != pointer {
                pointer = attempt.entry.pointer
                let apps = attempt.entry.appIDs.map(\.displayable).joined(separator: ", ")
                lines.append(
                    "    " + style.dim("\(attempt.entry.pointer.displayable), for \(apps.isEmpty ? "no app" : apps)"))
            }
            lines.append("      \(place(of: attempt.rule)): \(reason(attempt, answer.question.url))")
        }
        if lines.isEmpty { lines.append("    no rule to try") }
        for point in answer.result?.contested ?? [] {
            lines += style.wrapped("contested: " + point.explanation, indentation: 4, hanging: 11)
        }
        return lines
    }

    /// A rule and where it stands: many files are one line, so the column counts.
    private func place(of rule: URLRule) -> String {
        let position = file?.position(of: rule.node) ?? SourcePosition(line: 1, column: 1)
        return "\(position.line):\(position.column) \(rule.written.displayable.shortened(to: 120))"
    }

    private func reason(_ attempt: RuleAttempt, _ url: MatchableURL) -> String {
        switch attempt.mismatch {
        case nil: style.bold(attempt.rule.isExclusion ? "matches, and excludes" : "matches")
        // Not the URL's own path: it is compared in a normal form that nobody typed.
        case .path: "the path does not match" + fault(attempt.rule.path)
        case .query: url.query.isEmpty ? "the URL has no query" : "the query does not match"
        case .queryItem(let name):
            url.query.isEmpty ? "the URL has no query" : "no query item '\(name.displayable)' that matches"
        case .fragment:
            (url.fragment.isEmpty ? "the URL has no fragment" : "the fragment does not match")
                + fault(attempt.rule.fragment)
        }
    }

    private func fault(_ pattern: Pattern?) -> String {
        switch pattern?.fault {
        case nil: ""
        case .unclosedVariable: ": '$(' is never closed, so the pattern matches nothing"
        case .undefinedVariable(let name):
            ": the variable '\(name.displayable)' is not defined, so the pattern matches nothing"
        case .tooComplex: ": it has more than \(Pattern.maximumWildcards) wildcards, so it matches nothing"
        }
    }
}
