// How text looks on a terminal. Colour is used only there and only without NO_COLOR (https://no-color.org), or as
// `--color` says.

import ArgumentParser
import Evidence
import Facts
import Foundation

/// `--color`, on every command that colours its text.
package struct ColorOption: ParsableArguments {
    package enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

    /// From the command line; a process has only one.
    static let chosen = Locked(Choice.auto)

    @Option(help: "Colour: auto (on a terminal, without NO_COLOR), always or never.") var color = Choice.auto

    package init() {}

    package func validate() throws { Self.chosen.withLock { $0 = color } }
}

package struct TextStyle: Sendable {
    package let isColoured: Bool
    package private(set) var width: Int
    /// Whether the parts of the diagnosis are broken into lines too. In a file, a log or a pipe they are not: there
    /// `head -5` shows the problem and what to do, and `grep` shows a whole part.
    let breaksDiagnosis: Bool
    /// Whether the locale has characters that ASCII lacks.
    package let isUnicode: Bool

    package init(isColoured: Bool, width: Int = 80, breaksDiagnosis: Bool = true, isUnicode: Bool = true) {
        self.isColoured = isColoured
        self.width = width
        self.breaksDiagnosis = breaksDiagnosis
        self.isUnicode = isUnicode
    }

    /// For text within another format.
    package static let plain = TextStyle(isColoured: false)

    /// The style for standard output as it is now.
    package static var standardOutput: TextStyle {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let environment = ProcessInfo.processInfo.environment
        let isPlain = !(environment["NO_COLOR"] ?? "").isEmpty || environment["TERM"] == "dumb"
        let isColoured =
            switch ColorOption.chosen.withLock(\.self) {
            case .auto: isTerminal && !isPlain
            case .always: true
            case .never: false
            }
        // The first that is set decides: https://pubs.opengroup.org/onlinepubs/9799919799/basedefs/V1_chap08.html
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        return TextStyle(
            isColoured: isColoured, width: min(max(TerminalSize.standardOutput?.columns ?? 80, 20), 120),
            breaksDiagnosis: isTerminal, isUnicode: locale.lowercased().contains(/utf-?8/))
    }

    /// In a pipe, a table row or a part of the diagnosis is one line: `grep DOMAIN` shows the incident on the same
    /// line.
    fileprivate var ofLines: TextStyle {
        var style = self
        if !breaksDiagnosis { style.width = 1 << 20 }
        return style
    }

    /// Broken as by `wrapped`; in a pipe, one line.
    package func broken(_ text: String, indentation: Int, hanging: Int = 0) -> [String] {
        ofLines.wrapped(text, indentation: indentation, hanging: hanging)
    }

    package func bold(_ text: String) -> String { painted(text, "1") }
    package func dim(_ text: String) -> String { painted(text, "2") }

    package func severity(_ severity: Severity) -> String {
        switch severity {
        case .error: painted("error", "31")
        case .warning: painted("warning", "33")
        case .note: painted("note", "36")
        }
    }

    private func painted(_ text: String, _ code: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// Breaks text at spaces to fit the width. A longer address, path or file name stays whole.
    package func wrapped(_ text: String, indentation: Int, hanging: Int = 0) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indentation)
        var isEmpty = true
        // Replaced before counting: one character may become three.
        for word in signs(text).split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indentation + hanging)
                isEmpty = true
            }
            var rest = word
            while line.count + rest.count > width, isEmpty, !word.contains("/"), line.count + 8 <= width {
                lines.append(line + rest.prefix(width - line.count))
                rest = rest.dropFirst(width - line.count)
                line = String(repeating: " ", count: indentation + hanging)
            }
            line += (isEmpty ? "" : " ") + rest
            isEmpty = false
        }
        return lines + [line]
    }

    /// Replaces our signs with ASCII if the locale has nothing else. Text from sites stays.
    package func signs(_ text: String) -> String {
        guard !isUnicode else { return text }
        return text.escaped { Self.plainSigns[$0] }
    }

    private static let plainSigns: [Unicode.Scalar: String] = [
        "✗": "x", "✓": "+", "·": "-", "…": "...", "←": "<-", "→": "->", "↕": "^", "–": "-", "—": "-", "’": "'",
        "“": "\"", "”": "\"", "\u{FFFD}": "?",
        // Bars of `history`.
        "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": "#", "▎": "#", "▏": "#",
    ]
}

// MARK: - The parts of a diagnosis: the domain's name with a sign, what phones do, why, what to do, until when

extension TextStyle {
    /// The state of a domain: on a terminal, a mark before its name. In a pipe or a file it is a word after the name,
    /// which `grep` finds. Colour is never the only sign.
    package struct Sign: Equatable {
        fileprivate let mark: String
        fileprivate let word: String
        fileprivate let colour: String

        package static let note = Sign(mark: "~", word: "NOTE", colour: "1;36")

        private init(mark: String, word: String, colour: String) {
            (self.mark, self.word, self.colour) = (mark, word, colour)
        }

        /// `level`: nil before the first check. `isCurrent`: whether phones have what the site serves.
        package init(_ level: Verdict.Level?, isCurrent: Bool = true) {
            self =
                switch level {
                case .failing: Sign(mark: "✗", word: "FAILING", colour: "1;31")
                case .warning: Sign(mark: "~", word: "WARNING", colour: "1;33")
                case .unknown: Sign(mark: "?", word: "UNKNOWN", colour: "1;35")
                case nil: Sign(mark: "?", word: "WAITING", colour: "1;35")
                case .ok where !isCurrent: Sign(mark: "~", word: "OK", colour: "1;33")
                case .ok: Sign(mark: "✓", word: "OK", colour: "1;32")
                }
        }

        fileprivate var isOfTrouble: Bool { mark == "✗" || mark == "?" }
    }

    /// The width of the column of names; one very long name does not widen it for all.
    package func nameColumn(_ names: [String]) -> Int { String.column(names, upTo: width / 5 * 2) }

    /// `✗ example.com  Links open the website, not the app.`, in a pipe `example.com  FAILING  Links open …`. `column`: the
    /// width of the column of names. `brief`: the same in a word or two, for a narrow terminal.
    package func heading(
        _ sign: Sign, _ name: String, _ words: String, brief: String? = nil, column: Int? = nil
    ) -> [String] {
        let shown: (String) -> String = { sign.isOfTrouble ? bold($0) : $0 }
        let count = max(column ?? 0, name.count)
        guard breaksDiagnosis else {
            let word = painted(column == nil ? sign.word : sign.word.padded(to: 7), sign.colour)
            return ["\(bold(name))\(String(repeating: " ", count: count - name.count + 2))\(word)  \(shown(words))"]
        }
        let head = painted(signs("\(sign.mark) \(name)"), sign.colour)
        let start = count + 4
        let line = { head + String(repeating: " ", count: count - name.count + 2) + shown($0) }
        guard start + words.count > width else { return [line(words)] }
        if let brief, start + brief.count <= width { return [line(brief)] }
        // Next to a name that takes more than half of the line, a sentence would be a column of single words.
        guard start + max(TextTable.narrowest, width / 2) <= width else {
            return [head] + wrapped(words, indentation: 4).map { "    " + shown(String($0.dropFirst(4))) }
        }
        let broken = wrapped(words, indentation: start).map { String($0.dropFirst(start)) }
        return [line(broken[0])]
            + broken.dropFirst().map { String(repeating: " ", count: start) + shown($0) }
    }

    /// Why, what to do and until when, one line each if short.
    package func parts(_ cause: String?, _ action: String?, _ outlook: String?) -> [String] {
        [("why", cause), ("do", action), ("until", outlook)].flatMap { label, text in
            text.map { part(label, $0) } ?? []
        }
    }

    /// The indentation of everything below a name.
    private static let indentation = 4

    /// `why   A firewall answers Apple's crawler with 403.` `do` is bold: readers look for it.
    package func part(_ label: String, _ text: String) -> [String] {
        let start = String(repeating: " ", count: Self.indentation)
        return broken(label.padded(to: 6) + text, indentation: Self.indentation, hanging: 6)
            .map { String($0.dropFirst(Self.indentation)) }.map { start + (label == "do" ? bold($0) : $0) }
    }

    /// Facts and identifiers for the end, separated by ` · ` or a comma. Lines break at these if possible.
    package func remark(_ text: String) -> [String] {
        let start = String(repeating: " ", count: Self.indentation)
        guard breaksDiagnosis else { return [start + dim(text)] }
        let facts = text.split(separator: ", ", omittingEmptySubsequences: false).map { part in
            part.components(separatedBy: " · ").map { fact in
                fact.count + Self.indentation < width ? fact.replacing(" ", with: "\u{A0}") : fact
            }.joined(separator: " · ")
        }
        return wrapped(facts.joined(separator: ", "), indentation: Self.indentation).map {
            start + dim(String($0.dropFirst(Self.indentation)).replacing("\u{A0}", with: " "))
        }
    }
}

/// The terminal at standard output.
package struct TerminalSize: Equatable, Sendable {
    let columns: Int
    package let rows: Int

    /// nil if standard output is not a terminal, or cannot move its cursor.
    package static var standardOutput: TerminalSize? {
        guard isatty(STDOUT_FILENO) == 1, ProcessInfo.processInfo.environment["TERM"] != "dumb" else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}

/// Rows with aligned columns. The last column takes the rest of the width, and breaks at spaces.
package struct TextTable {
    package var rows: [[String]]

    package init(rows: [[String]]) { self.rows = rows }

    /// A narrower last column is unreadable; its text then goes to its own line.
    static let narrowest = 24

    package func lines(indentation: Int, style: TextStyle) -> [String] {
        let style = style.ofLines
        let rows = rows.map { $0.map(style.signs) }
        let columns = rows.map(\.count).max() ?? 0
        guard columns > 0 else { return [] }
        // An empty column takes no space.
        let widths = (0..<columns - 1).map { column in
            style.nameColumn(rows.map { $0.indices.contains(column) ? $0[column] : "" })
        }
        let start = indentation + widths.reduce(0) { $0 + ($1 == 0 ? 0 : $1 + 2) }
        return rows.flatMap { row -> [String] in
            var lines: [String] = []
            var line = String(repeating: " ", count: indentation)
            for (cell, width) in zip(row.dropLast(), widths) where width > 0 {
                if cell.count > width {
                    lines.append(String(line.prefix(max(0, style.width - cell.count))) + cell)
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
    /// Padded with spaces to a width. A longer text stays whole.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// The width of a column: the longest text that is not longer than `limit`.
    package static func column(_ texts: [String], upTo limit: Int) -> Int {
        let counts = texts.map(\.count)
        return counts.filter { $0 <= limit }.max() ?? Swift.min(counts.max() ?? 0, limit)
    }
}

extension String {
    /// In the quotes of a shell, as one word of a command that people paste.
    package var quotedForShell: String { "'\(replacing("'", with: #"'\''"#))'" }

    /// The text with some scalars replaced. Works on scalars, as markup parsers do: a combining mark after a character
    /// would turn both into another `Character`.
    package func escaped(_ replacement: (Unicode.Scalar) -> String?) -> String {
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
