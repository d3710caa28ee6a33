import Alerting
import ArgumentParser
import Curl
import Daemon
import Facts
import Foundation
import Logging
import MonitorConfiguration
import StatusServer
import Storage

/// `aasa-monitor run`: the daemon.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Monitor the configured domains, store the results, and alert.",
        discussion: """
            SIGTERM and SIGINT end it; its state and pending notifications stay in the store. SIGHUP reloads the \
            configuration: a file with errors is refused, and the running configuration stays.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "This daemon's share of the domains, counted from 0, such as 0/4 (default: 'shard' of the configuration).",
            valueName: "index/count"), transform: Self.shard)
    var shard: Shard?

    func run() async throws {
        let start = Date()
        let path = try configuration.resolvedPath()
        let (file, warnings) = try ConfigurationOptions.explaining(path) {
            try ConfigurationLoader.load(path: $0, shard: shard)
        }
        try CertificateFile.check(of: file)
        let logger = MonitorLog.logger(file.log)
        for warning in warnings { logger.warning("\(warning)") }
        var environment = MonitorDaemon.Environment(
            logger: logger, version: Version.number, userAgent: Version.userAgent,
            storePath: Self.absolute(file.store.path))
        environment.configurationPath = Self.absolute(path)
        environment.rereading = { [configuration, shard] in
            try configuration.check(path)
            let (next, warnings) = try ConfigurationLoader.reload(path: path, shard: shard, since: start)
            try CertificateFile.check(of: next)
            return (next, warnings)
        }
        environment.notifier = ServiceNotifier()
        let daemon = MonitorDaemon(configuration: file, environment: environment)
        try await Self.explaining { try await daemon.run() }
    }

    /// Paths in logs must be valid in any folder.
    private static func absolute(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }

    private static func shard(_ text: String) throws -> Shard {
        guard let shard = Shard(text) else {
            throw ValidationError(
                "write INDEX/COUNT with INDEX from 0 to COUNT - 1 and COUNT at most \(Shard.largestCount), such as 0/4"
            )
        }
        return shard
    }

    /// Turns an error at start into one sentence and the right exit code.
    static func explaining(_ start: () async throws -> Void) async throws {
        do {
            try await start()
        } catch let error as StoreError {
            throw CommandFailure(StoreOptions.exit(of: error), "store: \(error.message)")
        } catch let error as ListenError {
            throw CommandFailure(.configuration, "server.listen: \(error)")
        } catch let error as ChannelFault {
            throw CommandFailure(.configuration, "\(error)")
        } catch let error as CurlError {
            throw CommandFailure(.configuration, "network: \(error.failure.detail)")
        } catch is CancellationError {
            throw CommandFailure(.software, "")
        }
    }
}
