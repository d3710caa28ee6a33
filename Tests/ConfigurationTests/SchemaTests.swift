// The JSON Schema of `config schema`, held against the reader: it knows the same keys, accepts every good file, and refuses
// every bad one that a schema can refuse.

import Foundation
import MonitorConfiguration
import Monitoring
import TestSupport
import Testing
import Yams

extension ConfigurationSuite {
    @Suite struct SchemaTests {
        private static let parsed = Result {
            let file = Fixture.repository.appending(path: "Sources/Commands/Templates/monitor.schema.json")
            return try JSONValue(try String(contentsOf: file, encoding: .utf8))
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
            #expect(first.hasSuffix("/Sources/Commands/Templates/monitor.schema.json"))
        }

        /// What no schema can tell: one part of a file against another, a variable's value, a number within a text, and what
        /// editors see as YAML of its own kind.
        private static let beyond: Set = [
            "channel-reference", "channel-reference-without-channels", "domain-twice", "duplicate-key-by-alias",
            "duplicate-keys", "fallback-alertmanager", "fallback-unknown", "listen", "listen-port", "merge-key",
            "shard", "tag-of-key", "token-empty-variable", "variable-unset",
        ]

        @Test("it refuses every bad file that a schema can refuse", arguments: Fixture.names(in: "invalid"))
        func bad(name: String) throws {
            // Thousands of copies of one value: for the reader alone.
            guard !name.hasPrefix("alias-bomb") else { return }
            guard let faults = try? Self.faults(of: try Fixture.text("invalid", name)) else { return }
            #expect(!faults.isEmpty || Self.beyond.contains(name), "\(name).yml")
        }

        /// Every section, and a channel of each type.
        private static let whole = """
            version: 1
            shard: {index: 0, count: 1}
            defaults: {ignore: [{rule: aasa.whole-site, reason: x}]}
            domains:
              - domain: example.com
                ignore: [{rule: cdn.stale, reason: x}]
                expect: {urls: [{url: /a, opens: nothing}]}
            network: {}
            cdn: {}
            vantages: [{name: a, proxy: "http://proxy.test"}]
            alerts:
              escalation: [{after: 1h, channels: [webhook]}]
              channels: [CHANNELS]
            maintenance:
              - {name: a, domains: ["*"], days: [sat], start: "02:00", duration: 1h, zone: UTC}
              - {name: b, domains: ["*"], days: [sat], start: "02:00", end: "03:00", zone: UTC}
            store: {}
            server: {}
            heartbeat: {url: "https://watchdog.test"}
            log: {}
            """

        private static func channels(_ keys: (ChannelKind) -> [String]) -> String {
            ChannelKind.allCases.map { type in
                let values = keys(type).map { "\($0): \"\($0 == "url" ? "https://a.test" : "x")\"" }
                return "{" + (["name: \(type.rawValue)", "type: \(type.rawValue)"] + values).joined(separator: ", ")
                    + "}"
            }.joined(separator: ", ")
        }

        @Test("it has the keys of the reader, section by section")
        func keys() throws {
            var known: [String: Set<String>] = [:]
            // Which keys are asked for depends on those that are given: each of the ways in.
            for isFile in [false, true] {
                let channels = Self.channels { type in
                    type.keys.map { $0.name.rawValue + (isFile && $0.name.isSecret ? "_file" : "") }
                }
                let text = Self.whole.replacing("CHANNELS", with: channels)
                let keys = ConfigurationLoader.knownKeys(in: text) { _ in "x" }
                known.merge(keys) { $0.union($1) }
            }
            let schema = try Self.schema()
            func properties(_ path: String) -> Set<String> {
                var place = schema
                for part in path.split(separator: ".") {
                    let name = part.replacing("[]", with: "")
                    place = place["properties"][String(name)]
                    guard part.hasSuffix("[]") else { continue }
                    let items = place["items"]
                    place = items["anyOf"].elements.first { $0["properties"].present != nil } ?? items
                }
                return place["properties"].keys
            }
            for path in ["domains[].ignore[]", "domains[].expect.urls[]", "alerts.channels[]"] {
                #expect(known.keys.contains(path), "\(path)")
            }
            for (path, keys) in known {
                #expect(properties(path) == keys, "\(path)")
            }
        }
    }
}
