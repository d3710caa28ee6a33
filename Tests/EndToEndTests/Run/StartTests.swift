// Reasons that stop the daemon from starting: one clear sentence each, and the exit code of the contract.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct StartTests {
        private static let smallest = "version: 1\ndomains: [site.test]\nserver: {listen: \"127.0.0.1:0\"}\n"

        private static func expectRefusal(
            _ process: MonitorProcess, _ code: Int32, _ words: [String],
            sourceLocation: SourceLocation = #_sourceLocation
        ) {
            #expect(process.end == .exit(code), "\(process.errors)", sourceLocation: sourceLocation)
            #expect(process.output == "", sourceLocation: sourceLocation)
            for word in words {
                #expect(
                    process.errors.contains(word), "\(word): \(process.errors)", sourceLocation: sourceLocation)
            }
            for crash in ["Fatal error", "Swift.", "Error(", "Optional(", "stack dump", "Domain=", "SELECT"] {
                #expect(
                    !process.errors.contains(crash), "\(crash): \(process.errors)", sourceLocation: sourceLocation)
            }
        }

        /// Kills a daemon that has not ended by itself.
        private static func refused(_ stage: Stage, _ arguments: [String]) async throws -> MonitorProcess {
            let process = try stage.start(arguments)
            try await process.ended()
            return process
        }

        @Test("configuration errors are reported with file and line", arguments: ["run", "config"])
        func configuration(_ command: String) async throws {
            try await Stage.withoutLab { stage in
                let words = command == "run" ? ["run"] : ["config", "check"]
                func refused(_ text: String, _ code: Int32, _ expected: [String]) async throws {
                    try stage.write("monitor.yaml", text)
                    Self.expectRefusal(try await Self.refused(stage, words), code, expected)
                }
                try await refused("version: 1\ndomains: [site.test\n", 78, ["monitor.yaml:"])
                try await refused(
                    "version: 1\ndomains:\n  - domain: site.test\n    interva1: 5m\n", 78,
                    ["monitor.yaml:4:5: unknown key 'interva1'", "did you mean 'interval'?"])
                try await refused("domains: []\n", 78, ["version", "domains"])
                try await refused("", 78, ["monitor.yaml"])
                try await refused("\u{0}\u{1}\u{2}", 78, ["monitor.yaml"])
                let missing = try await Self.refused(stage, words + ["--config", "nowhere.yaml"])
                Self.expectRefusal(missing, 66, ["nowhere.yaml"])
                let folder = try await Self.refused(stage, words + ["--config", "."])
                Self.expectRefusal(folder, 66, [])
            }
        }

        @Test("config check accepts a valid file")
        func goodConfiguration() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("monitor.yaml", Self.smallest)
                let process = try await stage.run(["config", "check"])
                #expect(process.end == .exit(0))
                #expect(process.output == "./monitor.yaml: valid, 1 domain, 0 channels, 1 warning\n")
            }
        }

        @Test("an environment variable can name the configuration")
        func environment() async throws {
            try await Stage.withoutLab { stage in
                try stage.write("other.yaml", Self.smallest)
                let process = try await stage.run(
                    ["config", "check"], environment: ["AASA_MONITOR_CONFIG": stage.path("other.yaml")])
                #expect(process.end == .exit(0))
                #expect(process.output.contains("other.yaml: valid"))
            }
        }

        @Test("an unusable store is a configuration error and is not changed")
        func store() async throws {
            try await Stage.withoutLab { stage in
                func start(_ path: String) async throws -> MonitorProcess {
                    try stage.write("monitor.yaml", Self.smallest + "store: {path: \"\(path)\"}\n")
                    return try await Self.refused(stage, ["run"])
                }
                Self.expectRefusal(try await start("/proc/nowhere/monitor.db"), 78, ["/proc/nowhere", "store"])
                Self.expectRefusal(try await start("/proc/monitor.db"), 78, ["/proc/monitor.db"])
                Self.expectRefusal(try await start("."), 78, ["folder"])

                let garbage = "not a database at all, but long enough to look at\n"
                try stage.write("garbage.db", String(repeating: garbage, count: 200))
                Self.expectRefusal(try await start("garbage.db"), 78, ["garbage.db", "not a SQLite database"])
                #expect(
                    try String(contentsOfFile: stage.path("garbage.db"), encoding: .utf8)
                        == String(repeating: garbage, count: 200))
            }
        }

        @Test("a second daemon does not touch the store or disturb the first")
        func twoDaemons() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (first, page) = try await watch.started()
                let second = try watch.start()
                try await second.ended()
                Self.expectRefusal(second, 78, ["monitor.db is in use by another aasa-monitor (process \(first.pid))"])
                let port = page.split(separator: ":").last?.dropLast() ?? ""
                let other = try Watch(
                    stage, ["site.test"], Watch.Settings(store: "other.db", listen: "127.0.0.1:\(port)"),
                    file: "other.yaml")
                let third = try other.start()
                try await third.ended()
                Self.expectRefusal(third, 78, ["server.listen", "\(port)"])
                try await watch.checks(2, of: "site.test")
                #expect(first.end == nil)
            }
        }

        @Test("a missing CA file is reported first")
        func missingAuthorities() async throws {
            try await Stage.with { stage in
                try stage.write("monitor.yaml", Self.smallest + "network: {ca_file: nowhere.pem}\n")
                Self.expectRefusal(try await Self.refused(stage, ["run"]), 66, ["network.ca_file", "nowhere.pem"])
            }
        }

        @Test("an unset variable and a bad secret are reported without their values")
        func secrets() async throws {
            try await Stage.withoutLab { stage in
                let channel = #"  channels: [{name: hook, type: webhook, url: "${HOOK_URL}", secret: "hunter2"}]"#
                try stage.write("monitor.yaml", Self.smallest + "alerts:\n\(channel)\n")
                let process = try await Self.refused(stage, ["run"])
                Self.expectRefusal(process, 78, ["HOOK_URL", "monitor.yaml:5:"])
                #expect(!process.errors.contains("hunter2"))
            }
        }
    }
}
