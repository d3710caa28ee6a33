import Evidence
import Foundation
import MonitorConfiguration
import Testing

extension ConfigurationSuite {
    /// `domains_from`.
    @Suite struct DomainListTests {
        /// Reads a configuration with a file of domains.
        private static func read(
            _ list: String, _ more: String = "", name: String = "domains.txt", shard: Shard? = nil
        ) throws -> (ConfigurationFile, warnings: [ConfigurationProblem]) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data(list.utf8).write(to: folder.appending(path: name))
            let text = "version: 1\ndefaults: {interval: 10m}\ndomains_from: \(name)\n\(more)"
            try Data(text.utf8).write(to: folder.appending(path: "monitor.yaml"))
            return try ConfigurationLoader.load(
                path: folder.appending(path: "monitor.yaml").path, shard: shard,
                environment: ["HIDDEN": "hidden.example"])
        }

        @Test(
            "a list names one domain per line",
            arguments: [
                ("a.example.com\nb.example.com\n", ["a.example.com", "b.example.com"]),
                ("# ours\n\n  a.example.com  \r\n", ["a.example.com"]), ("\u{FEFF}a.example.com", ["a.example.com"]),
                ("müller.example\n", ["xn--mller-kva.example"]),
            ] as [(String, [String])])
        func good(_ list: String, _ expected: [String]) throws {
            let domains = try Self.read(list).0.domains
            #expect(domains.map(\.domain.name) == expected)
            #expect(domains.allSatisfy { $0.checks.interval == .seconds(600) })
        }

        private static let channels = """
            alerts:
              channels:
                - {name: ops, type: webhook, url: "http://127.0.0.1:1/a"}
                - {name: growth, type: webhook, url: "http://127.0.0.1:1/b"}

            """

        @Test("a YAML list takes the same entries as 'domains'", arguments: ["domains.yaml", "domains.yml"])
        func entries(name: String) throws {
            let list = """
                # ours
                - a.example.com
                - domain: b.example.com
                  interval: 1m
                  labels: &growth {team: growth}
                  channels: [ops]
                  expect: {apps: [ABCDE12345.com.example.app]}
                - {domain: c.example.com, labels: *growth}
                """
            let domains = try Self.read(list, Self.channels, name: name).0.domains
            #expect(domains.map(\.domain.name) == ["a.example.com", "b.example.com", "c.example.com"])
            #expect(domains.map(\.checks.interval) == [.seconds(600), .seconds(60), .seconds(600)])
            #expect(domains.map(\.labels) == [[:], ["team": "growth"], ["team": "growth"]])
            #expect(domains.map(\.channels) == [nil, ["ops"], nil])
            #expect(domains[1].expect?.apps == ["ABCDE12345.com.example.app"])
        }

        @Test("the configuration's own entry for a domain overrides the list's")
        func both() throws {
            let (file, _) = try Self.read(
                "b.example.com\na.example.com\n", "domains: [{domain: a.example.com, interval: 1m}]")
            #expect(file.domains.map(\.domain.name) == ["a.example.com", "b.example.com"])
            #expect(file.domains.first?.checks.interval == .seconds(60))
            // An empty list is accepted if the configuration itself has domains.
            for name in ["domains.txt", "domains.yaml"] {
                #expect(try Self.read("", "domains: [a.example.com]", name: name).0.domains.count == 1)
            }
        }

        @Test("a warning about an entry gives its position")
        func warning() throws {
            let (_, warnings) = try Self.read("- {domain: a.test, stale_after: 1m}\n", name: "domains.yaml")
            #expect(warnings.count == 1)
            #expect(
                warnings.first?.description.contains(
                    "domains.yaml:1:33: warning: 'stale_after' in domain 'a.test' is shorter than 'interval'") == true)
        }

        @Test("each shard gets its share of the list")
        func shares() throws {
            let list = (0..<200).map { "d\($0).example.com" }.joined(separator: "\n")
            let all = try (0..<4).flatMap { try Self.read(list, shard: Shard(index: $0, count: 4)).0.domains }
            #expect(Set(all.map(\.domain)).count == 200)
            #expect(all.count == 200)
        }

        @Test(
            "each error is reported at its position in the list",
            arguments: [
                ("domains.txt", "a.example.com\n b_.\n", ["domains.txt:2:2: 'b_.' is not a domain"]),
                (
                    "domains.txt", "a.example.com\n\na.example.com\nhttps://b.example.com/\n",
                    [
                        "domains.txt:3:1: domain 'a.example.com' is listed twice; first at line 1",
                        "domains.txt:4:1: expected a bare domain, found 'https://b.example.com/…'; write b.example.com",
                    ]
                ),
                ("domains.txt", "domain,interval\n", ["domains.txt:1:1: 'domain,interval' is not a domain"]),
                (
                    "domains.txt", "# nothing\n",
                    ["monitor.yaml:3:15: the file 'domains.txt' of 'domains_from' names no domain"]
                ),
                (
                    "domains.yaml", "# nothing\n",
                    ["monitor.yaml:3:15: the file 'domains.yaml' of 'domains_from' names no domain"]
                ),
                (
                    "domains.yaml", "- {domain: a.test, intervall: 5m}\n- localhost\n",
                    [
                        "domains.yaml:1:20: unknown key 'intervall' in domain 'a.test'; did you mean 'interval'?",
                        "domains.yaml:2:3: 'localhost' is not a domain",
                    ]
                ),
                (
                    "domains.yaml", "- {domain: a.test, channels: [gorwth]}\n",
                    ["domains.yaml:1:31: no channel is named 'gorwth'; did you mean 'growth'?"]
                ),
                (
                    "domains.yaml", "domains: [a.test]\n",
                    [
                        "domains.yaml:1:1: expected a list for 'domains' in the file of 'domains_from', found a mapping with the "
                            + "key 'domains'"
                    ]
                ),
                ("domains.yaml", "- [a.test\n", ["domains.yaml:2:1: YAML syntax:"]),
            ] as [(String, String, [String])])
        func bad(_ name: String, _ list: String, _ expected: [String]) throws {
            let fault = #expect(throws: ConfigurationFault.self) { try Self.read(list, Self.channels, name: name) }
            let problems = fault?.problems ?? []
            #expect(problems.count == expected.count, "\(problems)")
            for (problem, words) in zip(problems, expected) {
                #expect(problem.description.contains(words), "\(problem)")
            }
        }

        @Test("no message suggests a domain that comes from a variable")
        func concealed() throws {
            let maintenance = """
                maintenance:
                  - {name: a, domains: [hiden.example], days: [sat], start: "02:00", duration: 1h, zone: UTC}
                """
            let fault = #expect(throws: ConfigurationFault.self) {
                try Self.read("- a.test\n- ${HIDDEN}\n", maintenance, name: "domains.yaml")
            }
            #expect(fault?.description.contains("hidden.example") == false, "\(String(describing: fault))")
        }

        @Test("for a file that is not a list, only the first errors are shown and the rest counted")
        func flood() throws {
            let list = (0..<1000).map { "<line \($0)>" }.joined(separator: "\n")
            let fault = #expect(throws: ConfigurationFault.self) { try Self.read(list) }
            #expect(fault?.problems.count == 21)
            #expect(fault?.problems.last?.message == "980 more errors below")
        }

        @Test("an unreadable list is an error at its key")
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
