import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor match SOURCE URL...`: which app each URL opens, and which rule decided.
struct MatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "match", abstract: "Show which app each URL opens, and which rule decided.",
        discussion: """
            A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy). A URL is \
            absolute, or a path such as '/buy/1?x=2'. Follows what Apple's own tool does.
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "source"))
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
        if let domain = try FileSource(parsing: source).domain {
            for question in questions {
                guard case .above = try LinkOwner(of: question.url, among: [domain]) else { continue }
                LinkOwner.note(question.url, domain)
            }
        }
        let reader = SourceReader(network: network, configuration: try configuration.loadIfPresent())
        guard let text = try await reader.read([source]).first else { return }
        let file = try text.associationFile()
        let answers = questions.map { MatchAnswer(question: $0, file: file) }
        switch format {
        case .text:
            let output = MatchText(style: .standardOutput, file: file, source: text.name)
            Console.print(
                answers.map { output.describe($0, explains: explain) }.joined(separator: explain ? "\n\n" : "\n"))
        case .json: Console.print(OrderedJSON.array(answers.map { $0.json(file) }).text(isPretty: true))
        }
        if answers.contains(where: { !$0.isAsExpected }) { throw MonitorExit.found.code }
    }

    private func questions() throws -> [MatchQuestion] {
        let expected = try expect.map { try MatchQuestion.opening($0, option: "--expect") }
        let plain = try urls.map { try MatchQuestion($0, expected: expected) }
        return plain + (try expectedURLs.map(MatchQuestion.init(expectation:)))
    }
}
