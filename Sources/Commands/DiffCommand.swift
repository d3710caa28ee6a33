import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor diff SOURCE SOURCE`: what differs in meaning, and which URLs change behaviour.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare two files in meaning: what differs, and which URLs change behaviour.",
        discussion: """
            A SOURCE is a path, - for standard input, a domain (its origin is read), or cdn:DOMAIN (Apple's copy): \
            'aasa-monitor diff cdn:example.com example.com' tells what phones do not have yet. Exits with 1 where the two \
            differ in meaning, be it in a comment; formatting alone does not count.
            """)

    @Argument(help: ArgumentHelp("The older file.", valueName: "old-source"))
    var old: String

    @Argument(help: ArgumentHelp("The newer file.", valueName: "new-source"))
    var new: String

    @Option(help: "text or json.")
    var format = Format.text

    @OptionGroup var network: NetworkOptions
    @OptionGroup var configuration: ConfigurationOptions

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    func run() async throws {
        let reader = SourceReader(network: network, configuration: try configuration.loadIfPresent())
        let texts = try await reader.read([old, new])
        let areSameBytes = texts[0].bytes == texts[1].bytes
        let files: [AssociationFile]
        do {
            files = try texts.map { try $0.associationFile() }
        } catch let failure as CommandFailure where areSameBytes {
            // What is no file does not differ from itself; that it is none is a matter of `lint`.
            Console.note("aasa-monitor: \(failure.message)")
            show(FileDifference(ofEqualBytes: texts.map(\.name)))
            return
        }
        let difference = FileDifference(
            old: files[0], new: files[1], names: texts.map(\.name), areSameBytes: areSameBytes)
        show(difference)
        if !difference.isEmpty { throw MonitorExit.found.code }
    }

    private func show(_ difference: FileDifference) {
        switch format {
        case .text: Console.print(difference.text(style: .standardOutput))
        case .json: Console.print(difference.json.text(isPretty: true))
        }
    }
}
