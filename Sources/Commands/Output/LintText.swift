// What `lint` says to people: each finding in the compiler's form, with its line of the file below.

import AASA
import Evidence

struct LintText {
    let style: TextStyle

    func describe(_ results: [LintResult]) -> String {
        results.map(describe).joined(separator: "\n\n")
    }

    private func describe(_ result: LintResult) -> String {
        var lines: [String] = []
        let sourceLines = result.text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for finding in result.report.findings {
            let place = "\(result.text.name.displayable):\(finding.start.line):\(finding.start.column)"
            lines.append(
                "\(style.bold(place)): \(style.severity(Severity(finding.severity))): \(finding.message.displayable) "
                    + "[\(finding.rule)]")
            if sourceLines.indices.contains(finding.start.line - 1) {
                // A line can be the whole file; only what is near the finding is shown.
                lines += excerpt(String(decoding: sourceLines[finding.start.line - 1], as: UTF8.self), finding)
            }
            lines += style.wrapped("fix: " + finding.fix.displayable, indentation: 4, hanging: 5)
        }
        lines.append("\(result.text.name.displayable): \(summary(result.report))")
        return lines.joined(separator: "\n")
    }

    /// The line with a mark under what is meant; of a long line the part around it.
    private func excerpt(_ line: String, _ finding: LintFinding) -> [String] {
        let text = line.last == "\r" ? line.dropLast() : line[...]
        let scalars = Array(text.unicodeScalars.drop { $0 == "\u{FEFF}" })
        let start = max(0, finding.start.column - 1)
        let end = finding.end.line == finding.start.line ? finding.end.column - 1 : scalars.count
        guard start < scalars.count else { return [] }
        let first = max(0, start - 40)
        let last = min(scalars.count, first + 90)
        // Of binary data nothing could be recognised.
        guard scalars[first..<last].count(where: { $0 == "\u{FFFD}" }) * 8 < last - first else { return [] }
        // A tab would move the mark; each other invisible sign shows as one.
        let shown = String(String.UnicodeScalarView(scalars[first..<last].map { $0 == "\t" ? " " : $0 })).displayable
        let width = max(1, min(end, last) - start)
        let mark = String(repeating: " ", count: start - first) + "^" + String(repeating: "~", count: width - 1)
        return ["    " + shown, "    " + style.bold(mark)]
    }

    private func summary(_ report: LintReport) -> String {
        let counts = [LintSeverity.error, .warning, .note].compactMap { severity -> String? in
            let count = report.findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        if counts.isEmpty { return "valid, nothing to say" }
        return (report.isValid ? "valid, " : "not valid, ") + counts.joined(separator: ", ")
    }
}
