// Text for Slack: `&`, `<` and `>` escaped, pings made inert, cut within limits that are counted after escaping.
// https://docs.slack.dev/messaging/formatting-message-text#escaping

import Evidence
import Foundation

enum SlackText {
    /// A section's limit is 3,000; some room is left for headings.
    static let section = 2800

    /// `limit`: UTF-16 units after escaping, the strictest reading of Slack's "characters".
    static func escaped(_ text: String, limit: Int) -> String {
        var result = ""
        var size = 1
        for character in inert(text) {
            let piece =
                switch character {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                default: String(character)
                }
            size += piece.utf16.count
            if size > limit { return result + "…" }
            result += piece
        }
        return result
    }

    /// A heading and a list that says how many lines were left out. The lines are set as code: the asterisks of patterns
    /// would else turn text bold and vanish.
    static func list(_ heading: String, _ lines: [String], limit: Int) -> String {
        var result = heading
        for (index, line) in lines.enumerated() {
            let piece = "\n• `" + escaped(line.replacingOccurrences(of: "`", with: "'"), limit: 300) + "`"
            guard result.utf16.count + piece.utf16.count + 40 <= limit else {
                return result + "\n… and \(lines.count - index) more"
            }
            result += piece
        }
        return result
    }

    /// A link; an address that could break out of it is shown as text.
    static func link(_ url: String, _ title: String) -> String {
        let unsafe = url.contains { "<>|".contains($0) || $0.isWhitespace }
        guard !unsafe, url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf16.count < 1500 else {
            return "\(title): " + escaped(url, limit: 500)
        }
        return "<\(url.replacingOccurrences(of: "&", with: "&amp;"))|\(title)>"
    }

    /// Lines stay apart, everything else that steers is replaced, and no name of a group calls anybody.
    private static func inert(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
        var result = lines.joined(separator: "\n")
        for group in ["channel", "here", "everyone"] {
            // A zero-width space stops the mention and does not show.
            result = result.replacingOccurrences(
                of: "@" + group, with: "@\u{200B}" + group, options: .caseInsensitive)
        }
        return result
    }
}

extension String {
    /// The text cut on a character's boundary to so many UTF-16 units, with an ellipsis where something was cut.
    func cut(toUnits limit: Int) -> String {
        guard utf16.count > limit else { return self }
        var kept = ""
        var size = 1
        for character in self {
            size += character.utf16.count
            if size > limit { break }
            kept.append(character)
        }
        return kept + "…"
    }
}
