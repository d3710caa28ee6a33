// What a server says in an answer that is not the file: the message of an API, the title and the sentence of an error
// page, the text of an XML error. This says more than any status, so the diagnosis quotes it beside every cause.

import AASA
import Facts
import Foundation

package enum ServerWords {
    private static let limit = (body: 16_384, words: 160)

    /// nil if the answer says no more than its status does.
    package static func of(_ answer: Answer, _ content: Data?) -> String? {
        guard let content, !content.isEmpty, answer.body.end == .complete else { return nil }
        let head = content.prefix(limit.body)
        let start = head.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        let said: [String] =
            switch start {
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): ofJSON(content)
            case UInt8(ascii: "<"): ofMarkup(head, isAbsence: Absence.isTold(by: answer.status))
            default: answer.isPage ? [] : ofText(head)
            }
        var words: [String] = []
        for text in said.map({ steady($0.onOneLine.displayable) }) where tells(text) {
            if !words.contains(where: { $0.lowercased().contains(text.lowercased()) }) { words.append(text) }
        }
        return words.isEmpty ? nil : words.prefix(2).joined(separator: ": ").shortened(to: limit.words)
    }

    // MARK: - JSON

    /// The members in which APIs put a message: of RFC 9457, OAuth 2.0, ASP.NET, Express, Laravel, Spring and S3-like
    /// services. The short ones first.
    private static let keys = [
        "error", "title", "code", "message", "msg", "error_description", "detail", "details", "reason", "errors",
    ]

    private static func ofJSON(_ content: Data) -> [String] {
        guard content.count <= AssociationFile.sizeLimit,
            let root = (try? JSONDocument(parsing: Array(content)))?.root
        else { return [] }
        return messages(in: root, depth: 0)
    }

    private static func messages(in node: JSONNode, depth: Int) -> [String] {
        // JSON within a string, such as a file that was encoded twice, is not a message.
        if let text = node.string { return "{[".contains(text.first { !$0.isWhitespace } ?? "{") ? [] : [text] }
        guard depth < 3 else { return [] }
        if let first = node.elements?.first { return messages(in: first, depth: depth + 1) }
        let members = node.members ?? []
        return keys.flatMap { key in
            members.last { $0.key.lowercased() == key }.map { messages(in: $0.value, depth: depth + 1) } ?? []
        }
    }

    // MARK: - Pages and text

    /// A page that only says that nothing is there has the site's name and greetings, which are not worth quoting.
    private static func ofMarkup(_ head: Data, isAbsence: Bool) -> [String] {
        let page = String(decoding: head, as: UTF8.self)
        func element(_ name: String) -> String? {
            guard let start = page.range(of: "<\(name)>"), let end = page[start.upperBound...].range(of: "</\(name)>")
            else { return nil }
            return String(page[start.upperBound..<end.lowerBound])
        }
        if let code = element("Code") ?? element("code"), let message = element("Message") ?? element("message") {
            return [code, message]
        }
        // Express and others put their message there: Cannot GET /.well-known/apple-app-site-association.
        if isAbsence { return WebPage.texts(of: ["pre"], in: head).filter(isOfError) }
        let texts = WebPage.texts(of: ["p", "pre", "h4", "h3", "h2"], in: head)
        return [WebPage.title(of: head)].compactMap(\.self) + texts.filter(isOfError)
    }

    /// The paragraphs of a page that say what failed, not how to contact support.
    private static func isOfError(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["cannot", "could not", "invalid", "error", "denied", "not allowed", "failed", "missing", "exception"]
            .contains(where: text.contains)
    }

    private static func ofText(_ head: Data) -> [String] {
        guard let text = String(data: head, encoding: .utf8) else { return [] }
        return text.split(whereSeparator: \.isNewline).map(String.init).first { !$0.onOneLine.isEmpty }.map { [$0] }
            ?? []
    }

    // MARK: - What is worth quoting

    /// Without request IDs, which differ from one answer to the next.
    private static func steady(_ text: String) -> String {
        text.split(separator: " ").map { word in
            let signs = word.filter { $0.isHexDigit || $0 == "-" }
            let isNumber = signs.count >= 12 && signs.count * 4 >= word.count * 3 && word.contains(where: \.isNumber)
            return isNumber ? "…" : String(word)
        }.joined(separator: " ")
    }

    /// Words of a status line and of its usual page.
    private static let plain: Set<String> = [
        "a", "an", "the", "this", "that", "is", "was", "be", "on", "of", "at", "to", "you", "your", "http", "status",
        "code",
        "error", "page", "file", "resource", "url", "requested", "request", "server", "found", "not", "could", "exist",
        "exists", "does", "doesn", "t", "sorry", "oops", "bad", "unauthorized", "authorization", "required",
        "forbidden",
        "access", "denied", "method", "allowed", "gone", "internal", "service", "temporarily", "unavailable", "gateway",
        "time", "out", "timeout", "too", "many", "requests", "null", "true", "false", "no", "ok", "notfound", "fail",
        "failed", "failure", "failing", "unknown", "undefined", "it", "works", "nginx", "apache", "cloudflare",
        "openresty",
    ]

    /// Whether a text says more than a status line. A single long word is a token.
    private static func tells(_ text: String) -> Bool {
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return words.contains { !plain.contains($0) && Int($0) == nil && $0.count > 1 }
            && !(words.count == 1 && text.utf8.count > 60)
    }
}

extension Readings {
    /// What the domain's own server says in place of the file. nil if it serves one or says nothing of its own, and if a
    /// platform or a protection was recognised by its words, which are quoted already.
    var serverWords: String? {
        guard let answer = observation.origin.answer, observation.origin.ownFault == nil,
            answer.status != 200 || originBody?.document != nil, originFile?.namesService != true,
            !(300..<400).contains(answer.status),
            !LastHost(observation.origin, of: observation.domain).isElsewhere,
            ProtectionMatch(answer, content(of: answer)) == nil, hosting?.fault.word == nil
        else { return nil }
        return ServerWords.of(answer, content(of: answer))
    }
}
