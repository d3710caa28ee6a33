import Evidence
import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    /// `domains_from`.
    @Suite struct DomainListTests {
        /// Reads a configuration beside a list of domains.
        private static func read(
            _ list: String, _ domains: String = "", shard: Shard? = nil
        ) throws -> ConfigurationFile {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data(list.utf8).write(to: folder.appending(path: "domains.csv"))
            let text = "version: 1\ndefaults: {interval: 10m}\ndomains_from: domains.csv\n\(domains)"
            try Data(text.utf8).write(to: folder.appending(path: "monitor.yaml"))
            return try ConfigurationLoader.load(
                path: folder.appending(path: "monitor.yaml").path, shard: shard, environment: [:]
            ).0
        }

        @Test(
            "a list names domains, with an interval and labels where it is CSV",
            arguments: [
                ("a.example.com\nb.example.com\n", ["a.example.com 600", "b.example.com 600"]),
                ("# ours\n\n  a.example.com  \r\n", ["a.example.com 600"]),
                ("\u{FEFF}a.example.com", ["a.example.com 600"]),
                ("domain\na.example.com\n", ["a.example.com 600"]),
                (
                    "domain,interval,team\na.example.com,1m,growth\nb.example.com,,\nc.example.com\n",
                    ["a.example.com 60 team=growth", "b.example.com 600", "c.example.com 600"]
                ),
                (
                    "team, domain\n\"growth, \"\"EU\"\"\", a.example.com\n",
                    ["a.example.com 600 team=growth, \"EU\""]
                ),
                ("müller.example\n", ["xn--mller-kva.example 600"]),
            ] as [(String, [String])])
        func good(_ list: String, _ expected: [String]) throws {
            let file = try Self.read(list)
            let seen = file.domains.map { watched in
                let labels = watched.labels.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
                return "\(watched.domain) \(watched.checks.interval.components.seconds)\(labels)"
            }
            #expect(seen == expected)
        }

        @Test("what the configuration says of a domain counts")
        func both() throws {
            let file = try Self.read(
                "b.example.com\na.example.com\n", "domains: [{domain: a.example.com, interval: 1m}]")
            #expect(file.domains.map(\.domain.name) == ["a.example.com", "b.example.com"])
            #expect(file.domains.first?.checks.interval == .seconds(60))
        }

        private static let channels = """
            alerts:
              channels:
                - {name: ops, type: webhook, url: "https://hooks.example.net/a"}
                - {name: growth, type: webhook, url: "https://hooks.example.net/b"}

            """

        @Test("a column names the channels of each domain; an empty cell leaves all")
        func routed() throws {
            let file = try Self.read(
                "domain,channels\na.example.com,ops\nb.example.com,ops; growth\nc.example.com,\n", Self.channels)
            #expect(file.domains.map(\.channels) == [["ops"], ["ops", "growth"], nil])
            let fault = #expect(throws: ConfigurationFault.self) {
                try Self.read("domain,channels\na.example.com,gorwth\n", Self.channels)
            }
            #expect(
                fault?.problems.last?.description.hasSuffix(
                    "domains.csv:2:15: no channel is named 'gorwth'; did you mean 'growth'?") == true,
                "\(String(describing: fault))")
        }

        @Test("a column that is nearly a setting is a label with a warning, and every label is told")
        func nearly() throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data("domain,intervall,team,channel\na.example.com,5m,x,ops\n".utf8)
                .write(to: folder.appending(path: "domains.csv"))
            let path = folder.appending(path: "monitor.yaml").path
            try Data("version: 1\ndomains_from: domains.csv\n".utf8).write(to: URL(filePath: path))
            let examined = try ConfigurationLoader.examine(path: path, environment: [:])
            #expect(examined.listedLabels == ["intervall", "team", "channel"])
            #expect(
                examined.warnings.map(\.message) == [
                    "column 'intervall' is a label of this name; did you mean 'interval'?",
                    "column 'channel' is a label of this name; did you mean 'channels'?",
                ])
            #expect(
                examined.warnings.first?.description.hasSuffix(
                    "domains.csv:1:8: warning: column 'intervall' is a label of this name; did you mean 'interval'?")
                    == true)
        }

        @Test("a shard has its share of the list")
        func shares() throws {
            let list = (0..<200).map { "d\($0).example.com" }.joined(separator: "\n")
            let all = try (0..<4).flatMap { try Self.read(list, shard: Shard(index: $0, count: 4)).domains }
            #expect(Set(all.map(\.domain)).count == 200)
            #expect(all.count == 200)
        }

        @Test(
            "each bad line is named, in the list's own file",
            arguments: [
                ("a.example.com\nb_.\n", "domains.csv:2:1: 'b_.' is not a domain"),
                (
                    "a.example.com\n\na.example.com\n",
                    "domains.csv:3:1: domain 'a.example.com' is listed twice; it is already given at line 1"
                ),
                ("a.example.com,5m\n", "domains.csv:1:1: the first line of a CSV file names its columns"),
                ("domain,interval\na.example.com,soon\n", "domains.csv:2:15: expected a duration such as 5m"),
                ("domain,interval\na.example.com,5m,x\n", "domains.csv:2:18: the line has 3 columns"),
                ("domain,interval\n,5m\n", "domains.csv:2:1: the line names no domain"),
                ("domain,domain\n", "domains.csv:1:8: column 'domain' is given twice"),
                ("domain,te am\n", "domains.csv:1:8: 'te am' is no name of a label"),
                (
                    "domain,stale_after\n",
                    "domains.csv:1:8: column 'stale_after' cannot be given in a list; give it in 'defaults'"
                ),
                ("domain,channels\na.example.com,nobody\n", "domains.csv:2:15: no channel is named 'nobody'"),
                ("domain,team\na.example.com,\"growth\n", "domains.csv:2:15: the quote is not closed"),
                ("domain,team\na.example.com,\"x\"y\n", "domains.csv:2:15: text after a closing quote"),
                ("# nothing\n", "monitor.yaml:3:15: the file 'domains.csv' of 'domains_from' names no domain"),
            ])
        func bad(_ list: String, _ expected: String) throws {
            let fault = #expect(throws: ConfigurationFault.self) { try Self.read(list) }
            #expect(fault?.problems.first?.description.contains(expected) == true, "\(String(describing: fault))")
        }

        @Test("of a file that is no list, the first faults are shown and the others counted")
        func flood() throws {
            let list = (0..<1000).map { "<line \($0)>" }.joined(separator: "\n")
            let fault = #expect(throws: ConfigurationFault.self) { try Self.read(list) }
            #expect(fault?.problems.count == 21)
            #expect(fault?.problems.last?.message == "980 more lines have faults")
        }

        @Test("a list that cannot be read is a fault at the key")
        func missing() throws {
            let fault = #expect(throws: ConfigurationFault.self) {
                try ConfigurationLoader.parse(
                    "version: 1\ndomains_from: /nonexistent/list\n", file: "monitor.yaml", environment: [:]
                ) { _ in "" }
            }
            #expect(
                fault?.problems.map(\.description) == [
                    "monitor.yaml:2:15: cannot read the file '/nonexistent/list' of 'domains_from': no such file or directory"
                ])
        }
    }
}
