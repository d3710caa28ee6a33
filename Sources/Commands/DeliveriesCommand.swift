import ArgumentParser
import Evidence
import Foundation
import Monitoring
import Report
import StatusServer
import Storage

/// `aasa-monitor deliveries`: what was sent to whom, and with what answer.
struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries", abstract: "Show what was sent to the channels; retry a failing channel now.",
        discussion: "Works while the daemon runs. The daemon reacts to a change within seconds.",
        subcommands: [List.self, Show.self, Retry.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List deliveries, the newest first, and count pending notifications.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var remote: RemoteOptions
        @Option(help: "Only those of this channel.") var channel: String?
        @Option(help: "Only those about this incident (its id, or the beginning of it).") var incident: String?
        @Option(help: "Only those about incidents of this domain.", completion: .domains) var domain: String?
        @Option(help: "At most this many.") var limit = 100
        @Option(.text, .json) var format: OutputFormat

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit: \(limit) is not a number above zero") }
            if remote.url != nil, limit > 500 { throw ValidationError("--limit: at most 500 with --url") }
            _ = try parsedDomain()
        }

        private func parsedDomain() throws -> Domain? {
            do {
                return try domain.map { try Domain($0) }
            } catch {
                throw ValidationError("--domain: \(error)")
            }
        }

        func run() async throws {
            let domain = try parsedDomain()
            let page = try await remote.ask(store, .reader) {
                try await $0.deliveries(
                    DeliveryQuery(channel: channel, incident: incident, domain: domain, limit: limit))
            }
            switch format {
            case .json: Console.print(try ReportJSON.text(page.deliveries))
            default:
                if page.deliveries.isEmpty {
                    Console.remark("no deliveries")
                } else {
                    Console.print(DeliveryListing.text(page.deliveries))
                }
                for count in page.pending { Console.print(DeliveryListing.text(count)) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one message: what it said, about which incidents, and each attempt.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var remote: RemoteOptions
        @Option(.text, .json) var format: OutputFormat
        @Argument(
            help: ArgumentHelp(
                "The number that `deliveries list` shows, or the beginning of the message_key in the log.",
                valueName: "id"))
        var id: String

        func validate() throws {
            guard !SentMessage.isName(id) else { return }
            throw ValidationError(
                "'\(id.displayable.shortened(to: 80))' is not the number of a delivery or the beginning of a "
                    + "message_key (at least eight characters)")
        }

        func run() async throws {
            let message = try await remote.ask(store, .reader) { try await $0.message(named: id) }
            switch format {
            case .json: Console.print(try ReportJSON.text(message))
            default: Console.print(DeliveryListing.text(message))
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Retry a failing channel now, for example after a repair.",
            discussion: """
                Ends the pause of a channel that fails or refuses messages. Sends the refused messages again if they \
                are still true. A wait that the receiver asked for stays in force.
                """)

        @OptionGroup var store: StoreOptions
        @OptionGroup var remote: RemoteOptions
        @Argument(help: "The name of the channel.") var channel: String

        func run() async throws {
            let retried = try await remote.ask(store, .beside) { api in
                do {
                    return try await api.retry(channel: channel)
                } catch let refusal as APIRefusal where refusal.reason == .notFound {
                    throw CommandFailure(
                        .usage, "no channel is named '\(channel.displayable.shortened(to: 80))'")
                }
            }
            Console.print(DeliveryListing.text(retried))
        }
    }
}

/// The log of deliveries as text. It shows the name of a channel but not its URL, which is a secret.
enum DeliveryListing {
    static func text(_ deliveries: [DeliveryReport]) -> String {
        let heads = ["id", "at", "outcome", "channel", "reason", "about", "incident", "attempts", "answer"]
        let lines = [heads] + deliveries.map(cells)
        // The last column needs no padding.
        let widths = heads.indices.dropLast().map { column in lines.map { $0[column].count }.max() ?? 0 } + [0]
        return lines.map { cells in
            zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// `ops: 3 notifications pending since 2026-11-21T07:00:00Z`
    static func text(_ pending: PendingCount) -> String {
        let wait = pending.waits.map { ", paused until \($0.until.rfc3339): \($0.words)" } ?? ""
        return "\(pending.channel.displayable): \(words(pending.count)) pending since \(pending.since.rfc3339)\(wait)"
    }

    static func text(_ retried: RetryReport) -> String {
        let (name, pending) = (retried.channel.displayable, words(retried.pending))
        return retried.heldUntil.map { "\(name): the receiver asked to wait until \($0.rfc3339); \(pending) pending" }
            ?? "\(name): retrying now, refused messages included; \(pending) pending"
    }

    private static func words(_ count: Int) -> String { count == 1 ? "1 notification" : "\(count) notifications" }

    private static func cells(_ delivery: DeliveryReport) -> [String] {
        [
            String(delivery.id), delivery.at.rfc3339, delivery.outcome, delivery.channel.displayable, delivery.reason,
            delivery.kind.map {
                "\($0.rawValue) \(delivery.domain ?? ($0 == .monitorDegraded ? "aasa-monitor" : "many domains"))"
            } ?? "-",
            String(delivery.incident.prefix(12)), String(delivery.attempts), answer(delivery).shortened(to: 120),
        ]
    }

    private static func answer(_ delivery: DeliveryReport) -> String {
        [delivery.status.map(String.init), delivery.error].compactMap(\.self).joined(separator: " ").displayable
    }
}

// One message in full.
extension DeliveryListing {
    /// How many incidents and domains are listed; a digest may have a thousand.
    private static let mostListed = 20

    static func text(_ message: MessageReport) -> String {
        let rows: [(String, String?)] = [
            ("message", message.messageKey), ("channel", message.channel), ("outcome", message.outcome),
            ("type", message.type), ("reason", message.reason), ("domains", domains(message)),
        ]
        var lines = rows.compactMap { name, value in
            value.map { "\(name):".padding(toLength: 10, withPad: " ", startingAt: 0) + $0.displayable }
        }
        lines += section("incidents", listed(message.incidents.map(reference)))
        lines += section("attempts", attempts(message))
        lines += section(
            "what it says",
            message.text.map {
                $0.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
            } ?? ["not kept"])
        return lines.joined(separator: "\n")
    }

    private static func reference(_ incident: MessageReport.Member) -> String {
        let about = IncidentReport.about(incident.kind, incident.domain)
        return "\(incident.id) \(about), \(incident.state.rawValue) since \(incident.since.rfc3339)".displayable
    }

    private static func domains(_ message: MessageReport) -> String? {
        var seen: Set<String> = []
        let names = listed(message.incidents.compactMap(\.domain).filter { seen.insert($0).inserted })
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static func attempts(_ message: MessageReport) -> [String] {
        message.attempts.map { attempt in
            [
                attempt.at.rfc3339, attempt.outcome.replacing("_", with: " ").displayable,
                attempt.status.map { "status \($0)" }, attempt.error?.displayable.shortened(to: 300),
            ].compactMap(\.self).joined(separator: "  ")
        } + (message.retryAt.map { ["next at \($0.rfc3339)"] } ?? [])
    }

    private static func section(_ title: String, _ lines: [String]) -> [String] {
        ["", "\(title):"] + (lines.isEmpty ? ["  none"] : lines.map { "  " + $0 })
    }

    private static func listed(_ lines: [String]) -> [String] {
        lines.prefix(mostListed) + (lines.count > mostListed ? ["and \(lines.count - mostListed) more"] : [])
    }
}
