// A story as text within a limit. Room is given out by worth: first what happened, then what to do, then what phones do,
// and what is left to the diff, which is so the first to be cut. The first line and the links are never cut.

import Foundation

struct TextLayout<Form: Markup> {
    let form: Form
    /// Of the whole text, in the form's unit.
    let limit: Int
    /// What a line of a list costs beside its text.
    var lineCost = 0
    var longestLine = 300
    var mostLines = 50

    /// One part of the text, escaped and cut.
    struct Paragraph {
        var title: String?
        var lines: [String]
        var isList: Bool
    }

    func text(_ story: Story, withHeadline: Bool = true) -> String {
        let head = withHeadline ? form.strong(story.headline) : ""
        let foot = footer(story)
        let room = limit - form.size(head) - form.size(foot) - 2 * lineBreak
        var parts = paragraphs(story, room: room).map(text)
        if !head.isEmpty { parts.insert(head, at: 0) }
        return (parts + [foot]).joined(separator: "\n")
    }

    /// Since when, links, and the incident's id.
    func footer(_ story: Story) -> String {
        let links = story.links.map { form.link($0.title, $0.url) }.joined(separator: " · ")
        return [story.since, links, "incident " + form.cut(story.incidentID, to: 100)].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// All between the first line and the last ones, in the order of reading.
    func paragraphs(_ story: Story, room: Int) -> [Paragraph] {
        var room = room
        let gist = note(nil, story.gist, &room)
        // The last note says what to do.
        let notes = story.notes.reversed().map { note($0.title, $0.text, &room) }.reversed()
        // The first list is the diff.
        let lists = story.lists.reversed().map { list($0.title, $0.lines, &room) }.reversed()
        return ([gist] + lists + notes).compactMap(\.self)
    }

    private func note(_ title: String?, _ text: String, _ room: inout Int) -> Paragraph? {
        let heading = title.map { form.size(form.strong($0)) + 1 } ?? 0
        let frame = heading + lineBreak + lineCost
        let text = form.cut(text, to: min(room - frame, 4000))
        guard !text.isEmpty else { return nil }
        room -= frame + form.size(text)
        return Paragraph(title: title, lines: [text], isList: false)
    }

    private func list(_ title: String, _ lines: [String], _ room: inout Int) -> Paragraph? {
        let frame = form.size(form.strong(title) + form.list.open + form.list.close) + 2 * lineBreak + lineCost
        let rest = form.size(more(lines.count)) + lineBreak + lineCost
        var free = room - frame
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
        room = free
        return Paragraph(title: title, lines: shown, isList: true)
    }

    private var lineBreak: Int { form.size("\n") }

    private func more(_ count: Int) -> String { "… and \(count) more" }

    private func text(_ paragraph: Paragraph) -> String {
        let title = paragraph.title.map(form.strong)
        guard paragraph.isList else {
            return ([title].compactMap(\.self) + paragraph.lines).joined(separator: " ")
        }
        let lines = form.list.open + paragraph.lines.joined(separator: "\n") + form.list.close
        return [title, lines].compactMap(\.self).joined(separator: "\n")
    }
}
