// A daemon that is started on a full disk: it says so, stays, and goes on by itself.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct FullDiskStartTests {
        /// What lies on the disk before it is full.
        private static let histories: [(name: String, shell: String)] = [
            ("nothing", ":"),
            (
                "the store of a daemon that ended",
                #"{ timeout -s TERM 3 "$PROGRAM" run --config monitor.yaml || true; }"#
            ),
            (
                "a damaged store",
                #"{ timeout -s TERM 3 "$PROGRAM" run --config monitor.yaml || true; } "#
                    + "&& dd if=/dev/urandom of=disk/monitor.db bs=4096 seek=1 count=20 conv=notrunc 2>dd.log"
            ),
        ]

        @Test(
            "it waits for room, has the fallback channel told and no other, and begins by itself",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible }, arguments: histories)
        func waits(history: (name: String, shell: String)) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let receiver = try await LabReceiver.start()
                let other = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(
                        store: "disk/monitor.db",
                        channels: [
                            Watch.webhook(other.url("/in"), name: "other"), Watch.webhook(receiver.url("/in")),
                        ]))
                let text = try String(contentsOfFile: stage.path(watch.file), encoding: .utf8)
                try stage.write(watch.file, text.replacing("alerts:\n", with: "alerts:\n  fallback: hook\n"))
                let disk = try SmallDisk(stage)
                let process = try disk.start(
                    watch, megabytes: 8, before: "\(history.shell) && \(SmallDisk.filling)")
                try await until("a word on the disk", seen: { process.errors }) {
                    process.errors.contains("nothing is watched yet") || process.end != nil
                }
                try #require(process.end == nil, "\(process.errors)")
                _ = try await receiver.deliveries(count: 1, within: Stage.patience)
                let told = try #require(receiver.messages.first)
                #expect(told.gist == "incident.firing monitor.degraded ")
                #expect(told.json["data"]["summary"].string?.contains("it cannot begin to watch") == true)
                try disk.clear(process)
                _ = try await receiver.deliveries(count: 2, within: Stage.patience)
                #expect(receiver.messages.last?.gist == "incident.resolved monitor.degraded ")
                #expect(receiver.messages.last?.incident == told.incident)
                // The page and the deliveries begin at the same time.
                try await until("the status page", seen: { process.errors }) {
                    process.errors.contains("status page at") || process.end != nil
                }
                try await watch.checks(2, of: "site.test")
                #expect(process.errors.contains("damaged and is set aside") == (history.name == "a damaged store"))
                #expect(other.messages.isEmpty)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                await receiver.shutdown()
                await other.shutdown()
            }
        }

        @Test(
            "SIGTERM ends the wait at once and in good order",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible })
        func ends() async throws {
            try await Stage.with { stage in
                let watch = try Watch(stage, ["site.test"], Watch.Settings(store: "disk/monitor.db"))
                let process = try SmallDisk(stage).start(watch, megabytes: 1, before: SmallDisk.filling)
                try await until("a word on the disk", seen: { process.errors }) {
                    process.errors.contains("nothing is watched yet") || process.end != nil
                }
                process.signal(SIGHUP)
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
            }
        }
    }
}
