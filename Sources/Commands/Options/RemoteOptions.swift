import ArgumentParser
import Curl
import Evidence
import Foundation
import MonitorConfiguration
import Storage

/// A running daemon in place of its store.
struct RemoteOptions: ParsableArguments {
    @Option(
        name: .customLong("url"),
        help: ArgumentHelp(
            "Ask the running daemon there in place of its store, such as http://127.0.0.1:9630.", valueName: "url"))
    var url: String?

    @Option(
        name: .customLong("token-file"),
        help: ArgumentHelp("The file that holds the daemon's token (server.token), for --url.", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    func validate() throws {
        guard let url else {
            if tokenFile != nil { throw ValidationError("--token-file goes with --url") }
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

    /// Asks the daemon at --url, or, without one, works with its store.
    /// - Throws: `CommandFailure`.
    func ask<Value>(
        _ daemon: (RemoteMonitor) async throws -> Value, or store: StoreOptions, _ access: Store.Access,
        _ work: (Store) async throws -> Value
    ) async throws -> Value {
        guard let url else { return try await store.with(access, work) }
        guard store.file == nil, store.configuration.path == nil else {
            throw CommandFailure(.usage, "--url excludes --store and --config: name the daemon or its store")
        }
        let monitor = try RemoteMonitor(url: url, tokenFile: tokenFile)
        do {
            return try await monitor.close(after: { try await daemon(monitor) })
        } catch let refusal as RemoteRefusal {
            throw CommandFailure(.usage, refusal.message)
        }
    }
}
