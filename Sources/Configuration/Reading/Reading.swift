import Foundation

/// One pass over one file: what values are taken from, and where problems are gathered.
///
/// A class because every section of the file writes into the same list; it never leaves the function that made it.
final class Reading {
    let file: String
    let environment: [String: String]
    /// The present, by which dates of the file have passed.
    let now: Date
    private let substitution: EnvironmentSubstitution
    private let readFile: (String) throws -> String
    private let readList: (String) throws -> String
    private var gathered: [ConfigurationProblem] = []
    /// The keys that the readers asked for, by the path of their section.
    private(set) var knownKeys: [String: Set<String>] = [:]
    /// Where the value of a key is first given, by the key's path.
    private(set) var places: [String: SourcePosition] = [:]

    init(
        file: String, environment: [String: String], readFile: @escaping (String) throws -> String,
        readList: @escaping (String) throws -> String = SmallFile.list, now: Date = Date()
    ) {
        self.now = now
        self.file = file
        self.environment = environment
        self.substitution = EnvironmentSubstitution(environment: environment)
        self.readFile = readFile
        self.readList = readList
    }

    /// In the order of the file, and each once: an aliased mapping is read wherever it is used.
    var problems: [ConfigurationProblem] {
        var result: [ConfigurationProblem] = []
        let ordered = gathered.enumerated().sorted {
            let (left, right) = ($0.element, $1.element)
            // A file that the configuration names comes after it.
            if left.file != right.file { return left.file == file }
            return (left.line, left.column, $0.offset) < (right.line, right.column, $1.offset)
        }
        for (_, problem) in ordered where !isRepeat(problem, of: result) {
            result.append(problem)
        }
        return result
    }

    /// Looks only at the problems of the same place, which are neighbours.
    private func isRepeat(_ problem: ConfigurationProblem, of earlier: [ConfigurationProblem]) -> Bool {
        earlier.reversed().prefix { $0.line == problem.line && $0.column == problem.column }.contains(problem)
    }

    func note(place: SourcePosition, of key: String) { if places[key] == nil { places[key] = place } }

    func note(keys: Set<String>, of path: String) { knownKeys[path, default: []].formUnion(keys) }

    /// `other`: a file that the configuration names; nil: the configuration.
    func error(_ message: String, in other: String? = nil, at position: SourcePosition) {
        add(.error, message, other ?? file, position)
    }

    func warning(_ message: String, at position: SourcePosition) {
        add(.warning, message, file, position)
    }

    private func add(
        _ severity: ConfigurationProblem.Severity, _ message: String, _ file: String, _ position: SourcePosition
    ) {
        gathered.append(
            ConfigurationProblem(
                severity: severity, file: file, line: position.line, column: position.column, message: message))
    }

    /// The scalar with its variables filled in; nil after telling what is wrong with them.
    func text(_ raw: String, at position: SourcePosition) -> ScalarText? {
        do {
            return ScalarText(value: try substitution.apply(to: raw), raw: raw, position: position)
        } catch {
            self.error(error.message, at: position)
            return nil
        }
    }

    /// A path of the file as seen from the configuration's own folder.
    func place(_ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }

    /// A store's path: under the first folder of `$STATE_DIRECTORY`, which systemd sets, else as `place`.
    func placeOfStore(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else {
            return place(path)
        }
        return "\(folder)/\(path)"
    }

    /// The text of the file with more domains; nil after telling what is wrong.
    func list(inFile path: ScalarText) -> String? {
        do {
            return try readList(place(path.value))
        } catch {
            let reason = (error as? ConfigurationFileUnreadable).map { ": \($0.reason)" } ?? ""
            self.error("cannot read the file \(path.quoted) of 'domains_from'\(reason)", at: path.position)
            return nil
        }
    }

    /// The content of a secret's file without its final newline; nil after telling what is wrong.
    func secret(inFile path: ScalarText, for key: String) -> String? {
        var content: String
        do {
            content = try readFile(place(path.value))
        } catch {
            // Another error's own words may hold anything, so they are not repeated.
            let reason = (error as? ConfigurationFileUnreadable).map { ": \($0.reason)" } ?? ""
            self.error("cannot read the file \(path.quoted) of '\(key)'\(reason)", at: path.position)
            return nil
        }
        if content.last?.isNewline == true { content.removeLast() }
        guard !content.isEmpty else {
            self.error("the file \(path.quoted) of '\(key)' is empty", at: path.position)
            return nil
        }
        return content
    }
}

/// A scalar of the file with its variables filled in.
struct ScalarText {
    let value: String
    /// As it stands in the file.
    let raw: String
    let position: SourcePosition

    var isSubstituted: Bool { raw.contains("$") && raw != value }

    /// For messages: the text as it stands in the file, so that a variable's value never gets into one.
    var quoted: String { Quotation.of(raw) }
}

/// `${NAME}` and `${NAME:-default}` in the text of one scalar; `$$` is a dollar.
///
/// It works on scalars after the YAML is parsed: a value cannot bring keys or lists of its own.
struct EnvironmentSubstitution {
    /// What cannot be filled in, in words that name variables and never hold their values.
    struct Fault: Error, Equatable {
        let message: String
    }

    let environment: [String: String]

    /// - Throws: `Fault` at the first variable that is unset or misspelled.
    func apply(to text: String) throws(Fault) -> String {
        guard text.contains("$") else { return text }
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
                    throw Fault(message: "'${' has no closing '}'; a literal dollar is written '$$'")
                }
                result += try value(of: rest[..<end].dropFirst())
                rest = rest[rest.index(after: end)...]
            default:
                result += "$"
            }
        }
        return result + rest
    }

    /// `expression` is what stands between the braces.
    private func value(of expression: Substring) throws(Fault) -> String {
        let separator = expression.firstRange(of: ":-")
        let name = String(expression[..<(separator?.lowerBound ?? expression.endIndex)])
        let isName =
            name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || isLetter($0) || (48...57).contains($0) }
            && name.utf8.first.map { !(48...57).contains($0) } == true
        guard isName else {
            throw Fault(
                message: "'${…}' holds no name of a variable; write ${NAME} or ${NAME:-default}, "
                    + "and '$$' for a literal dollar")
        }
        let value = environment[name]
        guard let separator else {
            guard let value else {
                throw Fault(
                    message: "environment variable '\(name)' is not set; set it or write ${\(name):-default}")
            }
            return value
        }
        // As in a shell, `:-` stands in for an empty value too.
        if let value, !value.isEmpty { return value }
        return String(expression[separator.upperBound...])
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
}
