import ArgumentParser
import Daemon
import MonitorConfiguration
import Storage

/// The store that a configuration names, for commands that work beside the daemon.
struct StoreOptions: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOptions

    func file() throws -> ConfigurationFile { try ConfigurationOptions.load(configuration.resolvedPath()) }

    func path() throws -> String { try file().store.resolvedPath() }

    /// Opens the store, works with it and closes it.
    ///
    /// `file`: the configuration, where it was read already.
    /// - Throws: `CommandFailure`.
    func with<Value>(
        _ access: Store.Access, of file: ConfigurationFile? = nil, _ work: (Store) async throws -> Value
    ) async throws -> Value {
        let path = try (file ?? self.file()).store.resolvedPath()
        do {
            let store = try Store(path: path, access: access)
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
        case .corrupt, .full, .other: .software
        case .unwritable, .notADatabase, .newerSchema, .olderSchema, .newerState, .inUse, .locked: .configuration
        }
    }
}
