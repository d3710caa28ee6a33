// How text looks on a terminal: colour only there and only where NO_COLOR (https://no-color.org) does not forbid it, or as
// `--color` says.

import ArgumentParser
import Evidence
import Foundation
import Synchronization

/// `--color`, on every command that colours its text.
struct ColorOption: ParsableArguments {
    enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

    /// That of the command line, which is one in a process.
    static let chosen = Mutex(Choice.auto)

    @Option(help: "Colour: auto (on a terminal, without NO_COLOR), always or never.") var color = Choice.auto

    func validate() throws { Self.chosen.withLock { $0 = color } }
}

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

    /// For text within another format.
    static let plain = TextStyle(isColoured: false)

    /// The style for standard output as it is now.
    static var standardOutput: TextStyle {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let environment = ProcessInfo.processInfo.environment
        let isPlain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        let isColoured =
            switch ColorOption.chosen.withLock(\.self) {
            case .auto: isTerminal && !isPlain
            case .always: true
            case .never: false
            }
        return TextStyle(
            isColoured: isColoured,
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
        case .unknown: painted("UNKNOWN", "1;35")
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

/// The terminal at standard output.
struct TerminalSize: Equatable, Sendable {
    let columns: Int
    let rows: Int

    /// nil where standard output is no terminal, or one that cannot move its cursor.
    static var standardOutput: TerminalSize? {
        guard isatty(STDOUT_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

/// Rows whose columns stand under each other. The last column takes what is left of the width, and breaks at blanks.
struct TextTable {
    var rows: [[String]]

    /// Less than this is no column to read text in; it then goes to a line of its own.
    private static let narrowest = 24

    /// The longest name does not decide for all: a cell that is longer than this share of the width has a line to itself.
    private static func widest(_ style: TextStyle) -> Int { style.width / 5 * 2 }

    func lines(indentation: Int, style: TextStyle) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        guard columns > 0 else { return [] }
        // A column that is empty throughout takes no room.
        let widths = (0..<columns - 1).map { column in
            String.column(rows.map { $0.indices.contains(column) ? $0[column] : "" }, upTo: Self.widest(style))
        }
        let start = indentation + widths.reduce(0) { $0 + ($1 == 0 ? 0 : $1 + 2) }
        return rows.flatMap { row -> [String] in
            var lines: [String] = []
            var line = String(repeating: " ", count: indentation)
            for (cell, width) in zip(row.dropLast(), widths) where width > 0 {
                if cell.count > width {
                    lines.append(line + cell)
                    line = String(repeating: " ", count: line.count + width + 2)
                } else {
                    line += cell.padded(to: width + 2)
                }
            }
            let last = row.last ?? ""
            if last.isEmpty || start + Self.narrowest > style.width {
                while line.last == " " { line.removeLast() }
                return lines + (line.isEmpty ? [] : [line])
                    + (last.isEmpty ? [] : style.wrapped(last, indentation: indentation + 2))
            }
            var broken = style.wrapped(last, indentation: start)
            broken[0] = line + broken[0].dropFirst(start)
            return lines + broken
        }
    }
}

extension String {
    /// With blanks up to a width. A longer text stays whole.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The width of a column: that of the longest text which is not longer than `limit`.
    static func column(_ texts: [String], upTo limit: Int) -> Int {
        let counts = texts.map(\.count)
        return counts.filter { $0 <= limit }.max() ?? Swift.min(counts.max() ?? 0, limit)
    }
}

extension String {
    /// The text with some scalars replaced. By scalars, as readers of markup see them: a combining mark behind a sign makes
    /// another `Character` of the two.
    func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = replacement(scalar) {
                result.append(contentsOf: text.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
