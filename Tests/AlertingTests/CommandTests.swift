import Evidence
import Foundation
import Glibc
import Monitoring
import TestTraits
import Testing

@testable import Alerting

extension AlertingSuite {
    /// Programs as the operator's own: real scripts.
    @Suite("Command")
    final class CommandTests: Sendable {
        private let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        private func script(_ lines: String, name: String = "on-alert", mode: Int = 0o700) async throws -> String {
            let file = folder.appending(path: name)
            let draft = folder.appending(path: "\(name).draft")
            try "#!/bin/sh\n\(lines)\n".write(to: draft, atomically: false, encoding: .utf8)
            // By another process: a program that another test starts meanwhile would inherit the descriptor that writes it for
            // a moment, and a file that somebody writes cannot be run (ETXTBSY).
            let copy = try await ChildProcess.run(URL(filePath: "/bin/cp"), [draft.path, file.path])
            try #require(copy.exitCode == 0, "\(copy.errors)")
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            return file.path
        }

        private func channel(_ words: String...) throws -> Channel {
            try Channel(name: "script", kind: .command, words: words)
        }

        private func request(_ channel: Channel, within limit: Duration = .seconds(600)) throws -> MessageRequest {
            let request = try channel.request(
                body: channel.format.body(alert(), plain: false), messageKey: "key1", timestamp: noon, userAgent: "t")
            return MessageRequest(
                request.way, url: "", headers: [], userAgent: "t", body: request.body, timeout: limit)
        }

        private func run(_ channel: Channel, within limit: Duration = .seconds(600)) async throws -> TransportAnswer {
            let request = try request(channel, within: limit)
            guard case .program(let call) = request.way else { throw CancellationError() }
            return try await ReceiverTransport.run(call, request)
        }

        @Test(
            "0 is delivered, 65 refuses the message, and everything else is tried again",
            arguments: [
                ("exit 0", 0, .delivered), ("exit 65", 65, .permanentMessage), ("exit 75", 75, .transient),
                ("exit 1", 1, .transient), ("no-such-program", 127, .transient), ("kill -9 $$", nil, .transient),
                ("kill -15 $$", nil, .transient), ("exec >&- 2>&-; exit 0", 0, .delivered),
            ] as [(String, Int?, Outcome)])
        func ends(lines: String, status: Int?, outcome: Outcome) async throws {
            let channel = try await channel(script(lines))
            let answer = try await run(channel)
            #expect(answer.status == status, "\(answer)")
            #expect(channel.format.judge(answer, now: noon) == outcome)
        }

        @Test("it gets the webhook's document, its own arguments, and an environment of two variables")
        func given() async throws {
            let input = folder.appending(path: "input").path
            let script = try await script("cat > '\(input)'; printf '%s|' \"$@\"; pwd")
            let answer = try await run(channel(script, "--now", "$HOME; *", "", "two words"))
            #expect(answer.text == "--now|$HOME; *||two words|/")
            let document = try Data(contentsOf: URL(filePath: input))
            #expect(document == (try WebhookFormat().body(alert(), plain: false, reference: nil)))
            let bare = try await run(channel("/usr/bin/env"))
            #expect(
                bare.text.split(separator: "\n").sorted() == [
                    "AASA_MONITOR_MESSAGE_ID=key1",
                    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                ])
        }

        @Test("it has three descriptors, and no signal is ignored")
        func clean() async throws {
            // As the program does, whose output may be a pipe that closes early.
            signal(SIGPIPE, SIG_IGN)
            let answer = try await run(
                channel(
                    script(
                        "for fd in /proc/$$/fd/*; do printf '%s ' \"${fd##*/}\"; done; "
                            + "grep SigIgn /proc/$$/status")))
            let parts = answer.text.split(whereSeparator: \.isWhitespace).map(String.init)
            // The shell reads its script by 10 or 255, and the folder of descriptors by one more.
            #expect(
                parts.dropLast(2).contains("2")
                    && Set(parts.dropLast(2)).isSubset(of: ["0", "1", "2", "3", "4", "10", "255"]))
            // Above them are two of glibc's own.
            let ignored = try #require(UInt64(parts.last ?? "", radix: 16))
            #expect(ignored & 0x7FFF_FFFF == 0, "\(answer.text)")
        }

        @Test("input that nobody reads harms nobody, and output without end is cut")
        func streams() async throws {
            let unread = try await run(channel(script("exec <&-; exit 0")))
            #expect(unread.status == 0)
            let channel = try await channel(script("yes 0123456789 | head -c 20000000; echo end >&2"))
            let loud = try await run(channel)
            #expect(loud.status == 0 && loud.body.count == ProgramRun.keptOutput)
            #expect((channel.words(of: loud)?.count ?? .max) <= 301)
        }

        @Test("at the time limit it is ended with all of its group", .waitsForTimeout, arguments: [false, true])
        func overTime(isCancelled: Bool) async throws {
            let file = folder.appending(path: "pids")
            // It ignores what can be ignored, floods its output, and never ends.
            let script = try await script(
                "trap '' TERM INT HUP\nsleep 1000 &\necho $$ $! > '\(file.path)'\nyes | head -c 5000000\n"
                    + "while :; do sleep 1; done")
            let channel = try channel(script)
            if isCancelled {
                let task = Task { try await run(channel) }
                try await eventually { (try? String(contentsOf: file, encoding: .utf8))?.hasSuffix("\n") == true }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            } else {
                // Time for the script to begin.
                let answer = try await run(channel, within: .seconds(20))
                #expect(answer.status == nil && answer.mayHaveArrived)
                #expect(channel.format.judge(answer, now: noon) == .transient)
                #expect(
                    channel.words(of: answer)?.hasPrefix("it took longer than 20 s, and was ended")
                        == true)
            }
            let text = try String(contentsOf: file, encoding: .utf8)
            let pids = text.split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
            #expect(pids.count == 2)
            for pid in pids { try await eventually { !Self.isAlive(pid) } }
        }

        /// Whoever took over the orphan may not have asked for its end yet.
        private static func isAlive(_ pid: pid_t) -> Bool {
            guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else { return false }
            return text.split(separator: ")").last?.split(separator: " ").first != "Z"
        }

        @Test("what it leaves running in the background holds up no message, and ends with it")
        func background() async throws {
            let answer = try await run(channel(script("sleep 1000 &\necho $!")))
            #expect(answer.status == 0)
            let pid = try #require(Int32(answer.text))
            try await eventually { !Self.isAlive(pid) }
        }

        @Test(
            "what cannot be started is a fault of the channel, and nothing was sent",
            arguments: ["missing", "mode", "folder", "interpreter", "form"])
        func cannotStart(_ fault: String) async throws {
            let file: String
            switch fault {
            case "mode": file = try await script("exit 0", mode: 0o600)
            case "folder": file = folder.path
            case "interpreter", "form":
                file = try await script("exit 0")
                let text = fault == "form" ? "no script\n" : "#!/no/such/interpreter\n"
                try text.write(toFile: file, atomically: false, encoding: .utf8)
            default: file = folder.appending(path: "missing").path
            }
            let channel = try channel(file)
            let answer = try await run(channel)
            #expect(answer.status == nil && answer.fault?.kind == .program && !answer.mayHaveArrived, "\(answer)")
            #expect(channel.format.judge(answer, now: noon) == .permanentChannel(gone: false))
            #expect(answer.fault?.detail.hasPrefix("\(file) cannot be started: ") == true)
        }

        @Test("what it says shows no argument")
        func secrets() async throws {
            let channel = try await channel(
                script("echo \"$@\" >&2; echo \"${1#*=}\"; exit 1"), "--token=PLANTED-1", "PLANTED-2")
            let answer = try await run(channel)
            #expect(answer.text.contains("PLANTED-1"))
            let words = try #require(channel.words(of: answer))
            #expect(!words.contains("PLANTED"), "\(words)")
            var shown = "\(channel) \(String(reflecting: channel))"
            dump(channel, to: &shown)
            #expect(!shown.contains("PLANTED") && shown.contains("on-alert"))
        }

        @Test("a command needs an absolute path", arguments: [[], ["on-alert"], ["./on-alert"], [""]])
        func path(words: [String]) {
            #expect(throws: ChannelFault.self) { try Channel(name: "script", kind: .command, words: words) }
        }
    }
}
