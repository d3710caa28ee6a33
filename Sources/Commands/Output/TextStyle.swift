// How text looks on a terminal: colour only there and only where NO_COLOR (https://no-color.org) does not forbid it.

import Evidence
import Foundation

struct TextStyle: Sendable {
    let isColoured: Bool
    let width: Int
    /// Whether the parts of the diagnosis are broken into lines too. In a file, a log or a pipe they are not: there
    /// `head -5` tells what is the matter and what to do, and `grep` shows a whole part.
    let breaksDiagnosis: Bool

    init(isColoured: Bool, width: Int = 100, breaksDiagnosis: Bool = true) {
        self.isColoured = isColoured
        self.width = width
        self.breaksDiagnosis = breaksDiagnosis
    }

    /// The style for standard output as it is now.
    static var standardOutput: TextStyle {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let environment = ProcessInfo.processInfo.environment
        let isPlain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        return TextStyle(
            isColoured: isTerminal && !isPlain,
            width: min(max(TerminalSize.standardOutput?.columns ?? 100, 60), 120), breaksDiagnosis: isTerminal)
    }

    /// A part of the diagnosis under its domain's name.
    func diagnosis(_ part: String) -> [String] {
        breaksDiagnosis ? wrapped(part, indentation: 2) : ["  " + part]
    }

    func bold(_ text: String) -> String { painted(text, "1") }
    func dim(_ text: String) -> String { painted(text, "2") }

    func verdict(_ level: Verdict.Level) -> String {
        switch level {
        case .ok: painted("OK", "1;32")
        case .warning: painted("WARNING", "1;33")
        case .failing: painted("FAILING", "1;31")
        }
    }

    func severity(_ severity: Severity) -> String {
        switch severity {
        case .error: painted("error", "31")
        case .warning: painted("warning", "33")
        case .note: painted("note", "36")
        }
    }

    private func painted(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// Breaks text at blanks so that lines fit the width; a longer word keeps its line.
    func wrapped(_ text: String, indentation: Int, hanging: Int = 0) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indentation)
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indentation + hanging)
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
