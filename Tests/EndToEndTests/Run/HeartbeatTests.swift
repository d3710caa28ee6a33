// The heartbeat to a watchdog is sent while checks are stored. It stops while they are not, even though the process
// runs.

import Foundation
import Lab
import LabFaults
import TestSupport
import TestTraits
import Testing

extension EndToEndTests {
    @Suite struct HeartbeatTests {
        private static let host = "site.test"
        private static let path = "/ping/PLANTED-SECRET"

        /// A daemon that pings every second; its checks time out after `timeout`.
        private static func watch(_ stage: Stage, _ receiver: LabReceiver, timeout: String) throws -> Watch {
            let watch = try Watch(stage, [host], Watch.Settings(timeout: timeout))
            let text = try String(contentsOfFile: stage.path(watch.file), encoding: .utf8)
            try stage.write("heartbeat", receiver.url(path) + "\n")
            try stage.write(watch.file, text + "\nheartbeat: {url_file: heartbeat, every: 1s}\n")
            return watch
        }

        @Test(
            "pings come while checks are stored, stop while checks hang, and then resume",
            .waitsForTimeout)
        func stalledChecker() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let origin = stage.lab.origin(Self.host)
                origin.serve(file())
                let watch = try Self.watch(stage, receiver, timeout: "6s")
                let (process, page) = try await watch.started()
                let pings = try await receiver.deliveries(count: 2, within: Stage.timeout)
                #expect(pings.allSatisfy { $0.method == "GET" && $0.path == Self.path && $0.body.isEmpty })

                origin.behaviour = .fault(.hang)
                try await until("the log line about missing pings", seen: { process.errors }) {
                    process.errors.contains("heartbeat not sent")
                }
                func checks() -> Int { stage.lab.cdn.requests(for: Self.host).count }
                let (checked, pinged) = (checks(), receiver.received.count)
                // The process itself still answers.
                #expect(try await fetch(page + "healthz", on: stage).hasSuffix("200"))
                try await until("further checks") { checks() >= checked + 2 }
                // A hanging check ends after six seconds and is stored. That is progress worth one ping, however long
                // the time to ping in. The same applies to a check that was already running, and to one that was just
                // stored.
                let more = receiver.received.count - pinged
                #expect(more <= checks() - checked + 2, "\(process.errors)")

                origin.serve(file())
                _ = try await receiver.deliveries(count: receiver.received.count + 2, within: Stage.timeout)
                try await until("the log", seen: { process.errors }) {
                    process.errors.contains("heartbeats are sent again")
                }
                #expect(process.errors.contains("no check was stored since the last one"))
                #expect(!process.errors.contains("PLANTED"))
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        @Test("a locked store stops the pings; a failing watchdog stops nothing")
        func blockedStore() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                receiver.answers(500)
                stage.lab.origin(Self.host).serve(file())
                let watch = try Self.watch(stage, receiver, timeout: Watch.Settings().timeout)
                let (process, _) = try await watch.started()
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                try await until("a word on the refusal", seen: { process.errors }) {
                    process.errors.contains("heartbeat failed")
                }
                let script = """
                    import sqlite3, sys
                    store = sqlite3.connect('monitor.db', isolation_level=None, timeout=30)
                    store.execute('BEGIN IMMEDIATE')
                    print('held', flush=True)
                    while True: sys.stdin.read(1) or __import__('time').sleep(1)
                    """
                let holder = try stage.tool("python3", ["-c", script])
                try await until("the lock", seen: { holder.errors }) { holder.output.contains("held") }
                try await until("the log line about missing pings", seen: { process.errors }) {
                    // A slow machine may have logged this before the lock: the line must be the last.
                    process.errors.split(separator: "\n").last { $0.contains("heartbeat") }?
                        .contains("no check was stored since the last one") == true
                }
                // A check stored just before the lock may still allow one ping. After that there is none, however many
                // checks run.
                try await until("checks without a ping", seen: { process.errors }) {
                    let before = receiver.received.count
                    try await watch.checks(10, of: Self.host)
                    return receiver.received.count == before
                }
                receiver.answers(200)
                holder.signal(SIGKILL)
                try await until("pings again", seen: { process.errors }) {
                    process.errors.contains("heartbeats are sent again")
                }
                let said = process.errors.matches(of: /heartbeat failed|heartbeat not sent.*|heartbeats are sent again/)
                    .map(\.output)
                #expect(said.contains("heartbeat failed") && said.contains { $0.hasPrefix("heartbeat not sent") })
                #expect(zip(said, said.dropFirst()).allSatisfy { $0 != $1 }, "no line is repeated: \(said)")
                #expect(!process.errors.contains("PLANTED"))
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                await receiver.shutdown()
            }
        }
    }
}
