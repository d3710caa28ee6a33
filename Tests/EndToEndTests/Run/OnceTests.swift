// `run --once`: a job for cron. Each run is a process of its own; the store carries what must wait.

import Foundation
import Lab
import TestSupport
import Testing

extension EndToEndTests {
    @Suite struct OnceTests {
        private static func run(_ watch: Watch) async throws -> MonitorProcess {
            try await watch.stage.run(["run", "--once", "--config", watch.file])
        }

        @Test("failed checks count across runs, each message is sent once, and the exit code tells")
        func story() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                // Longer than any test: nobody waits for it.
                let watch = try Watch(
                    stage, ["good.test", "bad.test"],
                    Watch.Settings(
                        interval: "1h", groupWait: "1h", channels: [Watch.webhook(receiver.url("/in"))]))
                stage.lab.origin("good.test").serve(file())
                stage.lab.origin("bad.test").serve(file())
                let calm = try await Self.run(watch)
                #expect(calm.end == .exit(0), "\(calm.errors)")
                #expect(calm.output == "" && !calm.errors.contains("status page"))
                #expect(stage.lab.cdn.requests(for: "good.test").count == 1)

                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                let first = try await Self.run(watch)
                #expect(first.end == .exit(1), "\(first.errors)")
                #expect(receiver.messages.isEmpty)
                let second = try await Self.run(watch)
                #expect(second.end == .exit(1), "\(second.errors)")
                #expect(receiver.messages.map(\.gist) == ["incident.firing origin.broken bad.test"])
                let third = try await Self.run(watch)
                #expect(third.end == .exit(1) && receiver.messages.count == 1)

                stage.lab.origin("bad.test").serve(file())
                let over = try await Self.run(watch)
                #expect(over.end == .exit(0), "\(over.errors)")
                #expect(receiver.messages.map(\.type) == ["incident.firing", "incident.resolved"])
                let status = try await stage.run(["status", "--store", "monitor.db"])
                #expect(status.end == .exit(0) && status.output.contains("no notification is pending"))
                await receiver.shutdown()
            }
        }

        @Test("a message that no receiver took waits in the store, and the next run sends it")
        func receiverAway() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                receiver.answers(400)
                stage.lab.origin("bad.test").behaviour = .reply(.status(500))
                let watch = try Watch(
                    stage, ["bad.test"],
                    Watch.Settings(
                        interval: "1h", defaults: "  failure_threshold: 1",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                let refused = try await Self.run(watch)
                #expect(refused.end == .exit(1), "\(refused.errors)")
                let tries = receiver.messages.count
                #expect(tries > 0)
                receiver.answers(200)
                let next = try await Self.run(watch)
                #expect(next.end == .exit(1), "\(next.errors)")
                let last = try #require(receiver.messages.last)
                #expect(receiver.messages.count == tries + 1 && last.gist == "incident.firing origin.broken bad.test")
                await receiver.shutdown()
            }
        }

        @Test("many domains with the same trouble share a message, without waiting for it")
        func grouped() async throws {
            try await Stage.with { stage in
                let receiver = try await LabReceiver.start()
                let names = (1...4).map { "s\($0).test" }
                for name in names { stage.lab.origin(name).behaviour = .reply(.status(500)) }
                let watch = try Watch(
                    stage, names,
                    Watch.Settings(
                        interval: "1h", defaults: "  failure_threshold: 1", groupWait: "1h",
                        channels: [Watch.webhook(receiver.url("/in"))]))
                let run = try await Self.run(watch)
                #expect(run.end == .exit(1), "\(run.errors)")
                #expect(receiver.messages.count == 1)
                #expect(receiver.messages.first?.domains == Set(names))
                await receiver.shutdown()
            }
        }

        @Test("it takes the store as the daemon does: one beside it is refused, and it makes a new one")
        func lock() async throws {
            try await Stage.with { stage in
                stage.lab.origin("site.test").serve(file())
                let watch = try Watch(stage, ["site.test"], Watch.Settings())
                let (daemon, _) = try await watch.started()
                let refused = try await Self.run(watch)
                #expect(refused.end == .exit(78), "\(refused.errors)")
                #expect(refused.errors.contains("is in use by another aasa-monitor (process \(daemon.pid))"))
                daemon.signal(SIGTERM)
                #expect(try await daemon.ended() == .exit(0))
                #expect(try await Self.run(watch).end == .exit(0))
            }
        }

        @Test("Ctrl-C ends it with 130; what was checked is stored", arguments: [SIGINT, SIGTERM])
        func interrupted(_ signal: Int32) async throws {
            try await Stage.with { stage in
                stage.lab.origin("fast.test").serve(file())
                stage.lab.origin("slow.test").behaviour = .fault(.hang)
                let watch = try Watch(stage, ["fast.test", "slow.test"], Watch.Settings(timeout: "60s"))
                let process = try watch.stage.start(["run", "--once", "--config", watch.file])
                try await until("the check of fast.test", seen: { process.errors }) {
                    process.errors.contains("domain=fast.test")
                }
                process.signal(signal)
                #expect(try await process.ended() == .exit(130), "\(process.errors)")
                #expect(process.errors.contains("interrupted: what was checked is stored"), "\(process.errors)")
                let status = try await stage.run(["status", "--store", "monitor.db", "fast.test"])
                #expect(status.end == .exit(0), "\(status.errors)")
            }
        }
    }
}
