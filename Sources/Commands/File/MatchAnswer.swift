import AASA
import Evidence

/// A URL to match, and what it is expected to do.
struct MatchQuestion {
    let url: MatchableURL
    let expected: ExpectedOpening?

    /// - Throws: `CommandFailure` for a text that is no URL.
    init(_ text: String, expected: ExpectedOpening?) throws {
        guard let url = MatchableURL(text) else {
            throw CommandFailure(
                .usage, "'\(text.displayable)' is no URL; write https://example.com/path or a path beginning with /")
        }
        self.url = url
        self.expected = expected
    }

    /// Reads `URL=APPID` or `URL=nothing`. An app ID holds no `=`, so the last one divides.
    init(expectation text: String) throws {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex else {
            throw CommandFailure(.usage, "'\(text.displayable)' is not of the form URL=APPID or URL=nothing")
        }
        let opening = try Self.opening(String(text[text.index(after: equals)...]), option: "'\(text.displayable)'")
        try self.init(String(text[..<equals]), expected: opening)
    }

    /// Reads `APPID` or `nothing`. Every app ID has a dot; without this rule the value of a query would pass for an app
    /// in `/a?b=c`, where the expectation itself was forgotten.
    static func opening(_ text: String, option: String) throws -> ExpectedOpening {
        guard text == "nothing" || (text.contains(".") && !text.contains(where: \.isWhitespace)) else {
            throw CommandFailure(
                .usage,
                "\(option): expected an app ID such as ABCDE12345.com.example.app, or nothing, "
                    + "found '\(text.displayable)'")
        }
        return ExpectedOpening(parsing: text)
    }
}

/// What the file says about one URL.
struct MatchAnswer {
    let question: MatchQuestion
    /// nil: the file says nothing about the URL, so nothing opens.
    let result: MatchResult?
    /// Why the file is not asked at all.
    let obstacle: Obstacle?

    enum Obstacle {
        /// Devices take nothing from it.
        case noFile
        /// It is the file of this domain, and the URL has another host.
        case otherHost(Domain)
    }

    init(question: MatchQuestion, file: AssociationFile?, owner: LinkOwner) {
        self.question = question
        if case .other(let domain) = owner {
            obstacle = .otherHost(domain)
        } else {
            obstacle = file == nil ? .noFile : nil
        }
        result = obstacle == nil ? file?.applinks?.match(question.url) : nil
    }

    var opens: String? { result?.opens }

    var isAsExpected: Bool {
        switch question.expected {
        case nil: true
        case .nothing: opens == nil
        // Of several apps that a URL opens, the one that is installed counts.
        case .app(let app): opens == app || result?.alsoOpenedBy.contains(app) == true
        }
    }

    func json(_ file: AssociationFile?) -> OrderedJSON {
        let rule: OrderedJSON =
            if let attempt = result?.deciding, let file {
                .object([
                    ("pointer", .string(attempt.rule.pointer)),
                    ("line", .integer(file.position(of: attempt.rule.node).line)),
                ])
            } else {
                .null
            }
        return .object([
            ("url", .string(question.url.text)), ("opens", .optional(opens)), ("service", .string("applinks")),
            ("rule", rule), ("also_opened_by", .array((result?.alsoOpenedBy ?? []).map { .string($0) })),
            ("as_expected", .optional(question.expected == nil ? nil : isAsExpected)),
        ])
    }
}
