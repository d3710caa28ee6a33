import AASA
import ArgumentParser
import Evidence

/// `aasa-monitor diff SOURCE SOURCE`: what differs in meaning, and which URLs change behaviour.
struct DiffCommand<Network: Remote>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "diff",
            abstract: "Compare two files in meaning: what differs, and which URLs change behaviour.",
            discussion: """
                \(Network.sourceHelp("'aasa-monitor diff cdn:example.com example.com' shows what phones do not have yet")) \
                Exits with 1 if the two differ in meaning, even in a comment only; formatting alone does not count. \
                Exits with 65 if one or both are not an association file, even if they are equal: devices ignore such \
                a file.
                """)
    }

    @Argument(help: ArgumentHelp("The older file.", valueName: "old-source"), completion: .file())
    var old: String

    @Argument(help: ArgumentHelp("The newer file.", valueName: "new-source"), completion: .file())
    var new: String

    @Option(.text, .json, .markdown, notes: [.markdown: "for a comment on a pull request"])
    var format: OutputFormat

    @OptionGroup var color: ColorOption
    @OptionGroup var network: Network

    func run() async throws {
        let reader = SourceReader(remote: network)
        let texts = try await reader.read([old, new])
        let areSameBytes = texts[0].bytes == texts[1].bytes
        let contents = try texts.map { text in try content(of: text, areSameBytes: areSameBytes) }
        for case .nothing(let reason)? in contents { Console.remark(reason) }
        let difference =
            areSameBytes
            ? FileDifference(ofEqualBytes: texts.map(\.name))
            : FileDifference(old: contents[0]?.file, new: contents[1]?.file, names: texts.map(\.name))
        show(difference)
        for case .nothing? in contents { throw MonitorExit.notAFile.code }
        if !areSameBytes, !difference.isEmpty { throw MonitorExit.found.code }
    }

    /// nil: how devices read it is unknown and does not matter. Two equal texts do not differ, whatever they are.
    private func content(of text: SourceText, areSameBytes: Bool) throws -> SourceText.Content? {
        do {
            return try text.content()
        } catch let failure as CommandFailure where areSameBytes {
            Console.remark(failure.message)
            return nil
        }
    }

    private func show(_ difference: FileDifference) {
        switch format {
        case .json: Console.print(OrderedJSON.document(DiffDocument(difference)).text(isPretty: true))
        case .markdown: Console.print(difference.markdown)
        default: Console.print(difference.text(style: .standardOutput))
        }
    }
}
