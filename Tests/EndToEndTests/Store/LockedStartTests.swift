// A daemon that is started while another program holds the database locked: it says so, stays, and goes on by itself.

import Foundation
import Lab
import Testing

extension EndToEndTests {
    @Suite struct LockedStartTests {
        /// A store that was closed in good order, and a program that holds it locked until the file `free` is there.
        private func lock(_ stage: Stage, _ watch: Watch) async throws -> MonitorProcess {
            let (first, _) = try await watch.started()
            first.signal(SIGTERM)
            #expect(try await first.ended(within: .seconds(10)) == .exit(0))
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
            return holder
        }

        /// A daemon that has said that it waits, and what it waits for.
        private func waiting(
            _ stage: Stage, _ watch: Watch
        ) async throws -> (process: MonitorProcess, holder: MonitorProcess) {
            let holder = try await lock(stage, watch)
            let process = try watch.start()
            try await until("a word on the lock", seen: { process.errors }) {
                process.errors.contains("nothing is watched yet: another process holds the database")
                    || process.end != nil
            }
            try #require(process.end == nil, "\(process.errors)")
            return (process, holder)
        }

        @Test("a lock that lasts is waited for, told past the store, and told to be over", arguments: [true, false])
        func waits(lasts: Bool) async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let receiver = try await LabReceiver.start()
                let watch = try Watch(
                    stage, ["site.test"], Watch.Settings(channels: [Watch.webhook(receiver.url("/in"))]))
                let (process, holder) = try await waiting(stage, watch)
                if lasts {
                    _ = try await receiver.deliveries(count: 1, within: .seconds(60))
                    let told = try #require(receiver.messages.first)
                    #expect(told.gist == "incident.firing monitor.degraded ")
                    #expect(String(decoding: told.body, as: UTF8.self).contains("holds the database"))
                }
                try stage.write("free", "")
                try await holder.ended()
                try await until("the status page", seen: { process.errors }) {
                    process.errors.contains("status page at") || process.end != nil
                }
                try await watch.checks(2, of: "site.test")
                if lasts {
                    _ = try await receiver.deliveries(count: 2, within: .seconds(60))
                    #expect(
                        receiver.messages.map(\.type) == ["incident.firing", "incident.resolved"]
                            && Set(receiver.messages.map(\.incident)).count == 1)
                } else {
                    #expect(receiver.messages.isEmpty)
                }
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
                await receiver.shutdown()
            }
        }

        @Test("SIGTERM ends the wait in good order, and a second monitor is refused at once")
        func ends() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, holder) = try await waiting(stage, watch)
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
                try stage.write("free", "")
                try await holder.ended()
                let (first, _) = try await watch.started()
                let second = try watch.start()
                #expect(try await second.ended(within: .seconds(10)) == .exit(78))
                #expect(second.errors.contains("in use by another aasa-monitor (process \(first.pid))"))
                first.signal(SIGTERM)
                #expect(try await first.ended(within: .seconds(5)) == .exit(0))
            }
        }

        @Test("while one waits, nobody else gets the store, and it goes on")
        func keepsItsPlace() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (process, holder) = try await waiting(stage, watch)
                let others = try [
                    stage.start(["store", "compact", "--config", watch.file]), watch.start(),
                ]
                for other in others {
                    #expect(try await other.ended() == .exit(78), "\(other.errors)")
                    #expect(
                        other.errors.contains("in use by another aasa-monitor (process \(process.pid))"),
                        "\(other.errors)")
                }
                try stage.write("free", "")
                try await holder.ended()
                try await until("the status page", seen: { process.errors }) {
                    process.errors.contains("status page at") || process.end != nil
                }
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
            }
        }

        @Test("SIGTERM within the very first try ends it in good order")
        func endsAtOnce() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let holder = try await lock(stage, watch)
                let process = try watch.start()
                // The lock's file names it as soon as the first try has begun.
                try await until("the first try", seen: { process.errors }) {
                    (try? String(contentsOfFile: stage.path("monitor.db.lock"), encoding: .utf8)) == "\(process.pid)\n"
                        || process.end != nil
                }
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
                try stage.write("free", "")
                try await holder.ended()
            }
        }

        @Test("a note that finds no place is warned of, and watching begins all the same")
        func noPlace() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                try FileManager.default.createDirectory(
                    atPath: stage.path("monitor.db.outage"), withIntermediateDirectories: false)
                let (process, _) = try await watch.started()
                #expect(process.errors.contains("no place can be taken for the note"), "\(process.errors)")
                #expect(process.errors.contains("Is a directory"), "\(process.errors)")
                process.signal(SIGTERM)
                #expect(try await process.ended(within: .seconds(5)) == .exit(0), "\(process.errors)")
            }
        }
    }
}
