// The JSON Schema of `config schema`, held against the reader: it accepts every good file, and refuses every bad one
// that a schema can refuse.

import Evidence
import Foundation
import MonitorConfiguration
import TestSupport
import Testing
import Yams

extension ConfigurationSuite {
    @Suite struct SchemaTests {
        private static let parsed = Result {
            try JSONValue(ConfigurationFile.schema.text(isPretty: false))
        }

        private static func schema() throws -> JSONValue { try parsed.get() }

        private static func faults(of text: String) throws -> [String] {
            let schema = try schema()
            var judge = SchemaJudge(schema)
            let faults = judge.faults(of: try Yams.compose(yaml: text).map(shape) ?? .null, schema)
            #expect(judge.unknown.isEmpty)
            return faults
        }

        /// By the core schema of YAML 1.2, as editors read it.
        private static func shape(_ node: Node) -> JSONValue {
            switch node {
            case .mapping(let mapping):
                .object(Dictionary(mapping.map { ($0.key.string ?? "", shape($0.value)) }) { $1 })
            case .sequence(let sequence): .array(sequence.map(shape))
            case .scalar(let scalar) where scalar.style == .plain:
                switch scalar.string {
                case "", "~", "null", "Null", "NULL": .null
                case "true", "True", "TRUE": .bool(true)
                case "false", "False", "FALSE": .bool(false)
                default:
                    scalar.string.wholeMatch(of: /[-+]?[0-9.]+(e[-+]?[0-9]+)?/) == nil
                        ? .string(scalar.string) : Double(scalar.string).map { .number($0) } ?? .string(scalar.string)
                }
            case .scalar(let scalar): .string(scalar.string)
            case .alias: .null
            }
        }

        @Test("it accepts every good file", arguments: Fixture.names(in: "valid"))
        func good(name: String) throws {
            #expect(try Self.faults(of: try Fixture.text("valid", name)) == [])
        }

        @Test("it accepts the example, which names it for editors")
        func example() throws {
            let text = try String(contentsOf: Fixture.repository.appending(path: "monitor.yaml"), encoding: .utf8)
            #expect(try Self.faults(of: text) == [])
            let first = text.prefix { $0 != "\n" }
            #expect(first.hasPrefix("# yaml-language-server: $schema=https://"))
            #expect(first.hasSuffix("/docs/monitor.schema.json"))
        }

        /// What no schema can tell: one part of a file against another, a variable's value, a number within a text,
        /// and what editors see as YAML of its own kind. In some languages `$` of a pattern also matches before a final
        /// line break.
        private static let beyond: Set = [
            "channel-line-break", "channel-reference", "channel-reference-without-channels", "domain-twice",
            "duplicate-key-by-alias", "duplicate-keys", "fallback-alertmanager", "fallback-unknown",
            "listen", "listen-port", "merge-key", "note", "shard", "tag-of-key", "token-empty-variable",
            "variable-unset",
        ]

        @Test("it refuses every bad file that a schema can refuse", arguments: Fixture.names(in: "invalid"))
        func bad(name: String) throws {
            // Thousands of copies of one value: for the reader alone.
            guard !name.hasPrefix("alias-bomb") else { return }
            guard let faults = try? Self.faults(of: try Fixture.text("invalid", name)) else { return }
            #expect(!faults.isEmpty || Self.beyond.contains(name), "\(name).yml")
        }
    }
}
