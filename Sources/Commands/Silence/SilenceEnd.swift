import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Storage

/// `aasa-monitor silence end ID`.
struct SilenceEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End silences now; alerts that are still true are sent within seconds.")

    @Argument(help: ArgumentHelp("As `silence list` shows it.", valueName: "id")) var ids: [String]
    @OptionGroup var store: StoreOptions

    func run() async throws {
        let now = Date()
        let unknown = try await store.with(.beside) { store in
            var unknown: [String] = []
            for id in ids {
                guard let silence = try await store.endSilence(id: id, now: now) else {
                    unknown.append(id)
                    continue
                }
                Console.print("silence \(silence.id) is over: \(silence.scope)")
            }
            return unknown
        }
        guard unknown.isEmpty else {
            throw CommandFailure(
                .usage,
                "no silence has the id \(unknown.joined(separator: ", ").displayable); see aasa-monitor silence list")
        }
    }
}
