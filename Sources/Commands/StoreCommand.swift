import ArgumentParser
import Evidence
import Foundation
import Storage

/// `aasa-monitor store`: the file in which the daemon keeps what it knows.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Look after the daemon's store.",
        discussion: "backup, check and path work while the daemon runs; compact needs it stopped.",
        subcommands: [Backup.self, Check.self, Compact.self, Path.self])

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Copy the whole store to a file; the daemon can run.",
            discussion: "To go back to a copy, stop the daemon, move the store aside together with its -wal and -shm, "
                + "and put the copy in its place.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "Replace the file if it exists.") var force = false
        @Argument(help: "The file to write.", completion: .file()) var file: String

        func run() async throws {
            let size = try await store.with(.reader) { try await $0.backup(to: file, replacing: force) }
            Console.print("\(file.displayable): \(size) bytes, examined and sound")
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Examine every page of the store; exits with 70 if it is damaged.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            try await store.with(.reader) { store in
                let faults = try await store.faults()
                guard faults.isEmpty else {
                    for fault in faults { Console.print(fault.displayable) }
                    throw CommandFailure(
                        .software,
                        "store: \(store.path) is damaged; `aasa-monitor run` sets aside at its start what it cannot "
                            + "work with; to keep what the store knew, put a backup in its place")
                }
                let domains = try await store.states().count
                Console.print(
                    "\(store.path.displayable): sound, \(domains) \(domains == 1 ? "domain" : "domains")")
            }
        }
    }

    struct Compact: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact",
            abstract: "Rewrite the store at its smallest size; the daemon must be stopped.",
            discussion:
                "The daemon gives free space back by itself, in small steps. While this runs, it needs as much "
                + "space again.")

        @OptionGroup var store: StoreOptions

        func run() async throws {
            let path = try store.path()
            guard FileManager.default.fileExists(atPath: path) else {
                throw CommandFailure(.noInput, "store: there is no store at \(path.displayable)")
            }
            let sizes = try await store.with(.monitor) { try await $0.compact() }
            Console.print("\(path.displayable): \(sizes.before) bytes before, \(sizes.after) after")
        }
    }

    struct Path: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path", abstract: "Print the path of the store.")

        @OptionGroup var store: StoreOptions

        func run() async throws { Console.print(try store.path()) }
    }
}
