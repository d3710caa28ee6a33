// How services write text: what they take for markup, the unit that they count in, and an alert as text within a limit.

import Evidence
import Foundation

protocol Markup: Sendable {
    /// In which the service counts.
    var unit: TextUnit { get }

    /// One character of a value from outside, made inert.
    func escape(_ character: Character) -> String

    /// A heading of our own words.
    func strong(_ text: String) -> String

    /// A link to an address that cannot break out of it; nil where the service knows none.
    func plainLink(_ title: String, _ url: String) -> String?

    /// What stands around the lines of a list, and before each line.
    var list: (open: String, bullet: String, close: String) { get }

    /// One character of a list's line; differs from `escape` where lines are set as code.
    func escapeInList(_ character: Character) -> String

    /// What stands around the text of a list's line.
    var line: (open: String, close: String) { get }
}

extension Markup {
    /// The size of finished text.
    func size(_ text: String) -> Int { unit.size(text) }

    func strong(_ text: String) -> String { text }
    func plainLink(_ title: String, _ url: String) -> String? { nil }

    /// A link, or its address as text where it could break out of the link.
    func link(_ title: String, _ url: String) -> String {
        (Self.isPlain(url) ? plainLink(title, url) : nil) ?? "\(title): " + cut(url, to: 600)
    }

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

/// What services count of a text. The size of two texts together is the sum of theirs.
enum TextUnit: Sendable {
    case utf16, scalars, bytes, jsonBytes
    /// Of what is seen of HTML: tags count nothing, an entity counts one.
    case visible

    func size(_ text: String) -> Int {
        switch self {
        case .utf16: text.utf16.count
        case .scalars: text.unicodeScalars.count
        case .bytes: text.utf8.count
        // Control characters never get here; quotation marks, backslashes and line breaks take two bytes.
        case .jsonBytes: text.utf8.reduce(0) { $0 + ($1 == 0x22 || $1 == 0x5C || $1 == 0x0A ? 2 : 1) }
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

// MARK: - The kinds of markup

/// No markup at all.
struct PlainMarkup: Markup {
    let unit: TextUnit

    func escape(_ character: Character) -> String { String(character) }
}

/// Slack's mrkdwn: https://docs.slack.dev/messaging/formatting-message-text#escaping
struct SlackMarkup: Markup {
    /// The strictest reading of Slack's "characters", after escaping.
    let unit = TextUnit.utf16

    func escape(_ character: Character) -> String { character.withEntities(["&": "&amp;", "<": "&lt;", ">": "&gt;"]) }

    func strong(_ text: String) -> String { "*\(text)*" }

    func plainLink(_ title: String, _ url: String) -> String? { "<\(url.map(escape).joined())|\(title)>" }

    // As code: the asterisks of patterns would turn text bold and vanish.
    func escapeInList(_ character: Character) -> String { escape(character).asCode }

    var line: (open: String, close: String) { ("`", "`") }
}

/// Discord and Mattermost: every mark of Markdown after a backslash, lists as code.
struct MarkdownMarkup: Markup {
    let unit: TextUnit

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

    func plainLink(_ title: String, _ url: String) -> String? { "[\(title)](\(url))" }

    // Within code nothing is markup but its end.
    func escapeInList(_ character: Character) -> String { String(character).asCode }

    var line: (open: String, close: String) { ("`", "`") }
}

/// The subset of HTML that Telegram and the cards of Google Chat know.
struct HTMLMarkup: Markup {
    let unit: TextUnit

    func escape(_ character: Character) -> String {
        character.withEntities(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
    }

    func strong(_ text: String) -> String { "<b>\(text.map(escape).joined())</b>" }

    func plainLink(_ title: String, _ url: String) -> String? {
        "<a href=\"\(url.map(escape).joined())\">\(title.map(escape).joined())</a>"
    }
}

/// Chatwork: tags in brackets, which have no escaped form.
struct ChatworkMarkup: Markup {
    let unit = TextUnit.bytes

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

extension String {
    /// One character within code between backticks, in one line.
    fileprivate var asCode: String {
        first?.isNewline == true ? " " : replacingOccurrences(of: "`", with: "'", options: .literal)
    }
}

extension Character {
    /// By scalars: a combining mark on a bracket does not keep it from being one.
    fileprivate func withEntities(_ entities: KeyValuePairs<Unicode.Scalar, String>) -> String {
        unicodeScalars.map { scalar in entities.first { $0.key == scalar }?.value ?? String(scalar) }.joined()
    }
}

/// An alert as text within a limit. Room goes by worth: first what happened, then what to do, then what phones do. The diff
/// gets what is left, and so is cut first. The first line and the links are never cut.
struct TextLayout<Form: Markup> {
    let form: Form
    /// Of the whole text, in the form's unit.
    let limit: Int
    /// What a line of a list costs beside its text.
    var lineCost = 0
    /// Of one part of the text, its title included.
    var longestParagraph = 4000

    private static var longestLine: Int { 300 }
    private static var mostLines: Int { 50 }

    /// One part of the text, escaped and cut.
    struct Paragraph {
        var title: String?
        var lines: [String]
        var isList: Bool
    }

    func text(_ alert: RenderedAlert, withHeadline: Bool = true) -> String {
        let head = withHeadline ? form.strong(alert.headline) : ""
        let foot = footer(alert).joined(separator: "\n")
        let room = limit - form.size(head) - form.size(foot) - 2 * lineBreak
        var parts = paragraphs(alert, room: room).map(text)
        if !head.isEmpty { parts.insert(head, at: 0) }
        return (parts + [foot]).joined(separator: "\n")
    }

    /// Since when, links, and what says which incident and which monitor this is.
    func footer(_ alert: RenderedAlert) -> [String] {
        let links = alert.links.map { form.link($0.title, $0.url) }.joined(separator: " · ")
        return [alert.since, links, alert.identity(form)].filter { !$0.isEmpty }
    }

    /// All between the first line and the last ones, in the order of reading.
    /// `room`: for all of it; nil: the limit.
    func paragraphs(_ alert: RenderedAlert, room: Int? = nil) -> [Paragraph] {
        var room = room ?? limit
        let summary = note(nil, alert.summary, &room)
        // The last note says what to do.
        let notes = alert.notes.reversed().map { note($0.title, $0.text, &room) }.reversed()
        // The first list is the diff.
        let lists = alert.lists.reversed().map { list($0.title, $0.lines, &room) }.reversed()
        return ([summary] + notes + lists).compactMap(\.self)
    }

    private func note(_ title: String?, _ text: String, _ room: inout Int) -> Paragraph? {
        let heading = title.map { form.size(form.strong($0)) + 1 } ?? 0
        let frame = heading + lineBreak + lineCost
        let text = form.cut(text, to: min(room, longestParagraph) - frame)
        guard !text.isEmpty else { return nil }
        room -= frame + form.size(text)
        return Paragraph(title: title, lines: [text], isList: false)
    }

    private func list(_ title: String, _ lines: [String], _ room: inout Int) -> Paragraph? {
        let frame = form.size(form.strong(title) + form.list.open + form.list.close) + 2 * lineBreak + lineCost
        let rest = form.size(more(lines.count)) + lineBreak + lineCost
        let limit = min(room, longestParagraph)
        var free = limit - frame
        guard free >= rest else { return nil }
        var shown: [String] = []
        for (index, line) in lines.enumerated() {
            let piece = form.list.bullet + form.cutInList(line, to: Self.longestLine)
            let cost = form.size(piece) + lineBreak + lineCost
            let isLast = index == lines.count - 1
            guard shown.count < Self.mostLines, free - cost >= (isLast ? 0 : rest) else {
                shown.append(more(lines.count - index))
                free -= rest
                break
            }
            shown.append(piece)
            free -= cost
        }
        room -= limit - free
        return Paragraph(title: title, lines: shown, isList: true)
    }

    private var lineBreak: Int { form.size("\n") }

    private func more(_ count: Int) -> String { "… and \(count) more" }

    func text(_ paragraph: Paragraph) -> String {
        let title = paragraph.title.map(form.strong)
        guard paragraph.isList else {
            return ([title].compactMap(\.self) + paragraph.lines).joined(separator: " ")
        }
        let lines = form.list.open + paragraph.lines.joined(separator: "\n") + form.list.close
        return [title, lines].compactMap(\.self).joined(separator: "\n")
    }
}

extension RenderedAlert {
    /// All of it as plain text, bounded, for those who ask what was sent.
    var plainText: String { TextLayout(form: PlainMarkup(unit: .utf16), limit: 4000).text(self) }

    /// `incident 3fa9… · monitor eu-1`.
    func identity(_ form: some Markup) -> String {
        "incident \(form.cut(incidentID, to: 100)) · monitor \(form.cut(instance, to: 100))"
    }
}
