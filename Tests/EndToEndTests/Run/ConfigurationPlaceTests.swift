// Which configuration is used if none is named.

import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

extension EndToEndTests {
    @Suite("The configuration in the working folder")
    struct ConfigurationPlaceTests {
        /// A configuration whose messages go to a receiver, in an empty folder.
        private func stage(_ body: (Stage, LabReceiver) async throws -> Void) async throws {
            try await Stage.withoutLab { stage in
                let receiver = try await LabReceiver.start()
                try stage.write(
                    "monitor.yaml",
                    """
                    version: 1
                    domains: [example.com]
                    alerts: {channels: [{name: hook, type: webhook, url: "\(receiver.url("/"))"}]}
                    """)
                try await body(stage, receiver)
                await receiver.shutdown()
            }
        }

        /// What makes a file foreign, and what the message says.
        private static let changes: [(String, String, Bool)] = [
            ("chown 12345 monitor.yaml", "belongs to user 12345", true),
            (
                "mv monitor.yaml own.yaml; ln -s own.yaml monitor.yaml; chown -h 12345 monitor.yaml",
                "belongs to user 12345", true
            ),
            ("chown 12345 .", "its folder belongs to user 12345", true),
            ("chmod o+w monitor.yaml", "other users can write it", false),
            ("chmod g+w monitor.yaml", "other users can write it", false),
            ("chmod o+w .", "other users can write in its folder", false),
            ("rm monitor.yaml; mkfifo monitor.yaml", "it is not a regular file", false),
        ]

        @Test("another user's configuration is used only if it is named", arguments: changes.indices)
        func foreign(_ index: Int) async throws {
            let (change, words, needsRoot) = Self.changes[index]
            guard !needsRoot || geteuid() == 0 else { return }
            try await stage { stage, receiver in
                let process = try stage.tool("sh", ["-c", change])
                try #require(try await process.ended() == .exit(0), "\(process.errors)")
                let refused = try await stage.run(["alert", "test"])
                #expect(refused.end == .exit(78), "\(refused.errors)")
                #expect(refused.errors.contains(words), "\(refused.errors)")
                #expect(refused.errors.contains("--config ./monitor.yaml"), "\(refused.errors)")
                #expect(receiver.received.isEmpty)
                for arguments in [["status"], ["config", "check"], ["run"], ["check"]] {
                    let process = try await stage.run(arguments)
                    #expect(process.end == .exit(78), "\(arguments): \(process.errors)")
                }
                guard !change.contains("mkfifo") else { return }
                let named = try await stage.run(["alert", "test", "--config", "monitor.yaml"])
                #expect(named.end == .exit(0), "\(named.errors)")
                #expect(receiver.received.count == 1)
            }
        }

        @Test("the user's own configuration is used without a message")
        func own() async throws {
            try await stage { stage, receiver in
                let process = try await stage.run(["alert", "test"])
                #expect(process.end == .exit(0), "\(process.errors)")
                #expect(process.errors.isEmpty)
                #expect(receiver.received.count == 1)
            }
        }

        @Test(
            "a broken configuration does not stop commands that need none",
            arguments: ["printf 'version: 9' >monitor.yaml", "mkfifo monitor.yaml", "mkdir monitor.yaml"])
        func broken(_ making: String) async throws {
            try await Stage.withoutLab { stage in
                let process = try stage.tool("sh", ["-c", making])
                try #require(try await process.ended() == .exit(0))
                try stage.write("file.json", file())
                let commands = [
                    ["lint", "file.json"], ["match", "file.json", "https://example.com/v1/x"],
                    ["diff", "file.json", "file.json"], ["config", "schema"], ["init", "--output", "other.yaml"],
                    ["--version"],
                ]
                for arguments in commands {
                    let process = try await stage.run(arguments)
                    #expect(process.end == .exit(0), "\(arguments): \(process.errors)")
                    #expect(process.errors.isEmpty, "\(arguments): \(process.errors)")
                }
                // A check works without it, and says so.
                let check = try await stage.run([
                    "check", "--resolve", "example.com:443:127.9.0.1", "--proxy", "http://127.0.0.1:1", "example.com",
                ])
                #expect(check.end == .exit(70), "\(check.errors)")
                #expect(check.errors.contains("./monitor.yaml is not used: "), "\(check.errors)")
                #expect(check.errors.split(separator: "\n").count == 1, "\(check.errors)")
                let all = try await stage.run(["check"])
                #expect(all.end == .exit(78), "\(all.errors)")
            }
        }

        @Test("no command shows a variable's value, even if the configuration uses it in a wrong place")
        func variables() async throws {
            try await Stage.withoutLab { stage in
                let keys = [
                    "network: {canaries: [\"${HIDDEN}\"]}", "network: {ca_file: \"/none/${HIDDEN}\"}",
                    "domains_from: \"${HIDDEN}\"",
                    "alerts: {channels: [{name: a, type: webhook, url_file: \"/none/${HIDDEN}\"}]}",
                    "network: {connect_to: [\"${HIDDEN}\"]}", "server: {listen: \"${HIDDEN}\"}",
                    "cdn: {base_url: \"${HIDDEN}\"}", "defaults: {interval: \"${HIDDEN}\"}",
                ]
                for key in keys {
                    try stage.write("monitor.yaml", "version: 1\ndomains: [example.com]\n\(key)\n")
                    let environment = ["HIDDEN": "Top S3cret/value"]
                    // `config check` does not read the CA file.
                    let isRead = !key.contains("ca_file")
                    let commands = (isRead ? [["config", "check"]] : []) + [["alert", "test"]]
                    for arguments in commands {
                        let process = try await stage.run(arguments, environment: environment)
                        let shown = (process.output + process.errors).lowercased()
                        #expect(!shown.contains("s3cret"), "\(key): \(shown)")
                        #expect(shown.contains("${hidden}") || key.contains("base_url"), "\(key): \(shown)")
                    }
                }
            }
        }
    }
}
