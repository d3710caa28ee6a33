import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Storage

/// `aasa-monitor silence end ID`.
struct SilenceEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End silences now; alerts that are still true are sent within seconds.",
        aliases: ["expire"])

    @Argument(help: ArgumentHelp("As `silence list` shows it.", valueName: "id")) var ids: [String]
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let now = Date()
        let unknown = try await remote.ask(
            { monitor in try await end { try await monitor.endSilence(id: $0) } }, or: store, .beside
        ) { store in
            try await end { try await store.endSilence(id: $0, now: now) }
        }
        guard !unknown.isEmpty else { return }
        throw CommandFailure(
            .usage,
            "no silence has the id \(unknown.joined(separator: ", ").displayable); see aasa-monitor silence list")
    }

    /// - Returns: the ids that no silence has.
    private func end(_ end: (String) async throws -> Silence?) async throws -> [String] {
        var unknown: [String] = []
        for id in ids {
            if let silence = try await end(id) {
                Console.print("silence \(silence.id) is over: \(silence.scope)")
            } else {
                unknown.append(id)
            }
        }
        return unknown
    }
}
