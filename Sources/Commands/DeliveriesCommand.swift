import ArgumentParser
import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

/// `aasa-monitor deliveries`: what was sent to whom, and with what answer.
struct DeliveriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries", abstract: "Show what was sent to the channels; try a channel in trouble now.",
        discussion: "Works while the daemon runs, which reacts to a change within seconds.",
        subcommands: [List.self, Show.self, Retry.self])

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List deliveries, the newest first, and count pending notifications.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var remote: RemoteOptions
        @Option(help: "Only those of this channel.") var channel: String?
        @Option(help: "Only those about this incident (its id, or the beginning of it).") var incident: String?
        @Option(help: "Only those about incidents of this domain.", completion: DomainCompletion.kind) var domain:
            String?
        @Option(help: "At most this many.") var limit = 100
        @Option(help: "text or json.") var format = Format.text

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit: \(limit) is not a number above zero") }
            if remote.url != nil, limit > 500 { throw ValidationError("--limit: with --url 500 at most") }
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
            let (deliveries, pending) = try await remote.ask(
                { try await $0.deliveries(channel: channel, incident: incident, domain: domain, limit: limit) },
                or: store, .reader
            ) { store in
                let records = try await store.deliveries(
                    ofChannel: channel, incidentNamed: incident, domain: domain, limit: limit)
                let time = try await PageTime(store, wall: Date())
                let shown = try await store.named(records).map { record in
                    var record = record
                    record.at = time.shown(record.at)
                    return record
                }
                return (deliveries: shown, pending: try await store.pendingNotifications())
            }
            switch format {
            case .json: Console.print(OrderedJSON.array(deliveries.map(DeliveryListing.json)).text(isPretty: true))
            case .text:
                if deliveries.isEmpty {
                    Console.remark("no deliveries")
                } else {
                    Console.print(DeliveryListing.text(deliveries))
                }
                for line in pending.compactMap({ DeliveryListing.text($0, channel) }) { Console.print(line) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show one message: what it said, about which incidents, and each attempt.")

        @OptionGroup var store: StoreOptions
        @OptionGroup var remote: RemoteOptions
        @Option(help: "text or json.") var format = Format.text
        @Argument(
            help: ArgumentHelp(
                "The number that `deliveries list` shows, or the beginning of the message_key in the log.",
                valueName: "id"))
        var id: String

        func validate() throws {
            guard !SentMessage.isName(id) else { return }
            throw ValidationError(
                "'\(id.displayable.shortened(to: 80))' is neither the number of a delivery nor the beginning of a "
                    + "message_key, at least eight characters of it")
        }

        func run() async throws {
            let message = try await remote.ask({ try await $0.message(named: id) }, or: store, .reader) {
                let time = try await PageTime($0, wall: Date())
                return MessageDocument(try await $0.message(named: id), shown: time.shown)
            }
            switch format {
            case .json: Console.print(String(decoding: try message.json(isPretty: true), as: UTF8.self))
            case .text: Console.print(MessageListing.text(message))
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Try a channel in trouble now, as after a repair.",
            discussion: """
                Ends the pause of a channel that fails or refuses, and sends again what it refused, if that is still \
                true. A wait that the receiver asked for is kept.
                """)

        @OptionGroup var store: StoreOptions
        @OptionGroup var remote: RemoteOptions
        @Argument(help: "The name of the channel.") var channel: String

        func run() async throws {
            let retried = try await remote.ask({ try await $0.retry(channel: channel) }, or: store, .beside) {
                try await $0.retry(channel: channel, now: $0.steady(at: Date())).map {
                    RetryDocument($0.record, pending: $0.pending)
                }
            }
            guard let retried else {
                throw CommandFailure(.usage, "no channel is named '\(channel.displayable.shortened(to: 80))' there")
            }
            Console.print(DeliveryListing.text(retried))
        }
    }
}

/// The log of deliveries for people and for programs. Where a message goes is not shown: a channel's URL is a secret, and its
/// name is enough.
enum DeliveryListing {
    static func text(_ records: [DeliveryRecord]) -> String {
        let heads = ["id", "at", "outcome", "channel", "reason", "about", "incident", "attempts", "answer"]
        let lines = [heads] + records.map(cells)
        // The last column is as long as it is.
        let widths = heads.indices.dropLast().map { column in lines.map { $0[column].count }.max() ?? 0 } + [0]
        return lines.map { cells in
            zip(cells, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    static func json(_ record: DeliveryRecord) -> OrderedJSON {
        .object([
            ("schema", .string("aasa-monitor/delivery/v1")), ("id", .integer(Int(record.id))),
            ("at", .optional(record.at)),
            ("outcome", .string(record.outcome.rawValue)), ("channel", .string(record.channel)),
            ("type", .string(record.type.rawValue)), ("reason", .string(record.reason.rawValue)),
            ("incident", .string(record.incidentID)), ("domain", .optional(record.incident?.domain?.name)),
            ("kind", .optional(record.incident?.kind.rawValue)), ("version", .integer(record.version)),
            ("message_key", .string(record.key)), ("attempts", .integer(record.attempts)),
            ("status", .optional(record.status)), ("error", .optional(record.error?.displayable)),
        ])
    }

    /// `ops: 3 notifications pending since 2026-11-21T07:00:00Z`; nil for another channel than the one asked for.
    static func text(_ pending: PendingCount, _ channel: String?) -> String? {
        guard pending.count > 0, channel == nil || channel == pending.channel else { return nil }
        let wait = pending.waits.map { ", waiting until \($0.until.rfc3339), \($0.words)" } ?? ""
        return "\(pending.channel.displayable): \(words(pending.count)) pending since \(pending.since.rfc3339)\(wait)"
    }

    static func text(_ retried: RetryDocument) -> String {
        let (name, pending) = (retried.channel.displayable, words(retried.pending))
        return retried.heldUntil.value.map {
            "\(name): the receiver asked to wait until \($0.rfc3339); \(pending) pending"
        } ?? "\(name): tried now, also with what it refused; \(pending) pending"
    }

    private static func words(_ count: Int) -> String { count == 1 ? "1 notification" : "\(count) notifications" }

    private static func cells(_ record: DeliveryRecord) -> [String] {
        [
            String(record.id), record.at.rfc3339, record.outcome.rawValue, record.channel.displayable,
            record.reason.rawValue, about(record), String(record.incidentID.prefix(12)), String(record.attempts),
            answer(record).shortened(to: 120),
        ]
    }

    private static func about(_ record: DeliveryRecord) -> String {
        record.incident.map { "\($0.kind.rawValue) \($0.subjectName)".displayable } ?? "-"
    }

    private static func answer(_ record: DeliveryRecord) -> String {
        [record.status.map(String.init), record.error].compactMap(\.self).joined(separator: " ").displayable
    }
}

/// One message whole, for people.
enum MessageListing {
    /// A digest may have a thousand.
    private static let mostListed = 20

    static func text(_ message: MessageDocument) -> String {
        let rows: [(String, String?)] = [
            ("message", message.messageKey), ("channel", message.channel), ("outcome", message.outcome),
            ("type", message.type.value), ("reason", message.reason.value), ("domains", domains(message)),
        ]
        var lines = rows.compactMap { name, value in
            value.map { "\(name):".padding(toLength: 10, withPad: " ", startingAt: 0) + $0.displayable }
        }
        lines += section("incidents", listed(message.incidents.map(reference)))
        lines += section("attempts", attempts(message))
        lines += section(
            "what it says",
            message.text.value.map {
                $0.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).displayable }
            } ?? ["not kept"])
        return lines.joined(separator: "\n")
    }

    private static func reference(_ incident: MessageDocument.Member) -> String {
        let about = incident.kind + (incident.domain.value.map { " of \($0)" } ?? "")
        return "\(incident.id) \(about), \(incident.state) since \(incident.since.rfc3339)".displayable
    }

    private static func domains(_ message: MessageDocument) -> String? {
        var seen: Set<String> = []
        let names = listed(message.incidents.compactMap(\.domain.value).filter { seen.insert($0).inserted })
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private static func attempts(_ message: MessageDocument) -> [String] {
        message.attempts.map { attempt in
            [
                attempt.at.rfc3339, attempt.outcome.replacing("_", with: " ").displayable,
                attempt.status.value.map { "status \($0)" }, attempt.error.value?.displayable.shortened(to: 300),
            ].compactMap(\.self).joined(separator: "  ")
        } + (message.retryAt.value.map { ["next at \($0.rfc3339)"] } ?? [])
    }

    private static func section(_ title: String, _ lines: [String]) -> [String] {
        ["", "\(title):"] + (lines.isEmpty ? ["  none"] : lines.map { "  " + $0 })
    }

    private static func listed(_ lines: [String]) -> [String] {
        lines.prefix(mostListed) + (lines.count > mostListed ? ["and \(lines.count - mostListed) more"] : [])
    }
}
