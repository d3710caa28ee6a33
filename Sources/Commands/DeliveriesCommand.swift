import ArgumentParser
import Evidence
import Foundation
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
        @Option(help: "Only those of this channel.") var channel: String?
        @Option(help: "Only those about this incident (its whole id).") var incident: String?
        @Option(help: "Only those about incidents of this domain.", completion: DomainCompletion.kind) var domain:
            String?
        @Option(help: "At most this many.") var limit = 100
        @Option(help: "text or json.") var format = Format.text

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit: \(limit) is not a number above zero") }
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
            let (entries, pending) = try await store.with(.reader) { store in
                let records = try await store.deliveries(
                    channel: channel, incident: incident?.lowercased(), domain: domain, limit: limit)
                return (try await DeliveryListing.entries(records, store), try await store.pendingNotifications())
            }
            switch format {
            case .json: Console.print(OrderedJSON.array(entries.map(DeliveryListing.json)).text(isPretty: true))
            case .text:
                if entries.isEmpty {
                    Console.note("aasa-monitor: no deliveries")
                } else {
                    Console.print(DeliveryListing.text(entries))
                }
                for line in pending.compactMap({ DeliveryListing.text($0, channel) }) { Console.print(line) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show one delivery.")

        @OptionGroup var store: StoreOptions
        @Option(help: "text or json.") var format = Format.text
        @Argument(help: "The number that `deliveries list` shows.") var id: Int64

        func run() async throws {
            let entry = try await store.with(.reader) { store in
                let records = try await store.delivery(id: id).map { [$0] } ?? []
                return try await DeliveryListing.entries(records, store).first
            }
            guard let entry else { throw CommandFailure(.found, "no delivery has the number \(id)") }
            switch format {
            case .json: Console.print(DeliveryListing.json(entry).text(isPretty: true))
            case .text: Console.print(DeliveryListing.details(entry))
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
        @Argument(help: "The name of the channel.") var channel: String

        func run() async throws {
            let (record, pending) = try await store.with(.beside) { store in
                (
                    try await store.endHold(channel: channel, now: Date()),
                    try await store.pendingNotifications().first { $0.channel == channel }?.count ?? 0
                )
            }
            guard let record else {
                throw CommandFailure(.found, "the store knows no channel '\(channel.displayable.shortened(to: 80))'")
            }
            Console.print(DeliveryListing.retried(record, pending: pending))
        }
    }
}
