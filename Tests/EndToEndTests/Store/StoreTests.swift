// The store from its owner's view: copies, damage, a full disk.

import Foundation
import Lab
import LabFaults
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct StoreTests {
        @Test("the store can be copied and checked while the daemon runs")
        func besideTheDaemon() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let before = try await stage.run(["store", "check"])
                #expect(before.end == .exit(66))
                #expect(before.errors.contains("there is no store at \(stage.path("monitor.db"))"))
                #expect(!FileManager.default.fileExists(atPath: stage.path("monitor.db")))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")

                let copied = try await stage.run(["store", "backup", "copy.db"])
                #expect(copied.end == .exit(0), "\(copied.errors)")
                #expect(copied.output.hasPrefix("copy.db: "))
                let again = try await stage.run(["store", "backup", "copy.db"])
                #expect(again.end == .exit(64))
                #expect(again.errors.contains("--force"))
                #expect(try await stage.run(["store", "backup", "--force", "copy.db"]).end == .exit(0))
                let itself = try await stage.run(["store", "backup", "--force", "./monitor.db"])
                #expect(itself.end == .exit(64))
                let checked = try await stage.run(["store", "check"])
                #expect(checked.output == "\(stage.path("monitor.db")): sound, 1 domain\n", "\(checked.errors)")
                try await watch.checks(2, of: "site.test")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))

                // A daemon runs on the copy.
                let other = try Watch(stage, ["site.test"], Watch.Settings(store: "copy.db"), file: "copy.yaml")
                let (second, _) = try await other.started()
                try await other.checks(1, of: "site.test")
                second.signal(SIGTERM)
                #expect(try await second.ended() == .exit(0))
            }
        }

        @Test("a damaged store is kept unchanged and reported, and checks continue in a new one")
        func damaged() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let hook = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(store: "torn.db", channels: [Watch.webhook(hook.url("/in"))]))
                let (process, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                process.signal(SIGTERM)
                try await process.ended()
                var bytes = try Self.folded(stage.folder.appending(path: "torn.db"))
                try #require(bytes.count > 8192)
                for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
                try bytes.write(to: URL(filePath: stage.path("torn.db")))
                let checked = try await stage.run(["store", "check"])
                #expect(checked.end == .exit(70))
                #expect(checked.errors.contains("torn.db is damaged"))

                let (second, _) = try await watch.started()
                try await watch.checks(2, of: "site.test")
                #expect(
                    second.errors.contains(#"level=critical msg="store damaged: it was set aside"#), "\(second.errors)")
                let files = try FileManager.default.contentsOfDirectory(atPath: stage.folder.path)
                let logs = ["-wal", "-shm"]
                let aside = try #require(
                    files.first { file in
                        file.hasPrefix("torn.db.damaged-") && !logs.contains { file.hasSuffix($0) }
                    })
                #expect(try Data(contentsOf: URL(filePath: stage.path(aside))) == bytes)
                let listed = try await stage.run(["store", "check"])
                #expect(listed.end == .exit(0))
                _ = try await hook.deliveries(count: 1, within: Stage.timeout)
                let finding = try #require(hook.messages.first).json["data"].finding("monitor.store-failing")
                #expect(finding["message"].string?.contains(aside) == true, "\(finding)")
                second.signal(SIGTERM)
                #expect(try await second.ended() == .exit(0))
                #expect(hook.messages.count == 1)
                await hook.shutdown()
            }
        }

        @Test("a damaged state is set aside; its open incident and the other domains continue")
        func damagedState() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                stage.lab.origin("one.test").behaviour = .reply(.status(500))
                stage.lab.origin("other.test").serve(file())
                let watch = try Watch(
                    stage, ["one.test", "other.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, _) = try await watch.started()
                try await until("the firing", seen: { process.errors }) { process.errors.contains("msg=delivered") }
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0))
                let program = """
                    import sqlite3
                    store = sqlite3.connect('monitor.db')
                    store.execute("UPDATE domain SET state = ? WHERE name = 'one.test'", (b'{"torn',))
                    store.commit()
                    """
                let python = try stage.tool("python3", ["-c", program])
                #expect(try await python.ended() == .exit(0), "\(python.errors)")

                let (second, _) = try await watch.started()
                try await watch.checks(2, of: "one.test", "other.test")
                let lines = second.errors.split(separator: "\n").filter { $0.contains("stored state discarded") }
                #expect(lines.count == 1 && lines.allSatisfy { $0.contains("domain=one.test") }, "\(second.errors)")
                // The copy first: a good origin beside Apple's stored failure would be an incident of the CDN.
                stage.lab.cdn.holds("one.test", body: file())
                stage.lab.origin("one.test").serve(file())
                _ = try await receiver.deliveries(count: 2, within: Stage.timeout)
                #expect(receiver.messages.map(\.type) == ["incident.firing", "incident.resolved"])
                #expect(Set(receiver.messages.map(\.incident)).count == 1)
                second.signal(SIGTERM)
                #expect(try await second.ended() == .exit(0))
                await receiver.shutdown()
            }
        }

        /// A store's pages with its write-ahead log merged in; the log is removed.
        /// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
        private static func folded(_ store: URL) throws -> Data {
            var pages = [UInt8](try Data(contentsOf: store))
            let logFile = URL(filePath: store.path + "-wal")
            guard let log = try? [UInt8](Data(contentsOf: logFile)) else { return Data(pages) }
            let size = 4096
            for frame in stride(from: 32, to: log.count - size - 23, by: 24 + size) {
                let number = log[frame..<frame + 4].reduce(0) { $0 << 8 | Int($1) }
                guard (1...1000).contains(number) else { continue }
                if pages.count < number * size {
                    pages += [UInt8](repeating: 0, count: number * size - pages.count)
                }
                pages.replaceSubrange((number - 1) * size..<number * size, with: log[frame + 24..<frame + 24 + size])
            }
            try FileManager.default.removeItem(at: logFile)
            try? FileManager.default.removeItem(at: URL(filePath: store.path + "-shm"))
            return Data(pages)
        }

        @Test(
            "a full disk stops no check and blames no site, and later findings are notified",
            .enabled("a private mount needs user namespaces") { await SmallDisk.isPossible })
        func fullDisk() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"],
                    Watch.Settings(store: "disk/monitor.db", channels: [Watch.webhook(receiver.url("/in"))]))
                let disk = try SmallDisk(stage)
                let process = try disk.start(watch, megabytes: 8)
                try await until("the daemon", seen: { process.errors }) {
                    process.errors.contains("status page at") || process.end != nil
                }
                try #require(process.end == nil, "\(process.errors)")
                try await watch.checks(2, of: "site.test")
                try disk.fill(process)
                try await until("the log line about the disk", seen: { process.errors }) {
                    process.errors.contains("no space is left")
                }
                try await watch.checks(1, of: "site.test")
                func ofSites() -> [Message] { receiver.messages.filter { $0.kind != "monitor.degraded" } }
                #expect(ofSites().isEmpty)
                stage.lab.origin("site.test").behaviour = .reply(.status(500))
                try await watch.checks(1, of: "site.test")
                try disk.clear(process)
                // On a slow machine the disk may be full long enough to cause its own notification.
                try await until("the firing", seen: { process.errors }) { !ofSites().isEmpty }
                #expect(ofSites().first?.gist == "incident.firing origin.broken site.test")
                process.signal(SIGTERM)
                #expect(try await process.ended() == .exit(0), "\(process.errors)")
                await receiver.shutdown()
            }
        }
    }
}
