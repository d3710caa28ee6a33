import ArgumentParser
import Evidence
import Foundation
import StatusServer
import Storage

/// `aasa-monitor status`: what the daemon knows, from its store.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what the daemon knows of its domains, trouble first.",
        discussion: """
            Reads the store, or asks the daemon of --url, and sends no other request. Exit code 1 if a domain is failing. To look at a site now, use `check`.
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Option(help: "text or json.") var format = Format.text
    @Flag(help: "Show it again every two seconds, until Ctrl-C.") var watch = false
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions
    @Argument(help: "Domains (default: all).", completion: DomainCompletion.kind) var domains: [String] = []

    /// Between two looks of `--watch`.
    private static let pause: Duration = .seconds(2)

    func run() async throws {
        let named = domains.isEmpty ? [] : try Targets.read(domains).map(\.domain)
        var isFailing = false
        if watch { Console.endWithReader() }
        repeat {
            let now = Date()
            let reading = try await remote.ask(
                { try await $0.status(of: named, withDocuments: format == .json, now: now) }, or: store, .reader
            ) {
                try await StatusReading($0, domains: Set(named), withDocuments: format == .json, now: now)
            }
            let known = Set(reading.overview.rows.map(\.name))
            if let missing = named.first(where: { !known.contains($0.name) }) {
                throw CommandFailure(.found, "\(missing) is not watched here, or its first check has not ended")
            }
            isFailing = reading.overview.rows.contains { $0.level == .failing }
            show(reading)
            if watch { try await Task.sleep(for: Self.pause) }
        } while watch
        if isFailing { throw MonitorExit.found.code }
    }

    private func show(_ reading: StatusReading) {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        // The cursor to the top, and all below it cleared: no flicker.
        let start = watch && isTerminal ? "\u{1B}[H\u{1B}[J" : ""
        switch format {
        case .json:
            let documents = reading.documents.map { String(decoding: $0, as: UTF8.self) }
            Console.print(start + "[" + documents.joined(separator: ",\n ") + "]")
        case .text: Console.print(start + StatusText(reading.overview, style: .standardOutput).text)
        }
    }
}
