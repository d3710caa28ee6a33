import Foundation

/// One pass over one file: what values are taken from, and where problems are gathered.
///
/// A class because every section of the file writes into the same list; it never leaves the function that made it.
final class Reading {
    let file: String
    let environment: [String: String]
    private let substitution: EnvironmentSubstitution
    private let readFile: (String) throws -> String
    private var gathered: [ConfigurationProblem] = []

    init(file: String, environment: [String: String], readFile: @escaping (String) throws -> String) {
        self.file = file
        self.environment = environment
        self.substitution = EnvironmentSubstitution(environment: environment)
        self.readFile = readFile
    }

    /// In the order of the file, and each once: an aliased mapping is read wherever it is used.
    var problems: [ConfigurationProblem] {
        var result: [ConfigurationProblem] = []
        let ordered = gathered.enumerated().sorted {
            ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
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

    func error(_ message: String, at position: SourcePosition) {
        add(.error, message, position)
    }

    func warning(_ message: String, at position: SourcePosition) {
        add(.warning, message, position)
    }

    private func add(_ severity: ConfigurationProblem.Severity, _ message: String, _ position: SourcePosition) {
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
