// A daemon whose store cannot be opened at the start: it says why, sends one direct notification, and ends. A later start works.

import Foundation
import Lab
import Testing
import TestSupport

extension EndToEndTests {
    @Suite struct FailedStartTests {
        /// Shell words for a start that ends by itself. `startN.log` has its log, `startN.code` its exit code.
        private static func failedStart(_ number: Int) -> String {
            #"{ "$PROGRAM" run --config monitor.yaml 2>start\#(number).log; echo $? >start\#(number).code; }"#
        }

        /// A shell command for a daemon that is stopped after its first check.
        private static let life = #"""
            { "$PROGRAM" run --config monitor.yaml 2>life.log & life=$!; \
            until grep -qs comparison=in_sync life.log || ! kill -0 $life 2>kill.log; do sleep 0.05; done; \
            kill $life 2>kill.log; wait $life || true; }
            """#

        private static func text(_ stage: Stage, _ name: String) -> String {
            (try? String(contentsOfFile: stage.path(name), encoding: .utf8)) ?? ""
        }

        /// A watch of one domain, with a fallback channel and another one.
        private static func watch(
            _ stage: Stage, _ fallback: LabReceiver, _ other: LabReceiver, store: String
        ) throws -> Watch {
            stage.lab.origin("site.test").serve(file())
            return try Watch(
                stage, ["site.test"],
                Watch.Settings(
                    store: store, alerts: "  fallback: hook",
                    channels: [Watch.webhook(other.url("/in"), name: "other"), Watch.webhook(fallback.url("/in"))]))
        }

        private static func expectNotification(_ message: Message?, _ words: String) throws {
            let message = try #require(message)
            #expect(message.gist == "incident.firing monitor.degraded ")
            let data = message.json["data"]
            #expect(data["summary"].string?.contains("the monitor cannot start") == true, "\(data["summary"])")
            #expect(data["diagnosis"].string?.contains(words) == true, "\(data["diagnosis"])")
        }

        private static func expectWatching(_ process: MonitorProcess, _ watch: Watch) async throws {
            try await until("the status page", seen: { process.errors }) {
                process.errors.contains("status page at") || process.end != nil
            }
            try await watch.checks(2, of: "site.test")
            process.signal(SIGTERM)
            #expect(try await process.ended() == .exit(0), "\(process.errors)")
        }

        /// What is on the disk before it is full.
        private static let histories: [(name: String, shell: String)] = [
            ("nothing", ":"), ("the store of a daemon that ended", life),
            (
                "a damaged store",
                life + " && dd if=/dev/urandom of=disk/monitor.db bs=4096 seek=1 count=20 conv=notrunc 2>dd.log"
            ),
        ]

        @Test(
            "on a full disk each start ends with 70 and the fallback gets one message; with space it works",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible }, arguments: histories)
        func fullDisk(history: (name: String, shell: String)) async throws {
            try await Stage.with { stage in
                let (fallback, other) = (try await LabReceiver.start(), try await LabReceiver.start())
                let watch = try Self.watch(stage, fallback, other, store: "disk/monitor.db")
                try FileManager.default.createDirectory(
                    atPath: stage.path("run"), withIntermediateDirectories: false)
                let process = try SmallDisk(stage).start(
                    watch, megabytes: 8,
                    before: """
                        \(history.shell) && \(SmallDisk.filling) && export RUNTIME_DIRECTORY="$PWD/run" \
                        && \(Self.failedStart(1)) && \(Self.failedStart(2)) && rm disk/filler
                        """)
                try await Self.expectWatching(process, watch)
                for number in 1...2 {
                    let log = Self.text(stage, "start\(number).log")
                    #expect(Self.text(stage, "start\(number).code") == "70\n", "\(log)")
                    #expect(
                        log.contains("store: \(stage.path("disk/monitor.db")): no space is left on the device"),
                        "\(log)")
                }
                try Self.expectNotification(fallback.messages.first, "no space is left")
                #expect(fallback.messages.count == 1)
                #expect(other.messages.isEmpty)
                #expect(FileManager.default.fileExists(atPath: stage.path("run/store-trouble")))
                // The first start sets a damaged file aside, although there is no room for a new one.
                let aside = "store damaged: it was set aside"
                #expect(Self.text(stage, "start1.log").contains(aside) == (history.name == "a damaged store"))
                #expect(!Self.text(stage, "start2.log").contains(aside))
                for receiver in [fallback, other] { await receiver.shutdown() }
            }
        }

        @Test(
            "a read-only store ends the start with 78; if the fallback fails, the others are notified",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible })
        func readOnly() async throws {
            try await Stage.with { stage in
                let (fallback, other) = (try await LabReceiver.start(), try await LabReceiver.start())
                fallback.answers(500)
                let watch = try Self.watch(stage, fallback, other, store: "disk/monitor.db")
                let process = try SmallDisk(stage).start(
                    watch, megabytes: 8,
                    before: """
                        \(Self.life) && mount -o remount,ro "$PWD/disk" && \(Self.failedStart(1)) \
                        && mount -o remount,rw "$PWD/disk"
                        """)
                try await Self.expectWatching(process, watch)
                let log = Self.text(stage, "start1.log")
                #expect(Self.text(stage, "start1.code") == "78\n", "\(log)")
                #expect(log.contains("disk/monitor.db cannot be opened or written"), "\(log)")
                #expect(!fallback.messages.isEmpty)
                #expect(other.messages.count == 1)
                try Self.expectNotification(other.messages.first, "cannot be opened or written")
                for receiver in [fallback, other] { await receiver.shutdown() }
            }
        }

        @Test("a locked store ends each start with 78 and one message; after the unlock one daemon starts")
        func locked() async throws {
            try await Stage.with { stage in
                let (fallback, other) = (try await LabReceiver.start(), try await LabReceiver.start())
                let watch = try Self.watch(stage, fallback, other, store: "monitor.db")
                try FileManager.default.createDirectory(
                    atPath: stage.path("run"), withIntermediateDirectories: false)
                let (first, _) = try await watch.started()
                first.signal(SIGTERM)
                #expect(try await first.ended() == .exit(0))
                let program = """
                    import os, sqlite3, time
                    store = sqlite3.connect('monitor.db', isolation_level=None)
                    store.execute('BEGIN EXCLUSIVE')
                    print('locked', flush=True)
                    while not os.path.exists('free'): time.sleep(0.05)
                    store.execute('ROLLBACK')
                    """
                let holder = try stage.tool("python3", ["-c", program])
                try await until("the lock", seen: { holder.errors }) { holder.output.contains("locked") }
                for _ in 1...2 {
                    let process = try await stage.run(
                        ["run", "--config", watch.file], environment: ["RUNTIME_DIRECTORY": stage.path("run")])
                    #expect(process.end == .exit(78), "\(process.errors)")
                    #expect(
                        process.errors.contains("another process locks the database"), "\(process.errors)")
                }
                #expect(fallback.messages.count == 1)
                try Self.expectNotification(fallback.messages.first, "locks the database")
                try stage.write("free", "")
                try await holder.ended()
                let (process, _) = try await watch.started()
                // Another daemon that uses the store is not an outage: nobody is notified.
                let second = try await stage.run(["run", "--config", watch.file])
                #expect(second.end == .exit(78))
                #expect(
                    second.errors.contains("in use by another aasa-monitor (process \(process.pid))"),
                    "\(second.errors)")
                try await Self.expectWatching(process, watch)
                #expect(fallback.messages.count == 1)
                #expect(other.messages.isEmpty)
                for receiver in [fallback, other] { await receiver.shutdown() }
            }
        }
    }
}
