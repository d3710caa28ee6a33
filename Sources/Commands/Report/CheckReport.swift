// What `check` says of one target: the JSON form of the contract (docs/json.md), text for people, Markdown.

import AASA
import Evidence
import Foundation
import Report

struct CheckReport: Sendable {
    let observation: Observation
    let readings: Readings
    let verdict: Verdict
    /// When it was judged; nil: when the check began.
    var judgedAt: Date?
    /// Where Apple's copy lies, also when it was not asked for.
    let cdnURL: String
    var expectations = Expectations()
    /// What `--why` adds; nil where it was not asked for.
    var why: WhyReport?

    /// What the URLs that are expected to open an app do by the origin's file.
    var expected: ExpectedAnswers { ExpectedAnswers(expectations.urls, of: observation.domain, readings.originFile) }

    /// As of which instant it speaks.
    var now: Date { judgedAt ?? observation.checkedAt }

    var findings: [FindingText] { verdict.findings.map { $0.text(at: now) } }
    var ignored: [IgnoredFindingText] { verdict.ignored.map { $0.text(at: now) } }

    /// The diagnosis in words.
    var diagnosis: DiagnosisText { verdict.text(at: now) }
}

extension DiagnosisText {
    /// As an object has them.
    var members: [(String, OrderedJSON)] {
        [
            ("effect", .string(effect)), ("cause", .optional(cause)), ("action", .optional(action)),
            ("outlook", .optional(outlook)),
        ]
    }
}

extension AssociationChange.Kind {
    /// In front of a line.
    var mark: String {
        switch self {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }
}

// The report for people: verdict and diagnosis first, then what was found, then the evidence. Text from the watched
// site is made harmless before it gets here or on its way out.
extension CheckReport {
    func text(style: TextStyle) -> String {
        // Who asks about a URL reads the answer first, and the report of its domain as the reason.
        var lines = why.map { $0.lines(style: style) + ($0.isApart ? [""] : []) } ?? []
        let name = observation.domain.name
        lines.append("\(style.bold(name))  \(style.verdict(verdict.level))")
        for part in diagnosis.parts { lines += style.diagnosis(part) }
        lines += expected.text(style).map { "  " + $0 }
        for finding in findings { lines += [""] + Self.text(of: finding, style: style) }
        for ignored in ignored { lines += [""] + Self.text(of: ignored, style: style) }
        if !verdict.comparison.changes.isEmpty {
            lines += ["", "  " + style.dim("what the CDN does not have yet")]
            for change in verdict.comparison.changes {
                lines.append("    \(change.kind.mark) \(change.summary.displayable.shortened(to: 200))")
            }
            if let more = verdict.comparison.differences.more(after: .max) { lines.append("    \(more)") }
        }
        if !verdict.comparison.behaviour.isEmpty {
            lines += ["", "  " + style.dim("what phones will do differently then")]
            for note in verdict.comparison.behaviour {
                lines += style.wrapped(note.sentence, indentation: 4, hanging: 2)
            }
        }
        lines += [""] + EvidenceText(report: self, style: style).lines
        return lines.joined(separator: "\n")
    }

    /// One finding: what was seen, and what to do.
    static func text(of finding: FindingText, style: TextStyle) -> [String] {
        var lines = ["  \(style.severity(finding.severity))  \(finding.rule.rawValue)"]
        lines += style.wrapped(finding.message, indentation: 4)
        lines += style.wrapped("do:   " + finding.fix, indentation: 4, hanging: 6)
        let evidence = finding.evidence.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty && $0.key != "url" }
        if !evidence.isEmpty {
            let seen = evidence.map { "\($0.key): \($0.value.displayable.shortened(to: 300))" }
            lines += style.wrapped("seen: " + seen.joined(separator: " · "), indentation: 4, hanging: 6)
        }
        lines.append("    see:  " + finding.reference)
        return lines
    }

    private static func text(of ignored: IgnoredFindingText, style: TextStyle) -> [String] {
        ["  \(style.dim("ignored"))  \(ignored.text.rule.rawValue) (\(ignored.text.severity.rawValue))"]
            + style.wrapped(ignored.text.message, indentation: 4)
            + style.wrapped("why:  " + ignored.why, indentation: 4, hanging: 6)
    }

}

// A report as Markdown, for job summaries, pull requests and tickets.
extension CheckReport {
    var markdown: String {
        let name = observation.domain.name
        let text = diagnosis
        var lines = why.map { $0.markdown + [""] } ?? []
        lines += ["## \(Self.mark(verdict.level)) \(Markdown.text(name)): \(verdict.level.rawValue)", ""]
        lines.append("**\(Markdown.text(text.effect))**")
        for (label, part) in [("Why", text.cause), ("Do", text.action), ("Until when", text.outlook)] {
            if let part { lines += ["", "\(label): \(Markdown.text(part))"] }
        }
        for line in expected.text(TextStyle(isColoured: false)) { lines += ["", Markdown.text(line)] }
        if !findings.isEmpty {
            lines += ["", "| severity | finding | what to do |", "|---|---|---|"]
            lines += findings.map { finding in
                let rule = "[\(finding.rule.rawValue)](\(Markdown.link(finding.reference)))"
                return "| \(finding.severity.rawValue) | \(rule): \(Markdown.text(finding.message)) "
                    + "| \(Markdown.text(finding.fix)) |"
            }
        }
        if !ignored.isEmpty {
            lines += ["", "| ignored | finding | why |", "|---|---|---|"]
            lines += ignored.map { ignored in
                let rule = "[\(ignored.text.rule.rawValue)](\(Markdown.link(ignored.text.reference)))"
                return "| \(ignored.text.severity.rawValue) | \(rule): \(Markdown.text(ignored.text.message)) "
                    + "| \(Markdown.text(ignored.why)) |"
            }
        }
        let comparison = verdict.comparison
        if !comparison.changes.isEmpty || !comparison.behaviour.isEmpty {
            lines += ["", "What Apple's CDN does not have yet:", ""]
            lines += comparison.changes.map { "- \($0.kind.rawValue): \(Markdown.text($0.summary))" }
            if let more = comparison.differences.more(after: .max) { lines.append("- \(more)") }
            lines += comparison.behaviour.map { "- \(Markdown.text($0.sentence))" }
        }
        return lines.joined(separator: "\n")
    }

    private static func mark(_ level: Verdict.Level) -> String {
        switch level {
        case .ok: "✅"
        case .warning: "⚠️"
        case .failing: "❌"
        case .unknown: "❔"
        }
    }
}

/// Text of others within Markdown, on one line and without effect.
enum Markdown {
    /// Each character that could begin markup is escaped; `&` and `<` so that no HTML comes through.
    static func text(_ text: String) -> String {
        let result = text.displayable.escaped { scalar in
            switch scalar {
            case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "+", "!", "|", "~", ">": "\\\(scalar)"
            case "&": "&amp;"
            case "<": "&lt;"
            // No mention.
            case "@": "@\u{2060}"
            case _ where scalar.properties.isWhitespace && Character(scalar).isNewline: " "
            default: nil
            }
        }
        // No link by itself.
        return result.replacing("://", with: ":\u{2060}//").replacing("www.", with: "www\u{2060}.")
    }

    /// The target of a link; ours alone.
    static func link(_ url: String) -> String {
        url.replacing("(", with: "%28").replacing(")", with: "%29").replacing(" ", with: "%20")
    }
}
