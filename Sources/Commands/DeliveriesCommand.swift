import ArgumentParser
import Evidence
import Foundation
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
        @Option(help: "Only those about this incident (its whole id).") var incident: String?
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
                    channel: channel, incident: incident?.lowercased(), domain: domain, limit: limit)
                return (deliveries: try await store.named(records), pending: try await store.pendingNotifications())
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
                try await $0.sentMessage(named: id).map(MessageDocument.init)
            }
            guard let message else {
                throw CommandFailure(
                    .found,
                    "no delivery is named '\(id.displayable.shortened(to: 80))', or several keys begin so; see "
                        + "aasa-monitor deliveries list")
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
                try await $0.retry(channel: channel, now: Date()).map { RetryDocument($0.record, pending: $0.pending) }
            }
            guard let retried else {
                throw CommandFailure(.found, "no channel is named '\(channel.displayable.shortened(to: 80))' there")
            }
            Console.print(DeliveryListing.text(retried))
        }
    }
}
