// The title of a page that a server sends instead of the file: it shows which page it is.

import AASA
import Foundation

package enum WebPage {
    private static let limit = 16_384

    /// The title of an HTML page, or its first heading; nil without both. Cleaned for display, at most 60 characters.
    package static func title(of content: Data) -> String? {
        let markup = Markup(content.prefix(limit))
        return [markup.first("title"), markup.first("h1")].compactMap(\.self).first { !$0.isEmpty }?
            .displayable.shortened(to: 60)
    }
}

extension WebPage {
    /// The texts of the first element of each name, in the order of the names. Cleaned for display.
    static func texts(of names: [String], in content: Data) -> [String] {
        let markup = Markup(content.prefix(limit))
        return names.flatMap { markup.all($0) }.filter { !$0.isEmpty }.map { $0.displayable.shortened(to: 160) }
    }
}

/// The beginning of an HTML page, as far as it is searched for words and elements.
private struct Markup {
    private let bytes: [UInt8]
    /// The same length as `bytes`: only ASCII letters change to lower case.
    private let lower: [UInt8]

    init(_ content: Data) {
        bytes = Array(content)
        lower = bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }

    private func find(_ word: String, from start: Int = 0) -> Int? {
        let word = Array(word.utf8)
        guard start >= 0, lower.count >= word.count, start <= lower.count - word.count else { return nil }
        return (start...(lower.count - word.count)).first { place in
            lower[place] == word[0] && lower[place..<place + word.count].elementsEqual(word)
        }
    }

    /// The text of the first element with this name, without the tags in it; nil without one.
    func first(_ name: String) -> String? { all(name, upTo: 1).first }

    /// The texts of the first elements with this name; at most eight tags are looked at.
    func all(_ name: String, upTo limit: Int = 8) -> [String] {
        var start = 0
        var texts: [String] = []
        for _ in 0..<8 where texts.count < limit {
            guard let tag = find("<\(name)", from: start) else { break }
            start = tag + name.utf8.count + 1
            // `<header` does not match `<h`.
            guard start < lower.count, [0x20, 0x3E, 0x0A, 0x09].contains(lower[start]),
                let open = lower[start...].firstIndex(of: UInt8(ascii: ">"))
            else { continue }
            let end = find("</\(name)", from: open) ?? min(lower.count, open + 400)
            texts.append(Self.words(in: bytes[(open + 1)..<max(open + 1, end)].prefix(1000)))
        }
        return texts
    }

    /// Text for people: without tags, the usual references resolved, white space collapsed.
    private static func words(in bytes: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        var isTag = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "<"): isTag = true
            case UInt8(ascii: ">") where isTag:
                isTag = false
                text.append(0x20)
            default: if !isTag { text.append(byte) }
            }
        }
        var words = String(decoding: text, as: UTF8.self)
        for (reference, character) in references { words = words.replacing(reference, with: character) }
        return words.onOneLine
    }

    /// The ampersand is last: its result must not be resolved again.
    private static let references = [
        ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#039;", "'"),
        ("&apos;", "'"), ("&rsquo;", "’"), ("&#8217;", "’"), ("&ndash;", "–"), ("&#8211;", "–"), ("&mdash;", "—"),
        ("&middot;", "·"), ("&amp;", "&"),
    ]
}

extension Readings {
    /// Whether the origin sends an HTML page in place of the file.
    var originIsPage: Bool { originBody?.isPage == true }

    /// The title of the page that the origin sends instead of the file.
    var originPageTitle: String? {
        guard originIsPage, let content = observation.origin.answer.flatMap({ content(of: $0) }) else { return nil }
        return WebPage.title(of: content)
    }

    /// The beginning of JSON that is not the file, such as an API's error with status 200; nil if there is none.
    var otherJSON: String? {
        guard let answer = observation.origin.answer, answer.status == 200, answer.body.end == .complete,
            let body = originBody, let root = body.document?.root, !body.namesService,
            root.members?.isEmpty == false || root.elements?.isEmpty == false, let content = content(of: answer)
        else { return nil }
        return String(decoding: content.prefix(200), as: UTF8.self).onOneLine.shortened(to: 70)
    }
}

extension English {
    /// ` titled 'Not found'`; empty without a title.
    static func titled(_ title: String?) -> String { title.map { " titled '\($0)'" } ?? "" }
}

extension String {
    /// The beginning, with each run of white space as one space.
    var onOneLine: String { prefix(400).split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
