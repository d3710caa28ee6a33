// The markup of services: escaping, the unit of their limits, and the layout of an alert as text within a limit.

import Evidence
import Foundation

protocol Markup: Sendable {
    /// The unit of the service's limits.
    var unit: TextUnit { get }

    /// Escapes one character of an untrusted value.
    func escape(_ character: Character) -> String

    /// Formats a heading. `text` is trusted.
    func strong(_ text: String) -> String

    /// A link to a URL without markup characters; nil if the service has no links.
    func plainLink(_ title: String, _ url: String) -> String?

    /// The text around a list, and before each line.
    var list: (open: String, bullet: String, close: String) { get }

    /// Escapes one character of a list's line. Differs from `escape` if lists are formatted as code.
    func escapeInList(_ character: Character) -> String

    /// The text around a list's line.
    var line: (open: String, close: String) { get }
}

extension Markup {
    /// The size of escaped text.
    func size(_ text: String) -> Int { unit.size(text) }

    func strong(_ text: String) -> String { text }
    func plainLink(_ title: String, _ url: String) -> String? { nil }

    /// A link, or the URL as text if it could break out of the link.
    func link(_ title: String, _ url: String) -> String {
        (Self.isPlain(url) ? plainLink(title, url) : nil) ?? "\(title): " + cut(url, to: 600)
    }

    var list: (open: String, bullet: String, close: String) { ("", "• ", "") }
    func escapeInList(_ character: Character) -> String { escape(character) }
    var line: (open: String, close: String) { ("", "") }

    /// Escapes an untrusted value and truncates it to `limit`, with "…" if anything was cut.
    func cut(_ text: String, to limit: Int) -> String { cut(text, to: limit, escape) }

    func cutInList(_ text: String, to limit: Int) -> String {
        let room = limit - size(line.open) - size(line.close)
        return line.open + cut(text, to: room, escapeInList) + line.close
    }

    private func cut(_ text: String, to limit: Int, _ escape: (Character) -> String) -> String {
        // Every character has at least one unit.
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

    /// Whether no markup can break out of this URL.
    static func isPlain(_ url: String) -> Bool {
        (url.hasPrefix("https://") || url.hasPrefix("http://")) && url.utf8.count < 1500
            && url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !#""'<>()[]\^`{|}*"#.utf8.contains($0) }
    }
}

/// How services measure a text. Sizes are additive.
enum TextUnit: Sendable {
    case utf16, scalars, bytes, jsonBytes
    /// Visible text of HTML: tags count 0, an entity counts 1.
    case visible

    func size(_ text: String) -> Int {
        switch self {
        case .utf16: text.utf16.count
        case .scalars: text.unicodeScalars.count
        case .bytes: text.utf8.count
        // Quotation marks, backslashes and line breaks take two bytes. Other control characters were already replaced.
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

/// Neutralizes an untrusted value in every channel, before its own escaping.
enum InertText {
    static func of(_ text: String) -> String {
        // Keep line breaks, and replace all other control characters.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
        // A zero-width space breaks mentions and is invisible. By scalars, because a combining mark may follow the "@".
        return lines.joined(separator: "\n").mapped { $0 == "@" || $0 == "＠" ? "\($0)\u{200B}" : "\($0)" }
    }
}

extension InertText {
    /// For a first line, which some services neither format nor escape: replaces every character that is markup anywhere.
    static func title(_ text: String) -> String {
        of(text).mapped { Self.marks.contains($0) ? "'" : "\($0)" }.split(whereSeparator: \.isNewline).joined(
            separator: " ")
    }

    private static let marks = Set(#"\`*_~<>[]{}|#&""#.unicodeScalars)
}

// MARK: - Kinds of markup

struct PlainMarkup: Markup {
    let unit: TextUnit

    func escape(_ character: Character) -> String { String(character) }
}

/// Slack's mrkdwn: https://docs.slack.dev/messaging/formatting-message-text#escaping
struct SlackMarkup: Markup {
    /// The strictest reading of Slack's "characters", after escaping.
    let unit = TextUnit.utf16

    func escape(_ character: Character) -> String {
        String(character).withEntities(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }

    func strong(_ text: String) -> String { "*\(text)*" }

    func plainLink(_ title: String, _ url: String) -> String? { "<\(url.map(escape).joined())|\(title)>" }

    // As code, because asterisks of patterns would make text bold and disappear.
    func escapeInList(_ character: Character) -> String { escape(character).asCode }

    var line: (open: String, close: String) { ("`", "`") }
}

/// Discord and Mattermost: Markdown characters are escaped by a backslash, lists are code.
struct MarkdownMarkup: Markup {
    let unit: TextUnit

    private static let marks = Set(#"\`*_{}[]()<>#+-.!|~=:^$&"#.unicodeScalars)

    func escape(_ character: Character) -> String {
        String(character).mapped { Self.marks.contains($0) ? "\\\($0)" : "\($0)" }
    }

    func strong(_ text: String) -> String { "**\(text)**" }

    func plainLink(_ title: String, _ url: String) -> String? { "[\(title)](\(url))" }

    // Inside code, only a backtick is markup.
    func escapeInList(_ character: Character) -> String { String(character).asCode }

    var line: (open: String, close: String) { ("`", "`") }
}

/// The subset of HTML that Telegram and the cards of Google Chat support.
struct HTMLMarkup: Markup {
    let unit: TextUnit

    func escape(_ character: Character) -> String {
        String(character).withEntities(["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"])
    }

    func strong(_ text: String) -> String { "<b>\(text.map(escape).joined())</b>" }

    func plainLink(_ title: String, _ url: String) -> String? {
        "<a href=\"\(url.map(escape).joined())\">\(title.map(escape).joined())</a>"
    }
}

/// Chatwork: tags in brackets, which cannot be escaped.
struct ChatworkMarkup: Markup {
    let unit = TextUnit.bytes

    /// An invisible zero-width space after the bracket prevents a tag.
    func escape(_ character: Character) -> String {
        String(character).mapped { $0 == "[" ? "[\u{200B}" : "\($0)" }
    }

    // As code, because Chatwork replaces emoticons in text.
    var list: (open: String, bullet: String, close: String) { ("[code]", "• ", "[/code]") }
}

/// Opsgenie renders some HTML. Jira Service Management renders none.
struct OpsgenieMarkup: Markup {
    let unit = TextUnit.utf16

    /// An invisible zero-width space after the bracket prevents a tag.
    func escape(_ character: Character) -> String {
        String(character).mapped { $0 == "<" ? "<\u{200B}" : "\($0)" }
    }
}

extension String {
    /// By scalars, because a bracket with a combining mark is still a bracket.
    fileprivate func mapped(_ replacement: (Unicode.Scalar) -> String) -> String {
        unicodeScalars.map(replacement).joined()
    }

    fileprivate func withEntities(_ entities: KeyValuePairs<Unicode.Scalar, String>) -> String {
        mapped { scalar in entities.first { $0.key == scalar }?.value ?? "\(scalar)" }
    }

    /// One character of inline code. A line break becomes a space.
    fileprivate var asCode: String {
        first?.isNewline == true ? " " : replacingOccurrences(of: "`", with: "'", options: .literal)
    }
}

/// Lays out an alert as text within a limit. The summary gets space first, then what to do, then the effect on phones.
/// The diff gets the rest, so it is cut first. The first line and the links are never cut.
struct TextLayout<Form: Markup> {
    let form: Form
    /// For the whole text, in the unit of the form.
    let limit: Int
    /// The size of a list's line without its text.
    var lineCost = 0
    /// The limit of one paragraph with its title.
    var longestParagraph = 4000

    private static var longestLine: Int { 300 }
    private static var mostLines: Int { 50 }

    /// Escaped and truncated.
    struct Paragraph {
        var title: String?
        var lines: [String]
        var isList: Bool
    }

    func text(_ alert: RenderedAlert, withHeadline: Bool = true, buttons: Int = 0) -> String {
        let head = withHeadline ? form.strong(alert.headline) : ""
        let foot = footer(alert, buttons: buttons).joined(separator: "\n")
        let room = limit - form.size(head) - form.size(foot) - 2 * lineBreak
        var parts = paragraphs(alert, room: room).map(text)
        if !head.isEmpty { parts.insert(head, at: 0) }
        return (parts + [foot]).joined(separator: "\n")
    }

    /// The start, the links, the id of the incident and the name of the monitor. `buttons`: this many of the first links
    /// are buttons, so they are left out here.
    func footer(_ alert: RenderedAlert, buttons: Int = 0) -> [String] {
        let shown = alert.buttons.prefix(buttons).map(\.url)
        let links = alert.links.filter { !shown.contains($0.url) }.map { form.link($0.title, $0.url) }.joined(
            separator: " · ")
        return [alert.since, links, alert.identity(form)].filter { !$0.isEmpty }
    }

    /// Everything between the first line and the footer, in reading order.
    /// `room`: the limit for all of it; nil: `limit`.
    func paragraphs(_ alert: RenderedAlert, room: Int? = nil) -> [Paragraph] {
        var room = room ?? limit
        let summary = note(nil, alert.summary, &room)
        // In reverse, because the last note says what to do and gets space first.
        let notes = alert.notes.reversed().map { note($0.title, $0.text, &room) }.reversed()
        // In reverse, because the first list is the diff and gets space last.
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
    /// The alert as plain text with a limit, for the message log.
    var plainText: String { TextLayout(form: PlainMarkup(unit: .utf16), limit: 4000).text(withoutAcknowledging) }

    /// `incident 3fa9… · monitor eu-1`.
    func identity(_ form: some Markup) -> String {
        "incident \(form.cut(incidentID, to: 100)) · monitor \(form.cut(instance, to: 100))"
    }
}
