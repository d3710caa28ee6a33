import ArgumentParser
import Evidence
import Foundation
import MonitorConfiguration
import Storage

/// `aasa-monitor outbox`: the messages that are owed, were sent, or were given up.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Look at the messages of the channels, send them again, drop them.",
        discussion: "Works beside the daemon, which takes up a change within seconds.",
        subcommands: [List.self, Retry.self, Drop.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List messages, the newest first.")

        enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

        @OptionGroup var store: StoreOptions
        @Option(help: "Only those of this channel.") var channel: String?
        @Option(
            name: .customLong("state"), parsing: .singleValue,
            help: ArgumentHelp(
                "Only those in this state (repeatable; default: what is not delivered yet or was given up).",
                valueName: OutboxRow.State.allCases.map(\.rawValue).joined(separator: "|")))
        var states: [String] = []
        @Option(help: "At most so many.") var limit = 100
        @Option(help: "The form of the output.") var format = Format.text

        private static let usual: Set<OutboxRow.State> = [.queued, .leased, .dead, .expired]

        func validate() throws {
            for state in states where OutboxRow.State(rawValue: state) == nil {
                throw ValidationError(
                    "--state: there is no state '\(state.displayable.shortened(to: 40))'; the states are "
                        + OutboxRow.State.allCases.map(\.rawValue).joined(separator: ", "))
            }
            guard limit > 0 else { throw ValidationError("--limit: \(limit) is not a number above zero") }
        }

        func run() async throws {
            let wanted = states.isEmpty ? Self.usual : Set(states.compactMap(OutboxRow.State.init(rawValue:)))
            let entries = try await store.with(.reader) {
                try await $0.outbox(channel: channel, states: wanted, limit: limit)
            }
            switch format {
            case .json: Console.print(OrderedJSON.array(entries.map(OutboxListing.json)).text(isPretty: true))
            case .text where entries.isEmpty: Console.note("aasa-monitor: no messages")
            case .text: Console.print(OutboxListing.text(entries))
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Send messages again that were given up, and waiting ones at once.",
            discussion: "A channel that is held since it refuses or fails is tried again, too; a wait that a receiver "
                + "asked for is kept.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "All messages that the receivers refused.") var dead = false
        @Option(help: "Try this channel at once, as after it was mended.") var channel: String?
        @Argument(help: "The numbers that `outbox list` shows.") var ids: [Int64] = []

        func validate() throws {
            guard [dead, !ids.isEmpty, channel != nil].count(where: \.self) == 1 else {
                throw ValidationError("name messages by their number, or use --dead, or --channel NAME")
            }
        }

        func run() async throws {
            if let channel { return try await retry(channel) }
            let answers = try await withChannels { store in
                try await store.retry(dead ? store.deadMessages() : ids, now: Date())
            }
            if answers.isEmpty { Console.note("aasa-monitor: no messages were refused") }
            try OutboxListing.tell(answers, done: "will be sent again")
        }

        /// Nothing is sent to a channel that the configuration does not name.
        private func withChannels<Value>(_ work: (Store) async throws -> Value) async throws -> Value {
            let file = try store.file()
            return try await store.with(.beside, of: file) { store in
                store.name(channels: Set(file.alerts.channels.map(\.name)))
                return try await work(store)
            }
        }

        private func retry(_ channel: String) async throws {
            let waiting = try await withChannels { try await $0.retry(channel: channel, now: Date()) }
            guard let waiting else {
                throw CommandFailure(
                    .found, "nothing is known of a channel '\(channel.displayable.shortened(to: 80))'")
            }
            Console.print("\(channel.displayable): tried at once; \(waiting) messages wait for it")
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Give messages up; they are never sent.")

        @OptionGroup var store: StoreOptions
        @Argument(help: "The numbers that `outbox list` shows.") var ids: [Int64]

        func run() async throws {
            let answers = try await store.with(.beside) { try await $0.drop(ids, now: Date()) }
            try OutboxListing.tell(answers, done: "dropped")
        }
    }
}
