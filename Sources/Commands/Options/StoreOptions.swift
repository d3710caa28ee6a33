import ArgumentParser
import Curl
import Evidence
import Foundation
import MonitorConfiguration
import StatusServer
import Storage

/// The daemon's store, for commands that work beside the daemon. They read only `store.path` from a configuration, so
/// they need no secrets and work in any shell.
struct StoreOptions: ParsableArguments {
    @Option(
        name: .customLong("store"),
        help: ArgumentHelp("The store (default: the one that the configuration names).", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(name: .customLong("config"), help: ConfigurationOptions.help, completion: .file())
    var configurationPath: String?

    private var configuration: ConfigurationOptions { ConfigurationOptions(path: configurationPath) }

    func validate() throws {
        if file != nil, configurationPath != nil {
            throw ValidationError("--store and --config both name a store; give one of them")
        }
    }

    /// Absolute.
    /// - Throws: `CommandFailure`.
    func path() throws -> String {
        let path =
            try file
            ?? ConfigurationOptions.explaining(
                configuration.resolvedPath(or: "the store with --store FILE"), hasDaemon: true
            ) { path in
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
            let advice = error.code == .forbidden ? (try? path()).map { Permission.advice(for: $0) } ?? "" : ""
            throw CommandFailure(Self.exit(of: error), "store: \(error.message)\(advice)")
        }
    }

    /// A damaged file is not a mistake of the configuration; a path that cannot be used is.
    static func exit(of error: StoreError) -> MonitorExit {
        switch error.code {
        case .missing, .forbidden: .noInput
        case .exists: .usage
        case .corrupt, .full, .other: .software
        case .unwritable, .notADatabase, .newer, .older, .inUse, .locked: .configuration
        }
    }
}

extension CompletionKind {
    /// The domains of the daemon's store, for shell completion; none if it cannot be read.
    static var domains: CompletionKind { .custom { words, _, _ in await names(words) } }

    /// `words`: the command line; only `--store` and `--config` are used.
    private static func names(_ words: [String]) async -> [String] {
        var options: [String] = []
        for (option, value) in zip(words, words.dropFirst()) where ["--store", "--config"].contains(option) {
            options += [option, value]
        }
        guard let store = try? StoreOptions.parse(options) else { return [] }
        let domains = try? await store.with(.reader) { try await $0.domainNames() }
        return (domains ?? []).map(\.name).sorted()
    }
}

/// Where a running daemon is, for commands that have `--cacert` already.
struct DaemonOptions: ParsableArguments {
    static let urlHelp = ArgumentHelp(
        "Ask the running daemon at this address instead of its store, such as http://127.0.0.1:9630.",
        valueName: "url")
    static let tokenHelp = ArgumentHelp(
        "The file that holds the daemon's token (server.token), for --url.", valueName: "file")

    @Option(name: .customLong("url"), help: Self.urlHelp)
    var url: String?

    @Option(name: .customLong("token-file"), help: Self.tokenHelp, completion: .file())
    var tokenFile: String?

    func validate() throws { try Self.validate(url, ["--token-file": tokenFile]) }

    /// `others`: the options that go with the address.
    static func validate(_ url: String?, _ others: KeyValuePairs<String, String?>) throws {
        guard let url else {
            for (name, value) in others where value != nil { throw ValidationError("\(name) needs --url") }
            return
        }
        let parts = URLComponents(string: url)
        guard !url.contains(where: \.isWhitespace), let scheme = parts?.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            parts?.host?.isEmpty == false,
            parts?.user == nil, parts?.query == nil, parts?.fragment == nil
        else {
            throw ValidationError("--url takes an address such as http://127.0.0.1:9630, not '\(url.displayable)'")
        }
    }
}

/// A running daemon instead of its store. Not nested in another group: the parser checks nested groups several times.
struct RemoteOptions: ParsableArguments {
    @Option(name: .customLong("url"), help: DaemonOptions.urlHelp)
    var url: String?

    @Option(name: .customLong("token-file"), help: DaemonOptions.tokenHelp, completion: .file())
    var tokenFile: String?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Trust the certificates of this PEM file instead of the system's, for --url.", valueName: "file"),
        completion: .file())
    var caFile: String?

    func validate() throws { try DaemonOptions.validate(url, ["--token-file": tokenFile, "--cacert": caFile]) }

    /// Asks the daemon at --url, or, without one, its store. `now`: the instant for which the store answers.
    /// - Throws: `CommandFailure`.
    func ask<Value>(
        _ store: StoreOptions, _ access: Store.Access, now: Date = Date(),
        _ work: (any MonitorAPI) async throws -> Value
    ) async throws -> Value {
        do {
            guard let url else { return try await store.with(access) { try await work(API($0, now: now)) } }
            guard store.file == nil, store.configurationPath == nil else {
                throw CommandFailure(
                    .usage, "--url cannot be combined with --store or --config: name the daemon or its store")
            }
            if let caFile { try CertificateFile.check(caFile, as: "'\(caFile.displayable)'", option: "--cacert") }
            let monitor = try RemoteMonitor(url: url, tokenFile: tokenFile, caFile: caFile)
            return try await monitor.close(after: { try await work(monitor) })
        } catch {
            guard let refusal = APIRefusal(of: error) else { throw error }
            throw CommandFailure(.usage, refusal.description)
        }
    }
}
