// How services write text: what they take for markup, and the unit that they count in.

import Evidence
import Foundation

protocol Markup: Sendable {
    /// The size of finished text in the service's unit. The size of two texts together is the sum of theirs.
    func size(_ text: String) -> Int

    /// One character of a value from outside, made inert.
    func escape(_ character: Character) -> String

    /// A heading of our own words.
    func strong(_ text: String) -> String

    /// A link, or its address as text where it could break out of the link.
    func link(_ title: String, _ url: String) -> String

    /// What stands around the lines of a list, and before each line.
    var list: (open: String, bullet: String, close: String) { get }

    /// One character of a list's line; differs from `escape` where lines are set as code.
    func escapeInList(_ character: Character) -> String

    /// What stands around the text of a list's line.
    var line: (open: String, close: String) { get }
}

extension Markup {
    func strong(_ text: String) -> String { text }
    func link(_ title: String, _ url: String) -> String { "\(title): " + cut(url, to: 600) }
    var list: (open: String, bullet: String, close: String) { ("", "• ", "") }
    func escapeInList(_ character: Character) -> String { escape(character) }
    var line: (open: String, close: String) { ("", "") }

    /// A value from outside, inert, cut between characters to at most `limit`, with "…" where something was cut.
    func cut(_ text: String, to limit: Int) -> String { cut(text, to: limit, escape) }

    func cutInList(_ text: String, to limit: Int) -> String {
        let room = limit - size(line.open) - size(line.close)
        return line.open + cut(text, to: room, escapeInList) + line.close
    }

    private func cut(_ text: String, to limit: Int, _ escape: (Character) -> String) -> String {
        // No character is smaller than one unit.
        let pieces = InertText.of(String(text.prefix(max(0, limit) + 1))).map(escape)
        let sizes = pieces.map(size)
        guard sizes.reduce(0, +) > limit else { return pieces.joined() }
        var room = limit - size("…")
        guard room >= 0 else { return "" }
        var kept = ""
        for (piece, size) in zip(pieces, sizes) {
            room -= size
            if room < 0 { break }
            kept += piece
        }
        return kept + "…"
    }

    /// An address that no markup can be broken out of.
    static func isPlain(_ url: String) -> Bool {
        (url.hasPrefix("https://") || url.hasPrefix("http://")) && url.utf8.count < 1500
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""'<>()[]\^`{|}*"#.utf8.contains($0) }
    }
}

/// What is done to a value from outside in every channel, before its own escaping.
enum InertText {
    static func of(_ text: String) -> String {
        // Lines stay apart; everything else that steers is replaced.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
        // A zero-width space ends any mention and does not show. By scalars: a mark may have joined the sign.
        var result = String.UnicodeScalarView()
        for scalar in lines.joined(separator: "\n").unicodeScalars {
            result.append(scalar)
            if scalar == "@" || scalar == "＠" { result.append("\u{200B}") }
        }
        return String(result)
    }
}
