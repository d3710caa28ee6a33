import ArgumentParser
import CDispatch
import Evidence
import Facts
import Foundation
import MonitorConfiguration

/// `--config`, and the places to look for a configuration without it.
struct ConfigurationOptions: ParsableArguments {
    static let help = ArgumentHelp(
        "The configuration (default: $AASA_MONITOR_CONFIG, ./monitor.yaml, /etc/aasa-monitor/monitor.yaml, the first that exists).",
        valueName: "file")

    @Option(name: .customLong("config"), help: Self.help, completion: .file())
    var path: String?

    init() {}

    /// For a group that has the option itself.
    init(path: String?) { self.path = path }

    /// The configuration that the user named, by the option or by the environment.
    private var namedPath: String? {
        if let path { return path }
        let variable = ProcessInfo.processInfo.environment["AASA_MONITOR_CONFIG"] ?? ""
        return variable.isEmpty ? nil : variable
    }

    /// The configuration to use if one is needed. `alternative`: what the user may name instead.
    /// - Throws: `CommandFailure`, also if `./monitor.yaml` is used only when the user names it.
    func resolvedPath(or alternative: String? = nil) throws -> String {
        if let namedPath { return namedPath }
        guard let path = Self.presentPath else {
            throw CommandFailure(
                .noInput,
                "there is no configuration: name one with --config FILE\(alternative.map { ", or \($0)" } ?? ""), or create "
                    + "./monitor.yaml with `aasa-monitor init`"
            )
        }
        if let objection = Self.objection(to: path) { throw CommandFailure(.configuration, objection) }
        return path
    }

    private static let inFolder = "./monitor.yaml"

    /// The first that exists, even if it cannot be used.
    private static var presentPath: String? {
        [inFolder, "/etc/aasa-monitor/monitor.yaml"].first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Why a file that the user did not name is not used. A configuration names files of secrets and the addresses that
    /// get them, and another user may have written the one in this folder. nil for the system's own, which belongs to
    /// its administrator.
    private static func objection(to path: String) -> String? {
        guard path == inFolder, let reason = ForeignFile.reason(path) else { return nil }
        return "\(path) is not used: \(reason); if you trust it, name it: --config \(path)"
    }

    /// Loads a configuration; its warnings go to standard error.
    /// - Throws: `CommandFailure` with every fault, each with its line and column.
    static func load(_ path: String) throws -> ConfigurationFile {
        try explaining(path) { path in
            let (configuration, warnings) = try ConfigurationLoader.load(path: path)
            for warning in warnings { Console.note("\(warning)") }
            return configuration
        }
    }

    /// Reads something from the configuration at `path`. `hasDaemon`: whether the user can ask a daemon instead.
    /// - Throws: as `load`.
    static func explaining<Value>(
        _ path: String, hasDaemon: Bool = false, _ read: (String) throws -> Value
    ) throws -> Value {
        do {
            return try read(path)
        } catch let fault as ConfigurationFault {
            throw CommandFailure(.configuration, "the configuration is not valid\n\(fault)")
        } catch let missing as UnreadableFile {
            let isForbidden = access(path, R_OK) != 0 && errno == EACCES
            let advice = isForbidden ? Permission.advice(for: path, hasDaemon: hasDaemon) : ""
            throw CommandFailure(.noInput, "\(missing)\(advice)")
        }
    }

    /// For a daemon that reloads its configuration: another user may have replaced the file that `resolvedPath` found.
    func check(_ path: String) throws {
        if namedPath == nil, let objection = Self.objection(to: path) {
            throw CommandFailure(.configuration, objection)
        }
    }

    /// For commands that work without a configuration. A named one must be valid. One that is merely found is read only
    /// if it is of use. If it cannot be used, it is skipped with a remark.
    func loadIfPresent(isOfUse: Bool = true) throws -> ConfigurationFile? {
        if let namedPath { return try Self.load(namedPath) }
        guard isOfUse, let path = Self.presentPath else { return nil }
        if let objection = Self.objection(to: path) {
            Console.remark(objection)
            return nil
        }
        do {
            let (configuration, warnings) = try ConfigurationLoader.load(path: path)
            for warning in warnings { Console.note("\(warning)") }
            return configuration
        } catch let missing as UnreadableFile {
            Console.remark("\(path) is not used: \(missing)")
        } catch let fault as ConfigurationFault {
            // The packaged file names no domain yet. That is not a problem for a check by hand.
            guard !fault.watchesNothing else { return nil }
            Console.remark("\(path) is not used: it is not valid; `aasa-monitor config check` lists its errors")
        }
        return nil
    }

    /// For commands that use the configuration for missing arguments: nil if there is none.
    /// - Throws: `CommandFailure` if there is one that cannot be used.
    func loadIfThere() throws -> ConfigurationFile? {
        guard namedPath != nil || Self.presentPath != nil else { return nil }
        return try Self.load(resolvedPath())
    }
}

/// A file in the working folder that another user may have written, or can write.
enum ForeignFile {
    /// Why it may be another user's; nil if only this user can write it.
    static func reason(_ path: String) -> String? {
        let user = geteuid()
        let folder = URL(filePath: path).deletingLastPathComponent().path
        var (entry, file, place) = (stat(), stat(), stat())
        guard lstat(path, &entry) == 0, stat(path, &file) == 0, stat(folder, &place) == 0 else {
            return "it cannot be examined: \(String(cString: strerror(errno)).lowercased())"
        }
        guard file.st_mode & S_IFMT == S_IFREG else { return "it is not a regular file" }
        // The target of a link may name further files by relative paths, so its owner counts too.
        for owner in [entry.st_uid, file.st_uid] where owner != user {
            return
                "it belongs to user \(Permission.name(of: owner)), and user \(Permission.name(of: user)) runs this command"
        }
        if file.st_mode & (S_IWGRP | S_IWOTH) != 0 { return "other users can write it" }
        // Whoever owns the folder or can write there can replace the file.
        guard [user, 0].contains(place.st_uid) else {
            return
                "its folder belongs to user \(Permission.name(of: place.st_uid)), and user \(Permission.name(of: user)) runs this command"
        }
        // A user's private group has the user's number.
        let isWritable = place.st_mode & S_IWOTH != 0 || (place.st_mode & S_IWGRP != 0 && place.st_gid != user)
        if isWritable, place.st_mode & S_ISVTX == 0 { return "other users can write in its folder" }
        return nil
    }

}
