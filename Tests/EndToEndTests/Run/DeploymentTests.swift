// What the package contains besides the program, as far as it can be tested without a separate system. `make
// package-test` has one.

import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct DeploymentTests {
        private static func file(_ name: String) throws -> String {
            try String(
                contentsOf: URL(filePath: #filePath).appending(path: "../../../../\(name)").standardized,
                encoding: .utf8)
        }

        @Test("systemd's reload first checks the configuration and stops at a fault")
        func reload() async throws {
            let commands = try Self.file("deploy/aasa-monitor.service").split(separator: "\n")
                .filter { $0.hasPrefix("ExecReload=") }
            #expect(commands.count == 2 && commands.last?.contains("kill -HUP") == true)
            let words = try #require(commands.first?.split(separator: " ").map(String.init))
            let program = try #require(words.firstIndex { $0.hasSuffix("/aasa-monitor") })
            let arguments = words.dropFirst(program + 1).map { $0.hasPrefix("/etc/") ? "monitor.yaml" : $0 }
            try await Stage.withoutLab { stage in
                for (text, code) in [
                    ("version: 1\ndomains: [a.test]\n", 0), ("version: 1\ndomains: [a.test]\ncolour: red\n", 78),
                    ("version: 1\ndomains: []\n", 78),
                    ("version: 1\ndomains: [a.test]\nnetwork: {ca_file: none.pem}\n", 66),
                ] as [(String, Int32)] {
                    try stage.write("monitor.yaml", text)
                    let checked = try await stage.run(Array(arguments))
                    #expect(checked.end == .exit(code), "\(text) \(checked.errors)")
                }
            }
        }

        @Test("run refuses a configuration without domains; commands about one site accept it")
        func empty() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("monitor.yaml", "version: 1\ndomains: []\n")
                for command in [["run"], ["config", "check"]] {
                    let refused = try await stage.run(command)
                    #expect(refused.end == .exit(78), "\(command)")
                    #expect(refused.errors.contains("'domains' is empty; name at least one"), "\(refused.errors)")
                }
                let port = try stage.port()
                let checked = try await stage.run(
                    ["check", "--resolve", "a.test:443:127.0.0.1", "--connect-to", "::127.0.0.1:\(port)", "a.test"])
                #expect(!checked.output.isEmpty && !checked.errors.contains("monitor.yaml"), "\(checked.errors)")
            }
        }

        @Test("the image's user is a number, so Kubernetes can see that it is not root")
        func image() throws {
            let lines = try Self.file("deploy/container/Dockerfile").split(separator: "\n")
            let user = try #require(lines.first { $0.hasPrefix("USER ") })
            let number = try #require(user.firstMatch(of: #/^USER ([1-9][0-9]*):([1-9][0-9]*)$/#))
            #expect(lines.contains { $0.contains("useradd") && $0.contains("--uid \(number.1) --gid \(number.2)") })
        }

        @Test("no example uses a credentials path that systemd does not create")
        func credentials() throws {
            for name in ["monitor.yaml", "deploy/aasa-monitor.service"]
                + ["reference/alerts", "reference/channels", "reference/metrics", "operations"].map({ "docs/\($0).md" })
            {
                #expect(try !Self.file(name).contains("/run/credentials/"), "\(name)")
            }
        }

        @Test("the manual has exit codes and examples of each command, and every configuration key")
        func manual() async throws {
            try await Stage.withoutLab { stage in
                let help = try await stage.run(["--experimental-dump-help"])
                let script = URL(filePath: #filePath).appending(path: "../../../../deploy/manual.py").standardized
                let schema = script.appending(path: "../../docs/monitor.schema.json").standardized
                let made = try stage.tool(
                    "python3", [script.path, stage.path("man"), "1", "2026-01-01", schema.path], input: help.output)
                #expect(try await made.ended() == .exit(0), "\(made.errors)")
                func codes(_ page: String) throws -> String {
                    let text = try String(contentsOfFile: stage.path("man/\(page).1"), encoding: .utf8)
                    let part = try #require(text.components(separatedBy: ".SH EXIT STATUS\n").last)
                    return try #require(part.components(separatedBy: ".SH ").first)
                }
                #expect(try codes("aasa-monitor-status").contains("1 if a domain is failing"))
                #expect(try codes("aasa-monitor-match").contains("65 the source is not an association file"))
                let initial = try codes("aasa-monitor-init")
                #expect(initial.contains("\n64\n") && !initial.contains("65") && !initial.contains("130"))
                #expect(try codes("aasa-monitor").contains("\n141\n"))
                let check = try String(contentsOfFile: stage.path("man/aasa-monitor-check.1"), encoding: .utf8)
                #expect(check.contains(".SH EXAMPLES\n.TP\n.B aasa\\-monitor check example.com"))
                let configuration = try String(contentsOfFile: stage.path("man/monitor.yaml.5"), encoding: .utf8)
                for key in ["defaults.interval", "domains[].expect.urls[].opens", "alerts.channels[].routing_key_file"]
                {
                    #expect(configuration.contains(".B \(key)\n"), "\(key)")
                }
            }
        }
    }
}
