// Splits answers into lines, to keep differences short, and removes what changes with each build or run.

import Foundation

enum Readable {
    /// The same text with a line for each member. Short values without nested containers stay on one line.
    static func json(_ text: String) -> String {
        // The code below accepts anything, so invalid JSON must fail here.
        guard (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil else {
            return "NOT JSON\n\(text)"
        }
        var place = Substring(text.filter { $0 != "\n" })
        return value(&place, depth: 0)
    }

    private static func value(_ text: inout Substring, depth: Int) -> String {
        skipBlanks(&text)
        guard let open = text.first, open == "{" || open == "[" else { return scalar(&text) }
        let close: Character = open == "{" ? "}" : "]"
        text.removeFirst()
        var members: [String] = []
        while true {
            skipBlanks(&text)
            guard let next = text.first, next != close else { break }
            if next == "," {
                text.removeFirst()
                continue
            }
            var member = value(&text, depth: depth + 1)
            skipBlanks(&text)
            if text.first == ":" {
                text.removeFirst()
                member += ": " + value(&text, depth: depth + 1)
            }
            members.append(member)
        }
        text = text.dropFirst()
        let line = members.joined(separator: ", ")
        let isFlat = !members.contains { $0.contains("\n") || $0.hasSuffix("}") || $0.hasSuffix("]") }
        if members.isEmpty || (isFlat && line.count < 100) { return "\(open)\(line)\(close)" }
        let indentation = String(repeating: "  ", count: depth)
        let lines = members.map { "\(indentation)  \($0)" }.joined(separator: ",\n")
        return "\(open)\n\(lines)\n\(indentation)\(close)"
    }

    private static func scalar(_ text: inout Substring) -> String {
        var isQuoted = false
        var isEscaped = false
        let end = text.firstIndex { character in
            defer { isEscaped = character == "\\" && !isEscaped }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            return !isQuoted && ",:]} ".contains(character)
        }
        defer { text = text[(end ?? text.endIndex)...] }
        return String(text[..<(end ?? text.endIndex)])
    }

    private static func skipBlanks(_ text: inout Substring) { text = text.drop { $0 == " " } }

    /// A line for each tag with the text after it, indented by depth. `␣`: a space next to a tag, which separates two
    /// words on the page.
    static func html(_ text: String) -> String {
        let kept = text.replacing(/(?s)<svg class="sprite".*?<\/svg>/, with: "")
            .replacing(/(page\.(?:css|js))\?[0-9a-f]+/) { "\($0.1)?HASH" }
            .replacing(/(<strong>Store<\/strong> <span>)[^<]*/) { "\($0.1)SIZE" }
        let void: Set<Substring> = ["!DOCTYPE", "br", "hr", "img", "input", "link", "meta"]
        var depth = 0
        var lines: [String] = []
        for piece in kept.split(separator: "<") {
            guard let end = piece.firstIndex(of: ">") else { continue }
            let tag = piece[..<end]
            let words = visible(piece[piece.index(after: end)...])
            let isEnd = tag.hasPrefix("/")
            if isEnd { depth -= 1 }
            let indentation = String(repeating: " ", count: max(depth, 0))
            // The depth of the next lines shows where an element ends.
            if !isEnd || !words.isEmpty { lines.append("\(indentation)<\(tag)>\(words)") }
            if !isEnd, !tag.hasSuffix("/"), !void.contains(tag.prefix { $0 != " " }) { depth += 1 }
        }
        return lines.joined(separator: "\n")
    }

    private static func visible(_ text: Substring) -> String {
        func edge(_ blanks: Substring) -> String { blanks.isEmpty || blanks.contains("\n") ? "" : "␣" }
        let head = text.prefix { $0.isWhitespace }
        let rest = text.dropFirst(head.count)
        guard !rest.isEmpty else { return edge(head) }
        let tail = rest.reversed().prefix { $0.isWhitespace }
        let words = rest.dropLast(tail.count).split(whereSeparator: \.isNewline).joined(separator: " ")
        return edge(head) + words + edge(Substring(String(tail)))
    }

    /// The content of `<main>`.
    static func main(_ text: String) -> String { main(text, from: "<main") }

    /// The part that begins with a tag, up to the frame.
    static func main(_ text: String, from start: String) -> String {
        guard let start = text.range(of: start), let end = text.range(of: "</main>") else { return html(text) }
        return html(String(text[start.lowerBound..<end.upperBound]))
    }

    /// Without the request id.
    static func refusal(_ text: String) -> String {
        text.replacing(/("request_id":")[0-9a-f]+/) { "\($0.1)ID" }
    }

    /// Without the duration of checks, and without the resources of this process and its store.
    static func metrics(_ text: String) -> String {
        let changing = [
            "aasa_check_duration_seconds_bucket", "aasa_check_duration_seconds_sum", "aasa_store_size_bytes ",
            "aasa_config_last_reload_success_timestamp_seconds ", "aasa_http_requests_total{", "process_",
        ]
        return text.split(separator: "\n").filter { line in !changing.contains { line.hasPrefix($0) } }
            .joined(separator: "\n")
    }
}
