import ArgumentParser
import Evidence
import Foundation
import StatusServer
import Storage

/// `aasa-monitor history`: what the daemon remembers of one domain, from its store.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show what changed on a domain, how long Apple's CDN took, incidents and alerts sent.",
        discussion: """
            Reads the store, or asks the daemon of --url, and sends no other request. What a version changed is shown as long as both files are kept \
            (store.keep_observations).
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(help: "text or json.") var format = Format.text
    @Option(help: "At most so many versions, incidents and deliveries each.") var limit = 20
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions
    @Argument(help: "The domain.", completion: DomainCompletion.kind) var domain: String

    func validate() throws {
        guard (1...DomainHistory.largestLimit).contains(limit) else {
            throw ValidationError("--limit takes a number from 1 to \(DomainHistory.largestLimit), not \(limit)")
        }
    }

    func run() async throws {
        let targets = try Targets.read([domain])
        guard targets.count == 1, let target = targets.first else {
            throw CommandFailure(.usage, "history is of one domain, not of \(targets.count)")
        }
        let now = Date()
        let history = try await remote.ask(
            { try await $0.history(of: target.domain, limit: limit, now: now) }, or: store, .reader
        ) {
            try await DomainHistory($0, domain: target.domain, limit: limit, time: PageTime(now: now))
        }
        guard let history else {
            throw CommandFailure(.found, "\(target.domain) is not watched here, or its first check has not ended")
        }
        switch format {
        case .json: Console.print(String(decoding: try history.document(), as: UTF8.self))
        case .text: Console.print(HistoryText(history, style: .standardOutput, now: now).text)
        }
    }
}
