import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor match SOURCE URL...`: which app each URL opens, and which rule decided.
struct MatchCommand<Network: Remote>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "match", abstract: "Show which app each URL opens, and which rule decided.",
            discussion: """
                \(Network.sourceHelp(nil)) A URL is absolute, or a path such as '/buy/1?x=2'. @FILE and - read URLs from \
                a file or from standard input, one per line; a line that begins with # is skipped. The results follow \
                Apple's own tool.

                --domain says whose file it is. A URL of another host then opens nothing, even of a subdomain: a device \
                uses the file of the URL's own host. A path can be tested against any file.

                An argument that is not a URL is reported on standard error; the others are still answered. Exit codes: \
                1 an expectation failed, 64 not a URL, 65 the source is not an association file, 66 the source or a \
                list cannot be read.
                """)
    }

    @Argument(help: ArgumentHelp("The file.", valueName: "source"), completion: .file())
    var source: String

    @Argument(help: ArgumentHelp("What to match; @FILE and - read a list.", valueName: "url"))
    var urls: [String] = []

    @Flag(help: "Show every rule that was tried, and why it did not match.")
    var explain = false

    @Option(help: ArgumentHelp("Exit with 1 unless every URL opens this app.", valueName: "app-id|nothing"))
    var expect: String?

    @Option(
        name: .customLong("expect-url"), parsing: .singleValue,
        help: ArgumentHelp("A URL and what it must do; exit with 1 if it does not.", valueName: "url=app-id|nothing"))
    var expectedURLs: [String] = []

    @Option(help: ArgumentHelp("The domain whose file it is.", valueName: "name"), completion: Network.domainCompletion)
    var domain: String?

    @Option(.text, .json, .junit) var format: OutputFormat

    @OptionGroup var color: ColorOption
    @OptionGroup var network: Network

    func validate() throws {
        if urls.isEmpty, expectedURLs.isEmpty { throw ValidationError("name at least one URL") }
    }

    func run() async throws {
        let (questions, faults) = try self.questions()
        // The other URLs are still answered.
        for fault in faults { Console.remark(fault) }
        guard !questions.isEmpty else {
            if faults.isEmpty { throw CommandFailure(.usage, "there is no URL; name one, such as /buy/1") }
            throw MonitorExit.usage.code
        }
        let reader = SourceReader(remote: network)
        guard let text = try await reader.read([source]).first else { return }
        let content = try text.content()
        if case .nothing(let reason) = content {
            Console.remark("\(reason); devices ignore this file")
        }
        let output = MatchText(
            style: format == .junit ? .plain : .standardOutput, file: content.file, source: text.name)
        var (isAsExpected, list, junit) = (true, [MatchDocument](), JUnit(command: "match"))
        for fault in faults { junit.add("not a URL", in: text.name, .error(fault)) }
        // One at a time: a list may be long, and an answer holds all the rules that were tried.
        for (place, (question, owner)) in questions.enumerated() {
            let answer = MatchAnswer(question: question, file: content.file, owner: owner)
            isAsExpected = isAsExpected && answer.isAsExpected
            switch format {
            case .json: list.append(MatchDocument(answer, content.file))
            case .junit: junit.add(answer, of: text.name, output.describe(answer, explains: explain))
            default: Console.print((explain && place > 0 ? "\n" : "") + output.describe(answer, explains: explain))
            }
        }
        if format == .json { Console.print(OrderedJSON.document(list).text(isPretty: true)) }
        if format == .junit { Console.print(junit.xml) }
        if !faults.isEmpty { throw MonitorExit.usage.code }
        if content.file == nil { throw MonitorExit.notAFile.code }
        if !isAsExpected { throw MonitorExit.found.code }
    }

    /// Each URL with the owner of the file that decides it, and a message for each that cannot be matched.
    /// - Throws: `CommandFailure` if an option is not valid, or a list cannot be read.
    private func questions() throws -> (asked: [(MatchQuestion, LinkOwner)], faults: [String]) {
        guard source != "-" || !urls.contains("-") else {
            throw CommandFailure(.usage, "standard input can be read only once: as the file or as the list of URLs")
        }
        let site = try FileSource(parsing: source).domain
        let named: Domain?
        do {
            named = try domain.map { try Target(parsing: $0).domain }
        } catch {
            throw CommandFailure(.usage, "--domain: \(error)")
        }
        let expected = try expect.map { try MatchQuestion.opening($0, option: "--expect") }
        var asked: [(MatchQuestion, LinkOwner)] = []
        var faults: [String] = []
        func add(_ question: () throws -> MatchQuestion, _ words: (String) -> String = { $0 }) throws {
            do {
                let question = try question()
                asked.append((question, try Self.owner(of: question.url, named, site)))
            } catch let failure as CommandFailure where failure.exit == .usage {
                faults.append(words(failure.message))
            }
        }
        for entry in try ListedArguments(noun: "URLs", hasCommentsAtLineEnds: false).read(urls) {
            try add({ try MatchQuestion(entry.text, expected: expected) }, entry.fault)
        }
        for text in expectedURLs { try add { try MatchQuestion(expectation: text) } }
        return (asked, faults)
    }

    /// Who owns the file that decides a URL. The file of a parent domain decides for some apps only; the URL then opens
    /// nothing, with a remark.
    private static func owner(of url: MatchableURL, _ named: Domain?, _ site: Domain?) throws -> LinkOwner {
        let owner: LinkOwner =
            if let named {
                try LinkOwner(of: url, in: named)
            } else if let site {
                try LinkOwner(of: url, among: [site])
            } else {
                .any
            }
        guard case .above(let domain) = owner else { return owner }
        Console.remark(
            "'\(url.text.displayable.shortened(to: 200))' is not matched against the file of \(domain): devices use that of "
                + "\(url.host.displayable); apps with the entitlement applinks:*.\(domain) use this one too. Give only the "
                + "path to see what it says")
        return .other(domain)
    }
}

/// A URL to match, and what it is expected to do.
package struct MatchQuestion: Sendable {
    package let url: MatchableURL
    /// The URL as it is shown.
    package let text: String
    package let expected: ExpectedOpening?

    package init(_ url: MatchableURL, absolute text: String, expected: ExpectedOpening?) {
        (self.url, self.text, self.expected) = (url, text, expected)
    }

    /// - Throws: `CommandFailure` for a text that is not a URL.
    package init(_ text: String, expected: ExpectedOpening?) throws {
        guard let url = MatchableURL(text) else {
            throw CommandFailure(
                .usage, "'\(text.displayable)' is not a URL; write https://example.com/path or a path beginning with /")
        }
        self.init(url, absolute: url.text, expected: expected)
    }

    /// Reads `URL=APPID` or `URL=nothing`. An app ID contains no `=`, so the last one separates the two.
    package init(expectation text: String) throws {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex else {
            throw CommandFailure(.usage, "'\(text.displayable)' is not of the form URL=APPID or URL=nothing")
        }
        let opening = try Self.opening(String(text[text.index(after: equals)...]), option: "'\(text.displayable)'")
        try self.init(String(text[..<equals]), expected: opening)
    }

    /// Reads `APPID` or `nothing`. Every app ID has a dot. Without this rule, `/a?b=c` with a forgotten expectation
    /// would expect the app `c`.
    package static func opening(_ text: String, option: String) throws -> ExpectedOpening {
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
package struct MatchAnswer: Sendable {
    package let question: MatchQuestion
    /// nil: the file says nothing about the URL, so nothing opens.
    package let result: MatchResult?
    /// The first rules that look like a matching pattern but are compared literally.
    let literals: [LiteralNotation]
    /// Why the file is not used at all.
    let obstacle: Obstacle?

    enum Obstacle: Sendable {
        /// Devices ignore it.
        case noFile
        /// It is the file of this domain, and the URL has another host.
        case otherHost(Domain)
    }

    package init(question: MatchQuestion, file: AssociationFile?, owner: LinkOwner) {
        self.question = question
        if case .other(let domain) = owner {
            obstacle = .otherHost(domain)
        } else {
            obstacle = file == nil ? .noFile : nil
        }
        let meter = WorkMeter(.match)
        result = obstacle == nil ? file?.applinks?.match(question.url, meter: meter) : nil
        literals = Array((result?.literalNotations(meter: meter) ?? []).prefix(3))
    }

    package var opens: String? { result?.opens }

    package var isAsExpected: Bool {
        switch question.expected {
        case nil: true
        case .nothing: opens == nil && result?.isComplete != false
        // If several apps match, the phone opens the installed one.
        case .app(let app): opens?.isExactly(app) == true || result?.alsoOpenedBy.containsExactly(app) == true
        }
    }

}

/// The text of `match`.
package struct MatchText {
    let style: TextStyle
    /// nil: devices ignore the source.
    let file: AssociationFile?
    let source: String

    package init(style: TextStyle, file: AssociationFile?, source: String) {
        (self.style, self.file, self.source) = (style, file, source)
    }

    package func describe(_ answer: MatchAnswer, explains: Bool) -> String {
        var lines = [headline(answer)]
        if explains { lines += explanation(answer) }
        if let result = answer.result, !result.isComplete {
            lines.append(
                "    note: incomplete: the rules are too many or too complex to try them all; only the first "
                    + "\(result.attempts.count.grouped) were tried")
        }
        // `--explain` shows the same as a contested point.
        if !explains, let also = answer.result?.alsoOpenedBy.first {
            lines.append(
                "    note: \(also.displayable) claims this URL too; Apple documents that the first in the file wins, but "
                    + "iOS 15 reportedly took the last")
        }
        for literal in answer.literals {
            lines.append(
                "    note: \(place(of: literal.rule)) does not match: devices compare "
                    + "\(literal.written.displayable.shortened(to: 80)) literally")
        }
        if !answer.isAsExpected, let expected = answer.question.expected {
            lines.append("    " + style.severity(.error) + ": expected to open \(expected)")
        }
        return style.signs(lines.joined(separator: "\n"))
    }

    package func headline(_ answer: MatchAnswer) -> String {
        let url = answer.question.text.displayable
        let opens = answer.opens.map { "opens \($0.displayable)" } ?? "opens nothing"
        switch answer.obstacle {
        case .noFile: return "\(style.bold(url))  \(opens): devices ignore this file"
        case .otherHost(let domain): return "\(style.bold(url))  \(opens): the file belongs to \(domain)"
        case nil: break
        }
        guard file?.applinks != nil else { return "\(style.bold(url))  \(opens): the file has no applinks object" }
        guard let deciding = answer.result?.deciding else {
            let matching = answer.result?.attempts.first { $0.mismatch == nil && !$0.entry.appIDs.isEmpty }
            guard let matching else {
                let isComplete = answer.result?.isComplete ?? true
                return "\(style.bold(url))  \(opens): no rule \(isComplete ? "" : "that was tried ")matches"
            }
            let app = matching.entry.appIDs[0].displayable
            return "\(style.bold(url))  \(opens): the app ID \"\(app)\" was never filled in"
        }
        let word = deciding.rule.isExclusion ? "excluded by" : "by"
        return "\(style.bold(url))  \(opens), \(word) \(source.displayable):\(place(of: deciding.rule))"
    }

    private func explanation(_ answer: MatchAnswer) -> [String] {
        guard file?.applinks != nil else { return [] }
        var lines: [String] = []
        var pointer: String?
        for attempt in answer.result?.attempts ?? [] {
            if attempt.entry.pointer != pointer {
                pointer = attempt.entry.pointer
                let apps = attempt.entry.appIDs.map(\.displayable).joined(separator: ", ")
                lines.append(
                    "    " + style.dim("\(attempt.entry.pointer.displayable), for \(apps.isEmpty ? "no app" : apps)"))
            }
            lines.append("      \(place(of: attempt.rule)): \(reason(attempt, answer.question.url))")
        }
        if lines.isEmpty { lines.append("    no rule to try") }
        for point in answer.result?.contested ?? [] {
            lines += style.wrapped("contested: " + point.explanation, indentation: 4, hanging: 11)
        }
        return lines
    }

    /// A rule and its place. Many files are one line, so the column matters.
    private func place(of rule: URLRule) -> String {
        let position = file?.position(of: rule) ?? SourcePosition(line: 1, column: 1)
        return "\(position.line):\(position.column) \(rule.written.displayable.shortened(to: 120))"
    }

    private func reason(_ attempt: RuleAttempt, _ url: MatchableURL) -> String {
        switch attempt.mismatch {
        case nil: style.bold(attempt.rule.isExclusion ? "matches, and excludes" : "matches")
        // Do not show the path: it is compared in a normal form that nobody typed.
        case .path: "the path does not match" + fault(attempt.rule.path)
        case .query: url.query.isEmpty ? "the URL has no query" : "the query does not match"
        case .queryItem(let name):
            url.query.isEmpty ? "the URL has no query" : "no query item '\(Self.short(name))' that matches"
        case .fragment:
            (url.fragment.isEmpty ? "the URL has no fragment" : "the fragment does not match")
                + fault(attempt.rule.fragment)
        }
    }

    /// A name may be as long as the file, and is repeated for each rule.
    private static func short(_ name: String) -> String {
        String(name.unicodeScalars.prefix(200)).displayable.shortened(to: 80)
    }

    private func fault(_ pattern: Pattern?) -> String {
        switch pattern?.fault {
        case nil: ""
        case .unclosedVariable: ": '$(' is never closed, so the pattern matches nothing"
        case .undefinedVariable(let name):
            ": the variable '\(Self.short(name))' is not defined, so the pattern matches nothing"
        case .tooComplex: ": it has more than \(Pattern.maximumWildcards) wildcards, so it matches nothing"
        }
    }
}
