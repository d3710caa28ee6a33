import ArgumentParser
import Evidence
import Foundation
import MonitorConfiguration
import Monitoring
import Report
import StatusServer
import Storage

/// `aasa-monitor silence`: suppresses messages for a while. A domain has a dot, so it cannot be confused with a
/// subcommand.
struct SilenceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silence", abstract: "Suppress messages about a domain for a while.",
        usage: """
            aasa-monitor silence TARGET... --for 2h --reason TEXT
            aasa-monitor silence list
            aasa-monitor silence end ID...
            """,
        discussion: """
            A silence stops messages, not checks: incidents still open and resolve, and the status page shows them. \
            When it ends, each channel is notified of what is still true and new to it. A running daemon reacts within \
            seconds.
            """,
        subcommands: [SilenceAdd.self, SilenceList.self, SilenceEnd.self], defaultSubcommand: SilenceAdd.self)
}

/// `aasa-monitor silence TARGET... --for 2h --reason TEXT`.
struct SilenceAdd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Begin a silence; the word `add` is optional.")

    @Argument(
        help: ArgumentHelp(
            "A domain, `*.example.com`, a label (NAME=VALUE), or `all`. Of several domains one must match, of several labels all.",
            valueName: "target"), completion: .domains)
    var targets: [String]

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long, such as 2h or 1d12h.", valueName: "time"),
        transform: TimeSpan.reading(.milliseconds(1)...(.seconds(366 * 86_400))))
    var length: TimeSpan?

    @Option(help: ArgumentHelp("Until when, such as 2026-11-21T07:00:00Z.", valueName: "instant"))
    var until: String?

    @Option(help: ArgumentHelp("Why; shown by `silence list` and on the status page.", valueName: "text"))
    var reason: String

    @Option(
        name: .customLong("kind"),
        help: ArgumentHelp("Only this kind of incident; can be given several times (default: all).", valueName: "kind"),
        completion: .list(IncidentKind.allCases.map(\.rawValue)))
    var kinds: [String] = []

    @Option(
        name: [.customLong("by"), .customLong("author")],
        help: ArgumentHelp("Your name (default: user@host).", valueName: "name"))
    var author: String?

    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let order: SilenceOrder
        do {
            order = SilenceOrder(
                try SilenceScope(targets: targets, kinds: kinds), length: length?.duration, until: try end(),
                author: author ?? ProcessInfo.processInfo.operatorName, reason: reason)
            _ = try order.silence(now: Date())
        } catch let fault as SilenceFault {
            throw ValidationError(fault.description)
        }
        let silence = try await remote.ask(store, .beside) { try await $0.silence(order) }
        if silence.watchedDomains == 0 {
            Console.remark("no watched domain matches; the silence will apply to domains added later")
        }
        Console.print(
            "silence \(silence.id): \(silence.scope) until \(silence.endsAt.rfc3339); "
                + "end it with: aasa-monitor silence end \(silence.id)\(place)")
    }

    /// The options that select the daemon or store, quoted for a shell.
    private var place: String {
        [
            ("--url", remote.url), ("--token-file", remote.tokenFile), ("--store", store.file),
            ("--config", store.configurationPath),
        ]
        .compactMap { name, value in value.map { " \(name) \($0.quotedForShell)" } }.joined()
    }

    /// nil if the silence has a length.
    private func end() throws -> Date? {
        switch (length, until) {
        case (_?, nil): return nil
        case (nil, let until?):
            guard let end = try? Date(until, strategy: .iso8601) else {
                throw SilenceFault("--until '\(until.displayable)' is not a time such as 2026-11-21T07:00:00Z")
            }
            return end
        case (nil, nil): throw SilenceFault("--for or --until is missing: every silence has an end")
        case (_?, _?): throw SilenceFault("give --for or --until, not both")
        }
    }
}

/// `aasa-monitor silence list`.
struct SilenceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the silences that are active or begin later.")

    @Option(.text, .json) var format: OutputFormat
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let now = Date()
        let silences = try await remote.ask(store, .reader, now: now) { try await $0.silences() }.silences
        switch format {
        case .json: Console.print(try ReportJSON.text(silences))
        default:
            Console.print(Self.text(silences, now: now))
        }
    }

    /// One line for each.
    static func text(_ silences: [SilenceReport], now: Date) -> String {
        if silences.isEmpty { return "no silences" }
        return silences.map { silence in
            // Rounded up: a silence of a day that has just begun must show one day.
            let length = silence.endsAt.timeIntervalSince(now).rounded(.up).inWords
            return "\(silence.id)  \(silence.scope)  until \(silence.endsAt.rfc3339) (\(length))  "
                + "by \(silence.author.displayable): \(silence.reason.displayable)"
        }.joined(separator: "\n")
    }
}

/// `aasa-monitor silence end ID`.
struct SilenceEnd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end", abstract: "End silences now; alerts that are still true are sent within seconds.",
        aliases: ["expire"])

    @Argument(help: ArgumentHelp("The id that `silence list` shows.", valueName: "id")) var ids: [String]
    @OptionGroup var store: StoreOptions
    @OptionGroup var remote: RemoteOptions

    func run() async throws {
        let unknown = try await remote.ask(store, .beside) { api in
            var unknown: [String] = []
            for id in ids {
                do {
                    let silence = try await api.endSilence(id)
                    Console.print("silence \(silence.id) has ended: \(silence.scope)")
                } catch let refusal as APIRefusal where refusal.reason == .notFound {
                    unknown.append(id)
                }
            }
            return unknown
        }
        guard !unknown.isEmpty else { return }
        throw CommandFailure(
            .usage,
            "no silence has the id \(unknown.joined(separator: ", ").displayable); see aasa-monitor silence list")
    }
}
