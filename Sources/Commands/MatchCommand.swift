import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor match SOURCE URL...`: which app each URL opens, and which rule decided.
struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Show which app each URL opens, and which rule decided.",
        discussion: """
            A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy). A URL is \
            absolute, or a path such as '/buy/1?x=2'. Follows what Apple's own tool does. With --domain the file is taken \
            for that of the domain, and a URL of another host opens nothing. Exits with 65 where the source is not an \
            association file.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "source"), completion: .file())
    var source: String

    @Argument(help: ArgumentHelp("What to match.", valueName: "url"))
    var urls: [String] = []

    @Flag(help: "Show every rule that was tried, and why it did not match.")
    var explain = false

    @Option(help: ArgumentHelp("Exit with 1 unless every URL opens this app.", valueName: "app-id|nothing"))
    var expect: String?

    @Option(
        name: .customLong("expect-url"), parsing: .singleValue,
        help: ArgumentHelp("A URL and what it must do; exit with 1 if it does not.", valueName: "url=app-id|nothing"))
    var expectedURLs: [String] = []

    @Option(help: ArgumentHelp("Whose file it is.", valueName: "name"), completion: DomainCompletion.kind)
    var domain: String?

    @Option(help: "text or json.")
    var format = Format.text

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    func validate() throws {
        if urls.isEmpty, expectedURLs.isEmpty { throw ValidationError("name at least one URL") }
    }

    func run() async throws {
        let questions = try self.questions()
        let owners = try self.owners(of: questions)
        let reader = SourceReader(network: network, configuration: try configuration.loadIfPresent())
        guard let text = try await reader.read([source]).first else { return }
        let content = try text.content()
        if case .nothing(let reason) = content {
            Console.remark("\(reason); devices take nothing from this file")
        }
        let answers = zip(questions, owners).map { MatchAnswer(question: $0, file: content.file, owner: $1) }
        switch format {
        case .text:
            let output = MatchText(style: .standardOutput, file: content.file, source: text.name)
            Console.print(
                answers.map { output.describe($0, explains: explain) }.joined(separator: explain ? "\n\n" : "\n"))
        case .json: Console.print(OrderedJSON.array(answers.map { $0.json(content.file) }).text(isPretty: true))
        }
        if content.file == nil { throw MonitorExit.notAFile.code }
        if answers.contains(where: { !$0.isAsExpected }) { throw MonitorExit.found.code }
    }

    /// For each question, whether the file decides about it. Says where it does so for some apps only.
    private func owners(of questions: [MatchQuestion]) throws -> [LinkOwner] {
        let site = try FileSource(parsing: source).domain
        let named: Domain?
        do {
            named = try domain.map { try Target(parsing: $0).domain }
        } catch {
            throw CommandFailure(.usage, "--domain: \(error)")
        }
        return try questions.map { question in
            let owner: LinkOwner =
                if let named {
                    try LinkOwner(of: question.url, in: named)
                } else if let site {
                    try LinkOwner(of: question.url, among: [site])
                } else {
                    .any
                }
            if case .above(let domain) = owner { LinkOwner.note(question.url, domain) }
            return owner
        }
    }

    private func questions() throws -> [MatchQuestion] {
        let expected = try expect.map { try MatchQuestion.opening($0, option: "--expect") }
        let plain = try urls.map { try MatchQuestion($0, expected: expected) }
        return plain + (try expectedURLs.map(MatchQuestion.init(expectation:)))
    }
}
