// The report for people: verdict and diagnosis first, then what was found, then the evidence. Text from the watched
// site is made harmless before it gets here or on its way out.

import Evidence
import Foundation

extension CheckReport {
    func text(style: TextStyle) -> String {
        var lines: [String] = []
        let name = observation.domain.name
        lines.append("\(style.bold(name))  \(style.verdict(verdict.level))")
        for part in verdict.text.parts { lines += style.diagnosis(part) }
        for finding in verdict.findings.map(\.text) { lines += [""] + Self.text(of: finding, style: style) }
        for ignored in verdict.ignored.map(\.text) { lines += [""] + Self.text(of: ignored, style: style) }
        if !verdict.comparison.changes.isEmpty {
            lines += ["", "  " + style.dim("what the CDN does not have yet")]
            for change in verdict.comparison.changes {
                lines.append("    \(Self.mark(change.kind)) \(change.summary.displayable.shortened(to: 200))")
            }
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

    static func mark(_ kind: Change.Kind) -> String {
        switch kind {
        case .added: "+"
        case .removed: "-"
        case .changed: "~"
        case .moved: "↕"
        }
    }
}
