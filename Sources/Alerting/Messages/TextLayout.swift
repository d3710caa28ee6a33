// An alert as text within a limit. Room goes by worth: first what happened, then what to do, then what phones do. The diff
// gets what is left, and so is cut first. The first line and the links are never cut.

import Foundation

struct TextLayout<Form: Markup> {
    let form: Form
    /// Of the whole text, in the form's unit.
    let limit: Int
    /// What a line of a list costs beside its text.
    var lineCost = 0
    /// Of one part of the text, its title included.
    var longestParagraph = 4000
    var longestLine = 300
    var mostLines = 50

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
    func paragraphs(_ alert: RenderedAlert, room: Int) -> [Paragraph] {
        var room = room
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
            let piece = form.list.bullet + form.cutInList(line, to: longestLine)
            let cost = form.size(piece) + lineBreak + lineCost
            let isLast = index == lines.count - 1
            guard shown.count < mostLines, free - cost >= (isLast ? 0 : rest) else {
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
