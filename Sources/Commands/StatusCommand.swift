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

/// The overview in a terminal: what needs attention in full, what is well in one line each.
struct StatusText {
    let text: String

    init(_ overview: Overview, style: TextStyle) {
        var lines = [style.bold(overview.headline)]
        for line in overview.fleet {
            lines += ["", "\(style.bold(line.kind))  \(line.state) since \(line.since)"]
            lines += line.diagnosis.flatMap(style.diagnosis)
            lines.append("  " + Self.incident(line.id, line.acknowledgedBy))
        }
        let (troubled, calm) = (overview.rows.filter(\.needsAttention), overview.rows.filter { !$0.needsAttention })
        for row in troubled {
            lines += ["", "\(style.bold(row.name))  \(Self.level(row, style))  \(style.dim(Self.details(row)))"]
            lines += row.diagnosis.flatMap(style.diagnosis)
            lines += row.incidents.map { "  " + Self.incident($0) }
        }
        if !calm.isEmpty {
            lines.append("")
            lines += TextTable(rows: calm.map { [$0.name, $0.verdict, Self.details($0)] })
                .lines(indentation: 0, style: style)
        }
        lines += ["", overview.notifications]
        text = lines.joined(separator: "\n")
    }

    private static func level(_ row: OverviewRow, _ style: TextStyle) -> String {
        switch row.level {
        case .failing: style.verdict(.failing)
        case .warning: style.verdict(.warning)
        case .ok: style.verdict(.ok)
        case .unknown: style.verdict(.unknown)
        case .unchecked: row.verdict
        }
    }

    private static func details(_ row: OverviewRow) -> String {
        [row.comparison, row.checked.map { "checked \($0)" }].compactMap(\.self).joined(separator: " · ")
    }

    private static func incident(_ incident: OverviewIncident) -> String {
        let parts = [
            "\(incident.kind) \(incident.state) since \(incident.since)",
            incident.silencedUntil.map { "silenced until \($0) UTC" },
            incident.inhibitedBy.map { "inhibited by \($0)" },
            Self.incident(incident.id, incident.acknowledgedBy),
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    private static func incident(_ id: String, _ acknowledgedBy: String?) -> String {
        "incident \(id)" + (acknowledgedBy.map { " · acknowledged by \($0)" } ?? "")
    }
}
