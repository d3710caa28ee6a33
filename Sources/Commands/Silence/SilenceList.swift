import ArgumentParser
import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

/// `aasa-monitor silence list`.
struct SilenceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the silences that are active or begin later.")

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(help: "text or json.") var format: Format = .text
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let now = Date()
        let silences = try await remote.ask({ try await $0.silences() }, or: store, .reader) {
            try await $0.silences(notOverAt: now)
        }
        switch format {
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let documents = silences.map { SilenceDocument($0, now: now) }
            Console.print(String(decoding: try encoder.encode(documents), as: UTF8.self))
        case .text:
            if silences.isEmpty { Console.print("no silence") }
            for silence in silences {
                let length = silence.endsAt.timeIntervalSince(now).inWords
                Console.print(
                    "\(silence.id)  \(silence.scope)  until \(silence.endsAt.rfc3339) (\(length))  "
                        + "by \(silence.author.displayable): \(silence.reason.displayable)")
            }
        }
    }
}
