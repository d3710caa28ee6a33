import ArgumentParser
import Evidence
import Foundation
import Storage

/// `aasa-monitor store`: backs up and examines the daemon's store.
struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Back up or examine the daemon's store.",
        discussion: "Both work while the daemon runs.", subcommands: [Backup.self, Check.self])

    struct Backup: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup", abstract: "Copy the whole store to a file; the daemon can keep running.",
            discussion: "To restore a copy, stop the daemon, move the store and its -wal and -shm files away, and put "
                + "the copy in its place.")

        @OptionGroup var store: StoreOptions
        @Flag(help: "Replace the file if it exists.") var force = false
        @Argument(help: "The file to write.", completion: .file()) var file: String

        func run() async throws {
            let size = try await store.with(.reader) { try await $0.backup(to: file, replacing: force) }
            Console.print("\(file.displayable): \(size) bytes")
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
                        "store: \(store.path) is damaged; `aasa-monitor run` moves an unusable store aside when it "
                            + "starts; to keep the history, put a backup in its place")
                }
                let domains = try await store.states().count
                Console.print(
                    "\(store.path.displayable): sound, \(domains) \(domains == 1 ? "domain" : "domains")")
            }
        }
    }
}
