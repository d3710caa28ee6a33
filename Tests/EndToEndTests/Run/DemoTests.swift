import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct DemoTests {
        @Test(
            "the demo is the same in each run; the page shows it, and --keep keeps it"
        )
        func demo() async throws {
            try await Stage.withoutLab { stage in
                let process = try stage.start(["demo"])
                let end = try await process.ended()
                #expect(end == .exit(0), "\(process.output)\(process.errors)")
                for kind in ["cdn.stale", "origin.broken", "origin.unreachable"] {
                    // In the first message and in the end.
                    for state in [", for ", ", until "] {
                        let line = process.output.split(separator: "\n").first {
                            $0.contains(state) && $0.contains(kind)
                        }
                        #expect(line != nil, "\(state) \(kind)")
                    }
                }
                // The refusal inhibits Apple's failure.
                #expect(!process.output.contains("cdn.missing"))
                #expect(process.errors == "")
                #expect(!process.output.contains("\u{1B}"))
                let first = process.output.split(separator: "\n").first
                #expect(first?.wholeMatch(of: /Open http:\/\/127\.0\.0\.1:[0-9]+\/ and watch it happen\./) != nil)
                #expect(process.output.contains("aasa-monitor demo --keep\n"))
                // The page shows each message.
                let root = try #require(first?.firstMatch(of: /http[^ ]+/)).output
                #expect(
                    process.output.matches(of: /on the page: (http[^ ]+\/)incidents\/[0-9a-f]{32}\n/).map(\.1)
                        == Array(repeating: root, count: 6))
                // The times in the output match the alerts: an alert's trouble begins after its deploy and before its
                // message.
                let scenes = process.output.matches(of: /\n  (\d{4}-\d\d-\d\d \d\d:\d\d)  (deploy|┌)/).map {
                    ($0.1, $0.2)
                }
                let deploy = try #require(scenes.first { $0.1 == "deploy" }?.0)
                let message = try #require(scenes.first { $0.1 == "┌" }?.0)
                let since = try #require(process.output.firstMatch(of: /since (\d{4}-\d\d-\d\d \d\d:\d\d) UTC/)?.1)
                #expect(deploy <= message && since <= message, "\(deploy) \(since) \(message)")
                try await keep(stage, told: process.output)
            }
        }

        /// The output without the parts that differ between runs: the page's port, the day, and values derived from it.
        private static func story(_ output: String) -> String {
            String(output.split(separator: "\nDone: ")[0]).replacing(/127\.0\.0\.1:[0-9]+/, with: "PAGE").replacing(
                /20[0-9]{2}-[0-9]{2}-[0-9]{2}/, with: "DAY"
            )
            .replacing(/[0-9]{1,2} [A-Z][a-z]{2} (?=[0-9]{2}:[0-9]{2} UTC)/, with: "DAY ")
            .replacing(/\b[0-9a-f]{12}([0-9a-f]{20})?\b/, with: "ID")
        }

        /// Runs it again, with the page available until the end.
        private func keep(_ stage: Stage, told: String) async throws {
            let process = try stage.start(["demo", "--keep"])
            var page = ""
            try await until("the page's address", seen: { process.errors }) {
                guard let match = process.output.firstMatch(of: /Open (http[^ ]+) and/) else { return false }
                page = String(match.1)
                return true
            }
            func answer(_ path: String) async throws -> JSONValue {
                let curl = try stage.tool("curl", ["-q", "-sS", "--max-time", Stage.patience, page + path])
                try await curl.ended()
                return (try? JSONValue(curl.output)) ?? .absent
            }
            let domain = "api/v1/domains/links.travel.example"
            try await until("the page during the demo", seen: { process.output + process.errors }) {
                try await answer(domain)["verdict"] == .string("ok")
            }
            try await until("the end", seen: { process.output + process.errors }) {
                process.output.contains("press Ctrl-C to end")
            }
            #expect(process.end == nil)
            #expect(try await answer(domain)["verdict"] == .string("ok"))
            let kinds = try await answer("api/v1/incidents")["incidents"].elements.compactMap { $0["kind"].string }
            #expect(Set(kinds).isSuperset(of: ["cdn.stale", "origin.broken", "origin.unreachable"]), "\(kinds)")
            process.signal(SIGINT)
            #expect(try await process.ended() == .exit(0), "\(process.errors)")
            #expect(Self.story(process.output) == Self.story(told))
        }

        @Test(
            "a day takes a minute on a terminal, else and with --fast 12 s; Ctrl-C leaves nothing behind",
            arguments: [(true, [], "24 min"), (true, ["--fast"], "2 h"), (false, [], "2 h")]
                as [(Bool, [String], String)])
        func pace(onTerminal: Bool, options: [String], second: String) async throws {
            try await Stage.withoutLab { stage in
                let terminal = try Terminal()
                let folder = stage.folder.appending(path: "temporary")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let process = try stage.start(
                    ["demo"] + options, environment: ["TMPDIR": folder.path],
                    output: onTerminal ? terminal.child : nil)
                var shown = ""
                try await until("the pace", seen: { shown + process.errors }) {
                    shown += onTerminal ? terminal.read() : process.output
                    return shown.contains("nothing leaves this machine")
                }
                #expect(shown.contains("one second is at most \(second) of demo time; times are UTC; "), "\(shown)")
                process.signal(SIGINT)
                #expect(try await process.ended() == .exit(130), "\(process.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
            }
        }

        @Test("the program names itself and its commands")
        func help() async throws {
            try await Stage.withoutLab { stage in
                let version = try await stage.run(["--version"])
                #expect(version.end == .exit(0))
                let lines = version.output.split(separator: "\n")
                for (line, start) in zip(
                    lines, ["aasa-monitor 0.", "commit: ", "platform: Linux ", "Swift: 6.", "libcurl: ", "SQLite: 3."])
                {
                    #expect(line.hasPrefix(start))
                }
                #expect(lines.count == 6)
                let help = try await stage.run(["--help"])
                #expect(help.end == .exit(0))
                for command in ["check", "run", "watch", "config", "demo"] {
                    #expect(help.output.contains("  \(command)"))
                }
                let unknown = try await stage.run(["chekc"])
                #expect(unknown.end == .exit(64))
            }
        }
    }
}
