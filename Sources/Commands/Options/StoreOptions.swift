import ArgumentParser
import Foundation
import MonitorConfiguration
import Storage

/// The daemon's store, for commands that work beside it. Of a configuration they read `store.path` and nothing else: they
/// need no secret, and work in any shell.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The store (default: the one that the configuration names).", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup var configuration: ConfigurationOptions

    func validate() throws {
        if file != nil, configuration.path != nil {
            throw ValidationError("--store and --config both name a store; give one of them")
        }
    }

    /// Absolute.
    /// - Throws: `CommandFailure`.
    func path() throws -> String {
        let path =
            try file
            ?? ConfigurationOptions.explaining(configuration.resolvedPath(or: "the store with --store FILE")) { path in
                try ConfigurationLoader.storePath(path: path)
            }
        return URL(filePath: path).standardizedFileURL.path
    }

    /// Opens the store, works with it and closes it.
    ///
    /// - Throws: `CommandFailure`.
    func with<Value>(_ access: Store.Access, _ work: (Store) async throws -> Value) async throws -> Value {
        do {
            let store = try Store(path: path(), access: access)
            defer { try? store.close() }
            return try await work(store)
        } catch let error as StoreError {
            throw CommandFailure(Self.exit(of: error), "store: \(error.message)")
        }
    }

    /// A damaged file is no mistake of the configuration; a path that cannot be used is.
    static func exit(of error: StoreError) -> MonitorExit {
        switch error.code {
        case .missing: .noInput
        case .exists: .usage
        case .corrupt, .full, .displaced, .other: .software
        case .unwritable, .notADatabase, .newerSchema, .olderSchema, .newerState, .inUse, .locked: .configuration
        }
    }
}
