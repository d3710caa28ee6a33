// A report as Markdown, for job summaries, pull requests and tickets.

import Evidence
import Foundation

extension CheckReport {
    var markdown: String {
        let name = observation.domain.name
        let text = verdict.text
        var lines = ["## \(Self.mark(verdict.level)) \(Markdown.text(name)): \(verdict.level.rawValue)", ""]
        lines.append("**\(Markdown.text(text.effect))**")
        for (label, part) in [("Why", text.cause), ("Do", text.action), ("Until when", text.outlook)] {
            if let part { lines += ["", "\(label): \(Markdown.text(part))"] }
        }
        let findings = verdict.findings.map(\.text)
        if !findings.isEmpty {
            lines += ["", "| severity | finding | what to do |", "|---|---|---|"]
            lines += findings.map { finding in
                let rule = "[\(finding.rule.rawValue)](\(Markdown.link(finding.reference)))"
                return "| \(finding.severity.rawValue) | \(rule): \(Markdown.text(finding.message)) "
                    + "| \(Markdown.text(finding.fix)) |"
            }
        }
        let ignored = verdict.ignored.map(\.text)
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
            lines += comparison.behaviour.map { "- \(Markdown.text($0.sentence))" }
        }
        return lines.joined(separator: "\n")
    }

    private static func mark(_ level: Verdict.Level) -> String {
        switch level {
        case .ok: "✅"
        case .warning: "⚠️"
        case .failing: "❌"
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
