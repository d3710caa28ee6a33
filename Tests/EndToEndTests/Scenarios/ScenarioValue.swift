// A scenario file as YAML, read strictly: an unknown value is reported with file and line, because a typo must not pass
// as a test.

import Foundation
import TestSupport
import Yams

/// What is wrong with a scenario file, and where.
struct ScenarioFault: Error, CustomStringConvertible {
    let file: String
    let line: Int
    let text: String

    var description: String { "\(file):\(line): \(text)" }
}

/// One value of a scenario file.
struct ScenarioValue {
    let file: String
    private let node: Node

    static func root(of text: String, file: String) throws -> ScenarioValue {
        do {
            guard let node = try Yams.compose(yaml: text) else {
                throw ScenarioFault(file: file, line: 1, text: "the file is empty")
            }
            return ScenarioValue(file: file, node: node)
        } catch let error as YamlError {
            throw ScenarioFault(file: file, line: Self.line(of: error), text: "\(error)")
        }
    }

    private static func line(of error: YamlError) -> Int {
        switch error {
        case .reader, .memory, .no, .writer, .emitter, .representer, .dataCouldNotBeDecoded: 1
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark.line
        case .duplicatedKeysInMapping(_, let context): context.mark.line
        }
    }

    func fault(_ text: String) -> ScenarioFault {
        ScenarioFault(file: file, line: node.mark?.line ?? 1, text: text)
    }

    /// The values of a mapping that may have only these keys.
    func members(_ known: Set<String>) throws -> [String: ScenarioValue] {
        var members: [String: ScenarioValue] = [:]
        for (key, value) in try entries() {
            guard known.contains(key) else {
                throw ScenarioFault(
                    file: file, line: value.keyLine,
                    text: "unknown key '\(key)'; known here: \(known.sorted().joined(separator: ", "))")
            }
            members[key] = value.value
        }
        return members
    }

    /// The entries of a mapping with any keys, in the order of the file.
    func entries() throws -> [(key: String, value: (value: ScenarioValue, keyLine: Int))] {
        guard let mapping = node.mapping else { throw fault("a mapping is wanted here") }
        return try mapping.map { key, value in
            guard let name = key.string else { throw fault("a key must be text") }
            return (name, (ScenarioValue(file: file, node: value), key.mark?.line ?? 1))
        }
    }

    func map<T>(_ body: (String, ScenarioValue) throws -> T) throws -> [(key: String, value: T)] {
        try entries().map { ($0.key, try body($0.key, $0.value.value)) }
    }

    func list() throws -> [ScenarioValue] {
        guard let sequence = node.sequence else { throw fault("a list is wanted here") }
        return sequence.map { ScenarioValue(file: file, node: $0) }
    }

    func strings() throws -> [String] { try list().map { try $0.string() } }

    func string() throws -> String {
        guard let text = node.scalar?.string else { throw fault("text is wanted here") }
        return text
    }

    func int() throws -> Int {
        guard let value = node.int else { throw fault("a whole number is wanted here") }
        return value
    }

    func bool() throws -> Bool {
        guard let value = node.bool else { throw fault("true or false is wanted here") }
        return value
    }

    /// One of the given words.
    func choice<T>(_ choices: [String: T]) throws -> T {
        let word = try string()
        guard let value = choices[word] else {
            throw fault("'\(word)' is none of \(choices.keys.sorted().joined(separator: ", "))")
        }
        return value
    }

    /// As JSON, for comparison with a report.
    func json() throws -> JSONValue {
        if node.mapping != nil || node.sequence != nil { throw fault("a plain value is wanted here") }
        if node.null != nil { return .null }
        if node.scalar?.style == .doubleQuoted || node.scalar?.style == .singleQuoted { return .string(try string()) }
        if let value = node.bool { return .bool(value) }
        if let value = node.float { return .number(value) }
        return .string(try string())
    }
}

extension Dictionary where Key == String, Value == ScenarioValue {
    func need(_ key: String, in value: ScenarioValue) throws -> ScenarioValue {
        guard let member = self[key] else { throw value.fault("the key '\(key)' is missing") }
        return member
    }
}
