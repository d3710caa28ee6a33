// The error of an API that comes with status 200: JSON, and no association file.

import AASA
import Foundation

enum ErrorMessage {
    /// What the message says, or how it begins; nil where the body is no error message. Bounded, not cleaned for display.
    static func words(in body: ContentReading, _ content: Data?) -> String? {
        guard let root = body.document?.root, !body.namesService else { return nil }
        // Some APIs answer with a list of errors.
        guard let node = root.elements.map(\.first) ?? root, isError(node) else { return nil }
        let head = String(decoding: (content ?? Data()).prefix(200), as: UTF8.self)
        return "'\((text(in: node, depth: 0) ?? head.onOneLine).shortened(to: 70))'"
    }

    /// Whether an object has the members of one of the usual forms, RFC 9457 among them. A file whose services are misspelt, or
    /// that is merely empty, has none of them.
    private static func isError(_ node: JSONNode) -> Bool {
        guard let members = node.members, members.count <= 40 else { return false }
        var values: [String: JSONNode] = [:]
        for member in members where member.key.utf8.count <= 40 {
            values[member.key.lowercased()] = member.value
        }
        guard values.keys.allSatisfy({ !Association.knownServices.contains($0) }) else { return false }
        if marks.contains(where: { values[$0].map(saysSomething) == true }) || isFailure(values) { return true }
        return ["message", "detail"].contains { values[$0].map { saysSomething($0) && !isGreeting($0) } == true }
    }

    /// What an API says at its root, or of its health: the path is not the file's, and nothing failed.
    private static func isGreeting(_ node: JSONNode) -> Bool {
        let words = Set((node.string ?? "").prefix(200).lowercased().split { !$0.isLetter }.map(String.init))
        return !words.isDisjoint(with: [
            "welcome", "hello", "hi", "ok", "success", "running", "healthy", "alive", "pong",
        ])
    }

    /// Members that only an error has.
    private static let marks = [
        "error", "errors", "errorcode", "error_code", "errormessage", "error_message", "error_description", "errortype",
        "exception", "fault", "problem",
    ]

    private static func isFailure(_ values: [String: JSONNode]) -> Bool {
        if ["success", "ok"].contains(where: { values[$0]?.value == .bool(false) }) { return true }
        if let status = values["status"]?.string?.lowercased(),
            ["error", "fail", "failed", "failure", "ko", "not_found", "unauthorized", "forbidden"].contains(status)
        {
            return true
        }
        return ["code", "status", "statuscode", "status_code", "httpstatus", "httpcode"].contains { key in
            switch values[key]?.value {
            case .number(let text), .string(let text): Int(text).map { (400..<600).contains($0) } ?? false
            default: false
            }
        }
    }

    /// Empty, false or 0, such a member says that there is no error.
    private static func saysSomething(_ node: JSONNode) -> Bool {
        switch node.value {
        case .null: false
        case .bool(let value): value
        case .number(let text): text != "0"
        case .string(let text): !text.allSatisfy(\.isWhitespace)
        case .array(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        }
    }

    /// In which members the sentence for people stands, the best first.
    private static let names = [
        "message", "error_description", "errormessage", "error_message", "detail", "title", "msg", "faultstring",
        "reason", "description", "error", "errors", "fault", "exception", "problem",
    ]

    private static func text(in node: JSONNode, depth: Int) -> String? {
        guard depth < 4 else { return nil }
        if let string = node.string { return string.allSatisfy(\.isWhitespace) ? nil : string.onOneLine }
        if let first = node.elements?.first { return text(in: first, depth: depth + 1) }
        guard let members = node.members?.prefix(40) else { return nil }
        return names.lazy.compactMap { name in
            members.first { $0.key.utf8.count <= 40 && $0.key.lowercased() == name }
                .flatMap { text(in: $0.value, depth: depth + 1) }
        }.first
    }
}

extension String {
    /// The beginning, each run of blanks and line breaks as one blank.
    var onOneLine: String { prefix(400).split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

extension Readings {
    /// What the origin says in an error message in place of the file.
    var originErrorMessage: String? {
        guard let answer = observation.origin.answer, answer.status == 200, answer.body.end == .complete,
            let body = originBody
        else { return nil }
        return ErrorMessage.words(in: body, content(of: answer))
    }
}
