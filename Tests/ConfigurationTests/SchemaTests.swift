// Compares the JSON Schema of `config schema` with the reader. The schema accepts every valid file, and refuses every
// invalid one as far as a schema can.

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

        /// The value by the core schema of YAML 1.2, as editors read it.
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

        @Test("the schema accepts every valid file", arguments: Fixture.names(in: "valid"))
        func good(name: String) throws {
            #expect(try Self.faults(of: try Fixture.text("valid", name)) == [])
        }

        @Test("the schema accepts the example, and the example names the schema for editors")
        func example() throws {
            let text = try String(contentsOf: Fixture.repository.appending(path: "monitor.yaml"), encoding: .utf8)
            #expect(try Self.faults(of: text) == [])
            let first = text.prefix { $0 != "\n" }
            #expect(first.hasPrefix("# yaml-language-server: $schema=https://"))
            #expect(first.hasSuffix("/docs/monitor.schema.json"))
        }

        /// Errors that no schema can find: conflicts between parts of a file, a variable's value, a number inside a
        /// text, and YAML that editors read differently. In some languages `$` in a pattern also matches before a final
        /// line break.
        private static let beyond: Set = [
            "channel-line-break", "channel-reference", "channel-reference-without-channels", "domain-twice",
            "duplicate-key-by-alias", "duplicate-keys", "fallback-alertmanager", "fallback-unknown",
            "listen", "listen-port", "merge-key", "note", "shard", "tag-of-key", "token-empty-variable",
            "variable-unset",
        ]

        @Test("the schema refuses every invalid file that a schema can refuse", arguments: Fixture.names(in: "invalid"))
        func bad(name: String) throws {
            // Thousands of copies of one value: only the reader is tested with these.
            guard !name.hasPrefix("alias-bomb") else { return }
            guard let faults = try? Self.faults(of: try Fixture.text("invalid", name)) else { return }
            #expect(!faults.isEmpty || Self.beyond.contains(name), "\(name).yml")
        }
    }
}
