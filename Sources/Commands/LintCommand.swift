import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor lint SOURCE...`: judges files.
struct LintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check apple-app-site-association files: errors, traps, and how devices read them.",
        discussion: """
            A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy). Every rule \
            is explained in docs/lint-rules.md.
            """)

    @Argument(help: ArgumentHelp("What to check.", valueName: "source"), completion: .file())
    var sources: [String]

    @Option(help: "text, json, github (workflow annotations) or sarif.")
    var format = Format.text

    @Flag(help: "Exit with 1 at warnings too.")
    var strict = false

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, github, sarif }

    func run() async throws {
        let answers = try await SourceReader(network: network, configuration: configuration.loadIfPresent())
            .readEach(sources)
        var results: [LintResult] = []
        var failures: [CommandFailure] = []
        for answer in answers {
            switch answer {
            case .success(let text): results.append(LintResult(text: text, report: Linter.lint(text.bytes)))
            case .failure(let failure): failures.append(failure)
            }
        }
        // Where nothing could be read there is no result, and an empty one would pass for a good one.
        if !results.isEmpty { show(results, failures) }
        for failure in failures { Console.remark(failure.message) }
        // A missing input weighs more than what was found in the others.
        if failures.contains(where: { $0.exit == .noInput }) { throw MonitorExit.noInput.code }
        let worst = results.flatMap(\.report.findings).map(\.severity).max()
        let isFound = worst.map { $0 >= (strict ? .warning : .error) } ?? false
        if isFound || !failures.isEmpty { throw MonitorExit.found.code }
    }

    private func show(_ results: [LintResult], _ failures: [CommandFailure]) {
        switch format {
        case .text: Console.print(LintText(style: .standardOutput).describe(results))
        case .json: Console.print(OrderedJSON.array(results.map(\.json)).text(isPretty: true))
        case .github: results.flatMap(\.annotations).forEach(Console.print)
        case .sarif: Console.print(SARIF.log(of: results, failures: failures.map(\.message)).text(isPretty: true))
        }
    }
}
