// The kinds of markup that more than one service shares, or that one service alone has.

import Foundation

/// No markup at all.
struct PlainMarkup: Markup {
    enum Unit { case utf16, bytes, jsonBytes }

    let unit: Unit

    func size(_ text: String) -> Int {
        switch unit {
        case .utf16: text.utf16.count
        case .bytes: text.utf8.count
        // Control characters never get here; quotation marks, backslashes and line breaks take two bytes.
        case .jsonBytes: text.utf8.reduce(0) { $0 + ($1 == 0x22 || $1 == 0x5C || $1 == 0x0A ? 2 : 1) }
        }
    }

    func escape(_ character: Character) -> String { String(character) }
}

/// Slack's mrkdwn: https://docs.slack.dev/messaging/formatting-message-text#escaping
struct SlackMarkup: Markup {
    /// The strictest reading of Slack's "characters", after escaping.
    func size(_ text: String) -> Int { text.utf16.count }

    func escape(_ character: Character) -> String { character.withEntities(["&": "&amp;", "<": "&lt;", ">": "&gt;"]) }

    func strong(_ text: String) -> String { "*\(text)*" }

    func link(_ title: String, _ url: String) -> String {
        Self.isPlain(url) ? "<\(url.map(escape).joined())|\(title)>" : "\(title): " + cut(url, to: 600)
    }

    // As code: the asterisks of patterns would turn text bold and vanish.
    func escapeInList(_ character: Character) -> String {
        character.isNewline
            ? " " : escape(character).replacingOccurrences(of: "`", with: "'", options: .literal)
    }

    var line: (open: String, close: String) { ("`", "`") }
}

/// Discord and Mattermost: every mark of Markdown after a backslash, lists as code.
struct MarkdownMarkup: Markup {
    enum Unit { case utf16, scalars }

    let unit: Unit

    func size(_ text: String) -> Int {
        switch unit {
        case .utf16: text.utf16.count
        case .scalars: text.unicodeScalars.count
        }
    }

    private static let marks = Set(#"\`*_{}[]()<>#+-.!|~=:^$&"#.unicodeScalars)

    /// By scalars: a combining mark on an asterisk does not keep it from being one.
    func escape(_ character: Character) -> String {
        var result = String.UnicodeScalarView()
        for scalar in character.unicodeScalars {
            if Self.marks.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    func strong(_ text: String) -> String { "**\(text)**" }

    func link(_ title: String, _ url: String) -> String {
        Self.isPlain(url) ? "[\(title)](\(url))" : "\(title): " + cut(url, to: 600)
    }

    // Within code nothing is markup but its end.
    func escapeInList(_ character: Character) -> String {
        character.isNewline ? " " : String(character).replacingOccurrences(of: "`", with: "'", options: .literal)
    }

    var line: (open: String, close: String) { ("`", "`") }
}

/// The subset of HTML that Telegram and the cards of Google Chat know.
struct HTMLMarkup: Markup {
    enum Unit {
        /// Of what is seen: tags count nothing, an entity counts one.
        case visible
        case utf16
    }

    let unit: Unit

    func size(_ text: String) -> Int {
        switch unit {
        case .utf16: text.utf16.count
        case .visible: Self.visible(text)
        }
    }

    private static func visible(_ text: String) -> Int {
        var count = 0
        var (inTag, inEntity) = (false, false)
        for unit in text.utf16 {
            switch unit {
            case 0x3C: inTag = true
            case 0x3E where inTag: inTag = false
            case 0x26 where !inTag:
                inEntity = true
                count += 1
            case 0x3B where inEntity: inEntity = false
            default: if !inTag && !inEntity { count += 1 }
            }
        }
        return count
    }

    func escape(_ character: Character) -> String {
        character.withEntities(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
    }

    func strong(_ text: String) -> String { "<b>\(text.map(escape).joined())</b>" }

    func link(_ title: String, _ url: String) -> String {
        guard Self.isPlain(url) else { return "\(title): " + cut(url, to: 600) }
        return "<a href=\"\(url.map(escape).joined())\">\(title.map(escape).joined())</a>"
    }
}

/// Chatwork: tags in brackets, which have no escaped form.
struct ChatworkMarkup: Markup {
    func size(_ text: String) -> Int { text.utf8.count }

    /// A zero-width space behind the bracket leaves no tag, and does not show.
    func escape(_ character: Character) -> String {
        var result = String.UnicodeScalarView()
        for scalar in character.unicodeScalars {
            result.append(scalar)
            if scalar == "[" { result.append("\u{200B}") }
        }
        return String(result)
    }

    // As code no text turns into a face.
    var list: (open: String, bullet: String, close: String) { ("[code]", "• ", "[/code]") }
}

extension Character {
    /// By scalars: a combining mark on a bracket does not keep it from being one.
    fileprivate func withEntities(_ entities: KeyValuePairs<Unicode.Scalar, String>) -> String {
        unicodeScalars.map { scalar in entities.first { $0.key == scalar }?.value ?? String(scalar) }.joined()
    }
}
