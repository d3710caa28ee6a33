import AASA
import Evidence
import Facts
import Foundation

/// The state of reading one file: where values come from, and the problems so far.
///
/// A class, because every section adds to the same list. It never leaves the function that creates it.
final class Reading {
    let file: String
    let environment: [String: String]
    /// The current time, to find dates that have passed.
    let now: Date
    private let substitution: EnvironmentSubstitution
    private let readFile: (String) throws -> String
    private let readList: (String) throws -> String
    private let isReadableByAll: (String) -> Bool
    /// The warning about the first secret in the configuration itself, if other users can read it.
    private var exposed: ConfigurationProblem?
    private var gathered: [ConfigurationProblem] = []
    /// The problems of the file of `domains_from`.
    private var listed: [ConfigurationProblem] = []
    /// Further errors are only counted.
    private let maximumErrors: Int
    private(set) var errorCount = 0
    /// The position of the first value of each key, by the key's path.
    private(set) var places: [String: SourcePosition] = [:]
    /// The texts that contain variables, by the key's path.
    private(set) var written: [String: ScalarText] = [:]
    /// The first place of each variable, by its name.
    private(set) var variables: [String: SourcePosition] = [:]
    /// The files of secrets that were read, with their keys.
    private(set) var secretFiles: [(path: String, key: String, position: SourcePosition)] = []
    /// Whether `domains` is there and empty.
    var watchesNothing = false
    /// The domains that come from a variable. Messages never suggest them.
    private(set) var concealedDomains: Set<Domain> = []
    /// What sections need from earlier ones.
    var context = Context()

    struct Context {
        var defaults = CheckSettings()
        /// All channels of the file, including invalid ones: names that refer to these are not wrong.
        var channels: [ChannelName] = []
        /// The domain whose entry is read; nil if it is invalid.
        var domain: Domain?
        var watched: [WatchedDomain] = []
    }

    init(
        file: String, environment: [String: String], readFile: @escaping (String) throws -> String,
        readList: @escaping (String) throws -> String = SmallFile.list,
        isReadableByAll: @escaping (String) -> Bool = { _ in false }, now: Date = Date(), maximumErrors: Int = .max
    ) {
        self.isReadableByAll = isReadableByAll
        self.maximumErrors = maximumErrors
        self.now = now
        self.file = file
        self.environment = environment
        self.substitution = EnvironmentSubstitution(environment: environment)
        self.readFile = readFile
        self.readList = readList
    }

    /// In file order, without repetition: an aliased mapping is read at each use.
    var problems: [ConfigurationProblem] {
        var result: [ConfigurationProblem] = []
        let ordered = (gathered + [exposed].compactMap(\.self)).enumerated().sorted {
            let (left, right) = ($0.element, $1.element)
            return (left.line, left.column, $0.offset) < (right.line, right.column, $1.offset)
        }
        for (_, problem) in ordered where !isRepeat(problem, of: result) {
            result.append(problem)
        }
        return result + listed
    }

    /// Compares only with the problems at the same position, which are adjacent.
    private func isRepeat(_ problem: ConfigurationProblem, of earlier: [ConfigurationProblem]) -> Bool {
        earlier.reversed().prefix { $0.line == problem.line && $0.column == problem.column }.contains(problem)
    }

    func note(place: SourcePosition, of key: String) { if places[key] == nil { places[key] = place } }

    /// `key`: its path.
    func note(_ text: ScalarText, of key: String) { if text.usesVariable, written[key] == nil { written[key] = text } }

    /// The value of a key for messages: `words`, or the text of the file if that contains a variable. `key`: its path.
    func shown(_ words: String, of key: String) -> String { written[key]?.quoted ?? words }

    func note(_ domain: Domain, namedBy text: ScalarText) { if text.usesVariable { concealedDomains.insert(domain) } }

    func error(_ message: String, at position: SourcePosition) {
        errorCount += 1
        if errorCount <= maximumErrors { add(.error, message, position) }
    }

    func warning(_ message: String, at position: SourcePosition) { add(.warning, message, position) }

    /// For the file of `domains_from`. Limits the errors, because a file that is not a list has one in each line.
    func ofList(_ path: String) -> Reading {
        let list = Reading(
            file: path, environment: environment, readFile: readFile, isReadableByAll: isReadableByAll, now: now,
            maximumErrors: 20)
        list.context = context
        return list
    }

    /// Adds the results of the file of `domains_from`.
    func take(_ list: Reading) {
        listed = list.problems
        concealedDomains.formUnion(list.concealedDomains)
        let more = list.errorCount - list.maximumErrors
        guard more > 0, let last = listed.last else { return }
        listed.append(
            ConfigurationProblem(
                severity: .error, file: list.file, line: last.line, column: last.column,
                message: "\(more) more \(more == 1 ? "error" : "errors") below"))
    }

    private func add(
        _ severity: ConfigurationProblem.Severity, _ message: String, _ position: SourcePosition
    ) {
        gathered.append(
            ConfigurationProblem(
                severity: severity, file: file, line: position.line, column: position.column, message: message))
    }

    /// The scalar with its variables filled in; nil after reporting a problem with them.
    func text(_ raw: String, at position: SourcePosition) -> ScalarText? {
        do {
            let text = try substitution.text(raw, at: position)
            for name in text.variables where variables[name] == nil { variables[name] = position }
            return text
        } catch {
            self.error(error.message, at: position)
            return nil
        }
    }

    /// A path of the file, resolved against the configuration's folder.
    func place(_ path: String) -> String {
        let path = inHome(path)
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }

    /// `~/` is the user's home, as in a shell.
    private func inHome(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = environment["HOME"], home.hasPrefix("/") else { return path }
        return home + path.dropFirst()
    }

    /// The store's path, under the first folder of `$STATE_DIRECTORY`, which systemd sets, or else as `place`.
    func placeOfStore(_ path: String) -> String {
        let path = inHome(path)
        guard !path.hasPrefix("/"), let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else {
            return place(path)
        }
        return "\(folder)/\(path)"
    }

    /// The text of the file of `domains_from`; nil after reporting a problem.
    func list(inFile path: ScalarText) -> String? {
        do {
            return try readList(place(path.value))
        } catch {
            let reason = (error as? UnreadableFile).map { ": \($0.reason)" } ?? ""
            self.error("cannot read the file \(path.quoted) of 'domains_from'\(reason)", at: path.position)
            return nil
        }
    }

    /// The content of a secret's file without its final newline; nil after reporting a problem.
    func secret(inFile path: ScalarText, for key: String) -> String? {
        var content: String
        do {
            content = try readFile(place(path.value))
        } catch {
            // Other errors may contain anything, so messages do not repeat them.
            let reason = (error as? UnreadableFile).map { ": \($0.reason)" } ?? ""
            self.error("cannot read the file \(path.quoted) of '\(key)'\(reason)", at: path.position)
            return nil
        }
        secretFiles.append((place(path.value), key, path.position))
        if content.last?.isNewline == true { content.removeLast() }
        guard !content.isEmpty else {
            self.error("the file \(path.quoted) of '\(key)' is empty", at: path.position)
            return nil
        }
        return content
    }
}

/// Warnings about secrets that other users of the machine can read.
extension Reading {
    /// For the configuration itself, once, at its first secret.
    func warnOfReaders(ofTheFileWith secret: ScalarText, for key: String, _ title: String) {
        let (line, column) = (secret.position.line, secret.position.column)
        if let exposed, (exposed.line, exposed.column) <= (line, column) { return }
        guard !secret.usesVariable, isReadableByAll(file) else { return }
        exposed = ConfigurationProblem(
            severity: .warning, file: file, line: line, column: column,
            message:
                "every user of this machine can read this file, which contains the secret '\(key)' \(title); remove "
                + "that permission (chmod o-r), or give secrets as ${NAME} or in a separate file")
    }

    /// For a file that contains a secret.
    func warnOfReaders(of path: ScalarText, for key: String, _ title: String) {
        guard isReadableByAll(place(path.value)) else { return }
        warning(
            "every user of this machine can read the file \(path.quoted) of '\(key)' \(title); remove that "
                + "permission (chmod o-r)", at: path.position)
    }
}

/// A scalar of the file with its variables filled in. Messages never show the value of a variable: they quote the text
/// as `quoted`, and add what depends on the value only through `reason` and `suggestion`.
struct ScalarText {
    /// Never for messages.
    let value: String
    /// As written in the file.
    let raw: String
    let position: SourcePosition
    /// The variables of the environment that are parts of the value.
    let variables: [String]

    var usesVariable: Bool { !variables.isEmpty }

    /// For messages: the text as written in the file.
    var quoted: String { Quotation.of(raw) }

    /// `: WORDS`, which may quote the value; empty if the value contains a variable.
    func reason(_ words: String) -> String { usesVariable ? "" : ": \(words)" }

    /// `; did you mean 'interval'?`, or empty.
    func suggestion(among candidates: some Sequence<String>) -> String {
        usesVariable ? "" : Spelling.suggestion(for: value, among: candidates)
    }
}

/// Fills in `${NAME}` and `${NAME:-default}` in the text of one scalar; `$$` is a dollar.
///
/// Works on scalars after YAML is parsed, so that a value cannot add keys or lists.
struct EnvironmentSubstitution {
    /// Why a variable cannot be filled in. The message names variables and never contains their values.
    struct Fault: Error, Equatable {
        let message: String
    }

    let environment: [String: String]
    var service = ServiceEnvironment()

    /// - Throws: `Fault` for the first variable that is unset or misspelled.
    func text(_ text: String, at position: SourcePosition) throws(Fault) -> ScalarText {
        var variables: [String] = []
        let value = text.contains("$") ? try filled(text, &variables) : text
        return ScalarText(value: value, raw: text, position: position, variables: variables)
    }

    private func filled(_ text: String, _ variables: inout [String]) throws(Fault) -> String {
        var result = ""
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            rest = rest[rest.index(after: dollar)...]
            switch rest.first {
            case "$":
                result += "$"
                rest = rest.dropFirst()
            case "{":
                guard let end = rest.firstIndex(of: "}") else {
                    throw Fault(message: "'${' has no closing '}'; write '$$' for a literal dollar")
                }
                let variable = try variable(rest[..<end].dropFirst())
                result += variable.value
                variables.append(variable.name)
                rest = rest[rest.index(after: end)...]
            default:
                result += "$"
            }
        }
        return result + rest
    }

    /// `expression`: the text between the braces.
    private func variable(_ expression: Substring) throws(Fault) -> (name: String, value: String) {
        let separator = expression.firstRange(of: ":-")
        let name = String(expression[..<(separator?.lowerBound ?? expression.endIndex)])
        let isName =
            name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || isLetter($0) || (48...57).contains($0) }
            && name.utf8.first.map { !(48...57).contains($0) } == true
        guard isName else {
            throw Fault(
                message: "'${…}' does not contain the name of a variable; write ${NAME} or ${NAME:-default}, "
                    + "and '$$' for a literal dollar")
        }
        let value = environment[name]
        guard let separator else {
            guard let value else {
                throw Fault(
                    message: "environment variable '\(name)' is not set; set it or write ${\(name):-default}"
                        + service.hint(for: name, environment))
            }
            return (name, value)
        }
        // As in a shell, `:-` also replaces an empty value.
        if let value, !value.isEmpty { return (name, value) }
        return (name, String(expression[separator.upperBound...]))
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}

/// The environment file that the packaged systemd unit gives to the service. A shell does not have its variables.
package struct ServiceEnvironment {
    let path: String
    private static let limit = 64 * 1024

    package init(path: String = "/etc/aasa-monitor/environment") { self.path = path }

    /// nil if this user cannot read the file.
    package var variables: [(name: String, value: String)]? {
        (try? SmallFile.bytes(at: path, limit: Self.limit)).map { Self.variables(String(decoding: $0, as: UTF8.self)) }
    }

    /// `NAME=value` lines; a value may be in quotation marks.
    /// https://www.freedesktop.org/software/systemd/man/systemd.exec.html
    private static func variables(_ text: String) -> [(name: String, value: String)] {
        text.split(whereSeparator: \.isNewline).compactMap { line in
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.hasPrefix("#"), !line.hasPrefix(";"), let sign = line.firstIndex(of: "="),
                sign != line.startIndex
            else { return nil }
            var value = line[line.index(after: sign)...]
            if value.count > 1, let mark = value.first, mark == "\"" || mark == "'", value.last == mark {
                value = value.dropFirst().dropLast()
            }
            return (String(line[..<sign]), String(value))
        }
    }

    /// `; …` if the service may have a variable that this shell lacks; otherwise empty.
    func hint(for name: String, _ environment: [String: String]) -> String {
        // The service itself has already read the file.
        guard environment["INVOCATION_ID"] == nil, access(path, F_OK) == 0 else { return "" }
        guard let variables else {
            return "; the service gets its variables from \(path), which this user cannot read"
        }
        let isThere = variables.contains { $0.name == name }
        return isThere
            ? "; the service gets it from \(path): run `set -a; . \(path); set +a` in this shell first"
            : "; for the service, add \(name)=… to \(path)"
    }
}
