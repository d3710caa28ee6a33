// How the program handles mistakes and many targets.

import ArgumentParser
import Foundation
import Lab
import LabFaults
import Testing
import TestSupport

@testable import Commands
@testable import FileCommands

extension EndToEndTests {
    @Suite struct CommandLineTests {
        @Test("each mistake has its exit code and message", arguments: CommandLineTable.all)
        func mistake(_ row: CommandLineRow) async throws {
            let (exit, output, errors) = try await row.needsProgram ? program(row) : within(row)
            #expect(exit == row.exit, "\(errors)\(output.prefix(500))")
            #expect(errors.isEmpty == row.errors.isEmpty, "\(errors)")
            for words in row.errors { #expect(errors.contains(words), "\(words)\n\(errors)") }
            if let wanted = row.output {
                #expect(output.contains(wanted), "\(wanted)\n\(output)")
            } else {
                #expect(output == "")
            }
            // A message begins with the program's name, or with the path of a configuration. The daemon's log comes
            // before it.
            let start =
                errors.split(separator: "\n").first { !$0.contains(#/^time=\S+ level=(notice|warning) /#) } ?? ""
            let isNamed = start.hasPrefix("aasa-monitor: ") || start.contains(#/^\S+:\d+:\d+: warning: /#)
            #expect(start.isEmpty || isNamed, "\(start)")
            for crash in ["Fatal error", "Error:", "Error(", "Optional(", "Domain=", "stack dump"] {
                #expect(!errors.contains(crash), "\(errors)")
            }
        }

        private func program(_ row: CommandLineRow) async throws -> (exit: Int32, output: String, errors: String) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-line-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            for (name, text) in CommandLineTable.files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            let process = try MonitorProcess(row.arguments, folder: folder, input: row.input)
            guard case .exit(let code) = try await process.ended() else {
                throw MonitorProcess.StillRunning(errors: process.errors)
            }
            return (code, process.output, process.errors)
        }

        /// Like `AasaMonitor.start`, without ending the process.
        private func within(_ row: CommandLineRow) async throws -> (exit: Int32, output: String, errors: String) {
            let arguments = row.arguments
            var failure: CommandFailure
            do {
                if arguments.first == "help", let complaint = CommandPath(arguments, of: AasaMonitor.self).complaint {
                    throw ValidationError(complaint)
                }
                var command = try await AasaMonitor.asyncParseAsRoot(arguments)
                if var asynchronous = command as? any AsyncParsableCommand {
                    try await asynchronous.run()
                } else {
                    try command.run()
                }
                return (0, "", "")
            } catch let known as CommandFailure {
                failure = known
            } catch {
                failure = CommandFailure(error, in: arguments, of: AasaMonitor.self)
            }
            return (failure.exit.rawValue, "", "aasa-monitor: \(failure.message)\n")
        }

        @Test("rows are unique, and every command has one")
        func table() {
            let rows = CommandLineTable.all
            #expect(Set(rows.map(\.testDescription)).count == rows.count)
            let words = Set(rows.compactMap(\.arguments.first))
            for command in [
                "check", "run", "watch", "status", "incidents", "history", "lint", "match", "diff", "device", "init",
                "config",
                "alert",
                "silence",
                "ack", "unack", "deliveries", "store", "demo",
            ] {
                #expect(words.contains(command), "\(command)")
            }
        }

        @Test("many targets get a summary; --failing and --quiet shorten it but keep the exit code")
        func manyTargets() async throws {
            try await Stage.with { stage in
                for name in ["a.test", "b.test"] { stage.lab.origin(name).serve(file()) }
                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                try stage.write("targets.txt", "a.test\n# a remark\nbad.test\n")
                func check(
                    _ arguments: [String], _ exit: Int32, has: [String], lacks: [String] = [], input: String = ""
                ) async throws {
                    let process = try await attempt {
                        try await stage.check(arguments, input: input)
                    } again: {
                        // A slow site that is not shown.
                        $0.output.contains(" warning")
                    }
                    #expect(process.end == .exit(exit), "\(arguments): \(process.errors)")
                    #expect(process.errors == "", "\(arguments)")
                    for words in has { #expect(process.output.contains(words), "\(arguments): \(process.output)") }
                    for words in lacks { #expect(!process.output.contains(words), "\(arguments): \(process.output)") }
                    if has.isEmpty { #expect(process.output == "", "\(arguments)") }
                }
                let total = "\n2 domains: 1 failing, 1 up to date\n"
                try await check(["a.test", "bad.test"], 1, has: ["a.test    OK  ", "bad.test  FAILING", total])
                try await check(["@targets.txt"], 1, has: ["a.test    OK  ", "bad.test  FAILING", total])
                try await check(["-"], 1, has: ["a.test    OK  ", total], input: "a.test\nbad.test\n")
                try await check(
                    ["--failing", "@targets.txt"], 1, has: ["bad.test  FAILING", total], lacks: ["a.test    OK  "])
                try await check(["--quiet", "@targets.txt"], 1, has: [])
                try await check(["a.test", "b.test"], 0, has: ["2 domains: 2 up to date\n"])
                try await check(
                    ["--failing", "a.test", "b.test"], 0, has: ["2 domains: 2 up to date\n"], lacks: ["a.test"])
                try await check(["-q", "a.test", "b.test"], 0, has: [])
                try await check(["a.test"], 0, has: ["a.test  OK  "], lacks: ["1 domain"])
                try await check(
                    ["--format", "json", "--failing", "@targets.txt"], 1, has: ["bad.test"], lacks: ["\"a.test\""])
            }
        }

        @Test("run ends before any check if its port is in use")
        func takenPort() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let holder = try Watch(stage, ["site.test"], Watch.Settings(store: "first.db"), file: "first.yaml")
                let (_, page) = try await holder.started()
                let port = try #require(page.split(separator: ":").last?.dropLast())
                let watch = try Watch(
                    stage, ["other.test"], Watch.Settings(store: "second.db", listen: "127.0.0.1:\(port)"))
                let refused = try watch.start()
                #expect(try await refused.ended() == .exit(78))
                #expect(
                    refused.errors.contains("server.listen: cannot listen on 127.0.0.1:\(port)"), "\(refused.errors)")
                #expect(stage.lab.origin("other.test").requests.isEmpty)
            }
        }

        @Test("an ambiguous or unknown incident id is a usage error")
        func ambiguousIncident() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (daemon, _) = try await watch.started()
                _ = try await receiver.deliveries(count: 1, within: Stage.timeout)
                daemon.signal(SIGTERM)
                try await daemon.ended()
                await receiver.shutdown()
                // A second incident whose id differs in its last character.
                let program = """
                    import sqlite3
                    store = sqlite3.connect("monitor.db")
                    store.execute("CREATE TEMP TABLE twin AS SELECT * FROM incident LIMIT 1")
                    store.execute("UPDATE twin SET id = substr(id, 1, length(id) - 1) || "
                        "CASE substr(id, -1) WHEN '0' THEN '1' ELSE '0' END")
                    store.execute("UPDATE twin SET kind = 'cdn.stale'")
                    store.execute("INSERT INTO incident SELECT * FROM twin")
                    store.commit()
                    print(store.execute("SELECT id FROM twin").fetchone()[0])
                    """
                let python = try stage.tool("python3", ["-c", program])
                #expect(try await python.ended() == .exit(0), "\(python.errors)")
                let id = python.output.trimmingCharacters(in: .whitespacesAndNewlines)
                let ambiguous = try await stage.run(["ack", String(id.prefix(12))])
                #expect(ambiguous.end == .exit(64))
                #expect(ambiguous.errors.hasPrefix("aasa-monitor: several incidents"), "\(ambiguous.errors)")
                let unknown = try await stage.run(["ack", "ffff0000ffff"])
                #expect(unknown.end == .exit(64))
                #expect(
                    unknown.errors.hasPrefix("aasa-monitor: no incident has an id that begins with 'ffff0000ffff'"),
                    "\(unknown.errors)")
            }
        }
    }
}
