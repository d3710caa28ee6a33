import AASA
import ArgumentParser

/// `aasa-monitor lint SOURCE...`: judges files.
struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Judge apple-app-site-association files: errors, traps, and what devices make of them.",
        discussion: """
            A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy). Every rule \
            is explained in docs/lint-rules.md.
            """)

    @Argument(help: ArgumentHelp("What to judge.", valueName: "source"))
    var sources: [String]

    @Option(help: "text, json, github (workflow annotations) or sarif.")
    var format = Format.text

    @Flag(help: "Exit with 1 at warnings too.")
    var strict = false

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, github, sarif }

    func run() async throws {
        let texts = try await SourceReader(network: network, configuration: configuration.loadIfPresent()).read(sources)
        let results = texts.map { LintResult(text: $0, report: Linter.lint($0.bytes)) }
        switch format {
        case .text: Console.print(LintText(style: .standardOutput).describe(results))
        case .json: Console.print(OrderedJSON.array(results.map(\.json)).text(isPretty: true))
        case .github: results.flatMap(\.annotations).forEach(Console.print)
        case .sarif: Console.print(SARIF.log(of: results).text(isPretty: true))
        }
        let worst = results.flatMap(\.report.findings).map(\.severity).max()
        if let worst, worst >= (strict ? .warning : .error) { throw MonitorExit.found.code }
    }
}
