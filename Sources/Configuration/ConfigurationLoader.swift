// Loads and checks the configuration.

import Facts
import Foundation

/// Turns `monitor.yaml` into typed values, or reports every problem in it.
package enum ConfigurationLoader {
    /// Reads the text of a configuration.
    ///
    /// - Parameters:
    ///   - text: the YAML, at most 1 MiB.
    ///   - file: the path for messages. Relative paths in the text (secret files, `ca_file`) start at its folder.
    ///   - shard: the share of the domains to keep; nil: the `shard` of the text.
    ///   - environment: the variables for `${NAME}`.
    ///   - now: the current time, to find dates that have passed.
    ///   - isReadableByAll: whether every user of the machine can read a file. A warning if it contains secrets.
    ///   - readFile: reads a secret's file. Messages repeat its error only if it is an `UnreadableFile`.
    /// - Returns: the configuration, and the warnings in file order.
    /// - Throws: `ConfigurationFault` with every problem of the file.
    package static func parse(
        _ text: String, file: String, shard: Shard? = nil, environment: [String: String], now: Date = Date(),
        isReadableByAll: @escaping (String) -> Bool = { _ in false }, readFile: (String) throws -> String
    ) throws(ConfigurationFault) -> (ConfigurationFile, warnings: [ConfigurationProblem]) {
        let result = withoutActuallyEscaping(readFile) { readFile in
            let reading = Reading(
                file: file, environment: environment, readFile: readFile, isReadableByAll: isReadableByAll, now: now)
            return Result { () throws(ConfigurationFault) in
                (try valid(text, reading, shard), warnings: reading.problems)
            }
        }
        return try result.get()
    }

    /// Reads the configuration at `path`, and the files of secrets that it names. `shard`: as in `parse`.
    ///
    /// - Throws: `UnreadableFile` if the file cannot be read (exit code 66), `ConfigurationFault` if it
    ///   has an error (exit code 78).
    package static func load(
        path: String, shard: Shard? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> (ConfigurationFile, warnings: [ConfigurationProblem]) {
        let (file, reading) = try read(path, shard, environment)
        return (file, warnings: reading.problems)
    }

    /// Like `load`, but also keeps the positions of values. `path`: nil for standard input.
    ///
    /// - Throws: like `load`.
    package static func examine(
        path: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ExaminedConfiguration {
        let (file, reading) = try read(path, nil, environment)
        return ExaminedConfiguration(
            file: file, warnings: reading.problems, name: reading.file, places: reading.places)
    }

    /// Like `load`, for a process that has run since `start`: the warnings also name what it cannot read again.
    ///
    /// - Throws: like `load`.
    package static func reload(
        path: String, shard: Shard? = nil, since start: Date,
        environment: [String: String] = ProcessInfo.processInfo.environment, service: ServiceEnvironment = .init()
    ) throws -> (ConfigurationFile, warnings: [ConfigurationProblem]) {
        let (file, reading) = try read(path, shard, environment)
        reading.warnOfWhatStays(since: start, service)
        return (file, warnings: reading.problems)
    }

    /// `path`: nil for standard input.
    private static func read(
        _ path: String?, _ shard: Shard?, _ environment: [String: String]
    ) throws -> (ConfigurationFile, Reading) {
        let text = try text(at: path)
        let reading = Reading(
            file: path ?? standardInput, environment: environment, readFile: SmallFile.secret,
            isReadableByAll: SmallFile.isReadableByAll)
        return (try valid(text, reading, shard), reading)
    }

    /// The name of standard input in messages.
    private static let standardInput = "<stdin>"

    /// The path of the store in the configuration at `path`. Reads no secret, and no variable of another key.
    ///
    /// - Throws: like `load`.
    package static func storePath(
        path: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        let reading = Reading(file: path, environment: environment) { _ in "" }
        let store = root(try text(at: path), reading).map(StoreSettings.path)
        guard let store, !reading.problems.contains(where: { $0.severity == .error }) else {
            throw ConfigurationFault(problems: reading.problems)
        }
        return store
    }

    /// `path`: nil for standard input.
    private static func text(at path: String?) throws -> String {
        // One byte more than allowed, so that `parse` reports that the file is too large.
        let limits = SourceDocument.Limits.configuration
        let limit = limits.bytes + 1
        let bytes = try path.map { try SmallFile.bytes(at: $0, limit: limit) } ?? SmallFile.standardInput(limit: limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let line = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                .firstIndex { String(validating: $0, as: UTF8.self) == nil }
            // If the limit cuts a character, the file is too large, not invalid.
            let message = bytes.count > limits.bytes ? limits.excess : "the file is not UTF-8"
            throw ConfigurationFault(problems: [
                ConfigurationProblem(
                    severity: .error, file: path ?? standardInput, line: (line ?? 0) + 1, column: 1, message: message)
            ])
        }
        return text
    }

    private static func valid(
        _ text: String, _ reading: Reading, _ shard: Shard?
    ) throws(ConfigurationFault) -> ConfigurationFile {
        let file = root(text, reading).map { ConfigurationFile.read($0, shard: shard) }
        let problems = reading.problems
        let errors = problems.count { $0.severity == .error }
        guard let file, errors == 0 else {
            throw ConfigurationFault(problems: problems, watchesNothing: reading.watchesNothing && errors == 1)
        }
        return file
    }

    /// nil after reporting why there is none.
    private static func root(_ text: String, _ reading: Reading) -> Section? {
        let document = SourceDocument(parsing: text)
        for problem in document.problems { reading.error(problem.message, at: problem.position) }
        guard let root = document.root, !root.isNull else {
            if document.problems.isEmpty {
                reading.error("the file is empty; begin with 'version: 1' and 'domains: [example.com]'", at: .start)
            }
            return nil
        }
        guard case .mapping(let entries) = root.content else {
            reading.error(
                "expected a mapping with the keys 'version' and 'domains', found "
                    + root.summary(isConcealed: true), at: root.position)
            return nil
        }
        return Section(
            reading: reading, title: "at the top level", path: "", position: root.position, entries: entries)
    }
}

/// A valid configuration with the positions of its values, for warnings from other modules.
package struct ExaminedConfiguration: Sendable {
    package let file: ConfigurationFile
    /// In file order.
    package let warnings: [ConfigurationProblem]
    /// The name of the file in messages.
    package let name: String
    /// By the key's path, such as `store.path`.
    let places: [String: SourcePosition]

    /// A warning at the value of `key`; if the key is absent, at its section or at the start of the file.
    package func warning(at key: String, _ message: String) -> ConfigurationProblem {
        let section = key.split(separator: ".").first.map(String.init) ?? key
        let place = places[key] ?? places[section] ?? .start
        return ConfigurationProblem(
            severity: .warning, file: name, line: place.line, column: place.column, message: message)
    }
}

/// One problem of a configuration, with its position.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case error
        /// The configuration can be used, but not all of it works as written.
        case warning
    }

    package let severity: Severity
    /// The file's path as the user gave it.
    package let file: String
    /// From 1.
    package let line: Int
    /// From 1, counted in Unicode scalars.
    package let column: Int
    /// For people. Never contains a secret or the value of an environment variable.
    package let message: String

    package init(severity: Severity, file: String, line: Int, column: Int, message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `FILE:LINE:COLUMN: MESSAGE`, the format of compilers, which editors recognize.
    package var description: String {
        "\(file):\(line):\(column): \(severity == .warning ? "warning: " : "")\(message)"
    }
}

/// A configuration that cannot be used; exit code 78.
package struct ConfigurationFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Every problem, including warnings, in order of position. At least one is an error.
    package let problems: [ConfigurationProblem]
    /// Whether the only problem is that no domain is named yet, as in the packaged file.
    package let watchesNothing: Bool

    package init(problems: [ConfigurationProblem], watchesNothing: Bool = false) {
        self.problems = problems
        self.watchesNothing = watchesNothing
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
