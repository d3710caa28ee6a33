import ArgumentParser
import Foundation
import MonitorConfiguration

/// `--config`, and where a configuration is looked for without it.
struct ConfigurationOptions: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration (default: $AASA_MONITOR_CONFIG, ./monitor.yaml, /etc/aasa-monitor/monitor.yaml, the first that exists).",
            valueName: "file"), completion: .file())
    var path: String?

    /// The configuration that somebody named: by the option or by the environment.
    var namedPath: String? {
        if let path { return path }
        let variable = ProcessInfo.processInfo.environment["AASA_MONITOR_CONFIG"] ?? ""
        return variable.isEmpty ? nil : variable
    }

    /// The configuration to use where one is needed. `alternative`: what may be named in its place.
    func resolvedPath(or alternative: String? = nil) throws -> String {
        if let namedPath { return namedPath }
        for candidate in Self.places where FileManager.default.fileExists(atPath: candidate) { return candidate }
        throw CommandFailure(
            .noInput,
            "there is no configuration: name one with --config FILE\(alternative.map { ", or \($0)" } ?? ""), or write "
                + "./monitor.yaml (`aasa-monitor init` makes one)"
        )
    }

    private static let places = ["./monitor.yaml", "/etc/aasa-monitor/monitor.yaml"]

    /// Loads a configuration; its warnings go to standard error.
    /// - Throws: `CommandFailure` with every fault, each with its line and column.
    static func load(_ path: String, shard: Shard? = nil) throws -> ConfigurationFile {
        try explaining(path) { path in
            let (configuration, warnings) = try ConfigurationLoader.load(path: path, shard: shard)
            for warning in warnings { Console.note("\(warning)") }
            return configuration
        }
    }

    /// Reads something of the configuration at `path`.
    /// - Throws: as `load`.
    static func explaining<Value>(_ path: String, _ read: (String) throws -> Value) throws -> Value {
        do {
            return try read(path)
        } catch let fault as ConfigurationFault {
            throw CommandFailure(.configuration, "the configuration is not valid\n\(fault)")
        } catch let missing as ConfigurationFileUnreadable {
            throw CommandFailure(.noInput, "\(missing)")
        }
    }

    /// For one-shot commands, which work without a configuration: a named one must be good, one that merely lies there
    /// is passed over with a word where it is not.
    func loadIfPresent() throws -> ConfigurationFile? {
        if let namedPath { return try Self.load(namedPath) }
        guard let path = try? resolvedPath() else { return nil }
        do {
            return try Self.load(path)
        } catch let failure as CommandFailure {
            Console.remark("\(path) is not used: \(failure.message)")
            return nil
        }
    }
}
