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
        for finding in result.report.findings {
            let place = "\(result.text.name.displayable):\(finding.start.line):\(finding.start.column)"
            lines.append(
                "\(style.bold(place)): \(style.severity(Severity(finding.severity))): \(finding.message.displayable) "
                    + "[\(finding.rule)]")
            lines += excerpt(result.text.bytes, finding)
            lines += style.wrapped("fix: " + finding.fix.displayable, indentation: 4, hanging: 5)
        }
        lines.append("\(result.text.name.displayable): \(summary(result.report))")
        return lines.joined(separator: "\n")
    }

    /// The line with a mark under what is meant; of a long line the part around it, since a line can be the whole file.
    private func excerpt(_ bytes: [UInt8], _ finding: LintFinding) -> [String] {
        let place = min(finding.range.lowerBound, bytes.count)
        // A character has at most four bytes.
        let near = bytes[..<place].suffix(4 * Self.before).reversed().prefix { !Self.endsLine($0) }.count
        let head = Array(String(decoding: bytes[(place - near)..<place], as: UTF8.self).unicodeScalars)
            .suffix(min(Self.before, finding.start.column - 1))
        let tail = Array(
            String(decoding: bytes[place...].prefix(4 * Self.width).prefix { !Self.endsLine($0) }, as: UTF8.self)
                .unicodeScalars.drop { $0 == "\u{FEFF}" }.prefix(Self.width - head.count))
        guard !tail.isEmpty else { return [] }
        let scalars = head + tail
        // Of binary data nothing could be recognised.
        guard scalars.count(where: { $0 == "\u{FFFD}" }) * 8 < scalars.count else { return [] }
        // A tab would move the mark; each other invisible sign shows as one.
        let shown = String(String.UnicodeScalarView(scalars.map { $0 == "\t" ? " " : $0 })).displayable
        let length = finding.end.line == finding.start.line ? finding.end.column - finding.start.column : tail.count
        let mark =
            String(repeating: " ", count: head.count) + "^"
            + String(repeating: "~", count: max(1, min(length, tail.count)) - 1)
        return ["    " + shown, "    " + style.bold(mark)]
    }

    /// Characters shown at most in front of the place, and in all.
    private static let before = 40
    private static let width = 90

    private static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    private func summary(_ report: LintReport) -> String {
        let counts = [LintSeverity.error, .warning, .note].compactMap { severity -> String? in
            let count = report.findings.count { $0.severity == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        if counts.isEmpty { return "valid, no findings" }
        return (report.isValid ? "valid, " : "not valid, ") + counts.joined(separator: ", ")
    }
}
