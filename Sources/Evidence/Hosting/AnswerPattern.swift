// How an answer is recognised as a platform's own: by its status and headers, or by its body if no header identifies
// it. The tables of platforms and of bot protections consist of these.

import Facts
import Foundation

struct AnswerPattern: Sendable {
    var statuses: ClosedRange<Int>
    /// All of these must match. The first is what the platform says, and is quoted.
    var headers: [Header] = []
    /// The `<Code>` of an XML error.
    var code: String?
    /// One of these must be in the body, in any case.
    var words: [String] = []
    let source: Source

    struct Header: Sendable {
        let name: String
        /// A part of the value, in any case; empty for any value.
        let part: String

        init(_ name: String, _ part: String = "") {
            self.name = name
            self.part = part
        }
    }

    /// How the sign is known.
    enum Source: Sendable, Equatable {
        /// The platform's own documentation.
        case documented(String)
        /// Answers that others received and published; the platform documents nothing.
        case recorded
    }

    /// `page`: of the platform's own documentation, if there is one.
    init(
        _ statuses: ClosedRange<Int>, _ header: Header? = nil, code: String? = nil, words: [String] = [],
        documented page: String? = nil
    ) {
        self.statuses = statuses
        headers = [header].compactMap(\.self)
        self.code = code
        self.words = words
        source = page.map(Source.documented) ?? .recorded
    }

    /// What matched, by name; nil if the answer does not match.
    func matches(in answer: Answer, _ body: AnswerBody) -> [HeaderField]? {
        guard statuses.contains(answer.status) else { return nil }
        var found: [HeaderField] = []
        for header in headers {
            guard let value = answer.header(header.name),
                header.part.isEmpty || value.lowercased().contains(header.part.lowercased())
            else { return nil }
            found.append(HeaderField(name: header.name, value: value.shortened(to: 200)))
        }
        if let code {
            guard body.code == code else { return nil }
            found.insert(HeaderField(name: "code", value: code), at: 0)
        }
        if !words.isEmpty {
            guard let word = words.first(where: { body.text.contains($0.lowercased()) }) else { return nil }
            found.insert(HeaderField(name: "body", value: word), at: 0)
        }
        return found
    }
}

extension HeaderField {
    /// The name of a piece of evidence: `x_vercel_error`.
    var evidenceName: String { name.replacing("-", with: "_") }
}

/// The beginning of a body, as far as it is searched for signs.
struct AnswerBody: Sendable {
    /// In lower case.
    let text: String
    let code: String?

    private static let limit = 16_384

    init(_ content: Data?) {
        let head = String(decoding: (content ?? Data()).prefix(Self.limit), as: UTF8.self)
        text = head.lowercased()
        code = Self.code(in: head)
    }

    /// The first code that is one word of up to 60 letters. Not a regular expression: that would be parsed again for
    /// each body, and most bodies have no code.
    private static func code(in head: String) -> String? {
        for rest in head.components(separatedBy: "<Code>").dropFirst() {
            guard let end = rest.range(of: "</Code>") else { continue }
            let word = rest[..<end.lowerBound].trimmingCharacters(in: .whitespacesAndNewlines)
            let isCode = (1...60).contains(word.utf8.count) && word.allSatisfy { $0.isASCII && $0.isLetter }
            if isCode { return word }
        }
        return nil
    }
}

extension HeaderField {
    /// The names of the headers whose values checks read and that stay the same from one answer to the next.
    package static let steadyNames: Set<String> = {
        let signs = HostingTable.rows.map(\.sign) + BotProtection.rows.map(\.sign)
        let named = signs.flatMap(\.headers).filter { !$0.part.isEmpty }.map(\.name)
        return Set(
            named + [
                "cache-control", "content-encoding", "content-type", "last-modified", "location", "server",
                "www-authenticate", "x-robots-tag",
            ])
    }()

    /// The names of all headers that checks read. Of an answer with many headers, only these are kept.
    package static let readNames: Set<String> = {
        let signs = HostingTable.rows.map(\.sign) + BotProtection.rows.map(\.sign)
        return steadyNames.union(signs.flatMap(\.headers).map(\.name))
            .union(["age", "cdnuuid", "cf-ray", "content-length", "date", "etag", "retry-after", "via"])
    }()
}
