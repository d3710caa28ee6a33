import Alerting
import Facts
import Foundation
import Monitoring
import Testing

@testable import Daemon
@testable import Storage

extension DaemonSuite {
    @Suite("Store outage notifications")
    final class StoreTroubleNotifierTests {
        private let receivers = Receivers()
        private let time = MovedTime()
        private let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-trouble-\(UUID().uuidString)")
        private var marker: String {
            StoreTroubleNotifier.markerPath(
                storePath: "/monitor.db", environment: ["RUNTIME_DIRECTORY": "\(folder.path):/nowhere"])
        }

        init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: folder) }

        private func notifier(
            _ channels: [Channel], fallback: String? = nil, marker: String? = nil
        ) -> StoreTroubleNotifier {
            StoreTroubleNotifier(
                notifier: DirectNotifier(
                    transport: receivers, userAgent: "x", wallClock: { [time] in time.systemTime() }, logger: silent),
                routing: Routing(
                    channels: channels, domains: [], fallback: fallback, cdnBaseURL: "https://cdn.test",
                    instance: "monitor-1"),
                markerPath: marker ?? self.marker)
        }

        private func failing(_ code: StoreError.Code = .full) -> StoreHealth {
            var health = StoreHealth()
            health.failingSince = noon
            health.lastError = StoreError(code: code, message: "what was seen")
            return health
        }

        private func sent(_ name: String) -> [String] {
            receivers.sent(to: name).map { String(decoding: $0.body, as: UTF8.self) }
        }

        /// One step every 10 seconds.
        private func watch(
            _ notifier: StoreTroubleNotifier, _ health: StoreHealth, for seconds: Double, isSilenced: Bool = false
        ) async {
            for _ in 0..<Int(seconds / 10) {
                await notifier.step(time, health, isSilenced: isSilenced)
                time.pass(10)
            }
        }

        @Test("a problem of 30 seconds is notified once per process, only to people, with the store's error text")
        func once() async throws {
            let notifier = notifier([try hook("ops"), try pager("pager")])
            await watch(notifier, failing(), for: 30)
            #expect(sent("ops").isEmpty)
            await watch(notifier, failing(), for: 3600)
            await watch(notifier, StoreHealth(), for: 60)
            await watch(notifier, failing(), for: 3600)
            #expect(sent("ops").count == 1)
            #expect(sent("ops").first?.contains("nothing can be stored: no space is left for the store") == true)
            #expect(sent("pager").isEmpty)
        }

        @Test("a problem that ends within 30 seconds or is silenced is not notified")
        func short() async throws {
            let notifier = notifier([try hook("ops")])
            for _ in 0..<5 {
                await watch(notifier, failing(), for: 20)
                await watch(notifier, StoreHealth(), for: 20)
            }
            await watch(notifier, failing(), for: 600, isSilenced: true)
            #expect(sent("ops").isEmpty)
        }

        @Test("the message is retried each minute with the same key and its true age, until a channel accepts it")
        func retried() async throws {
            receivers.set(.fails, for: "ops")
            let notifier = notifier([try hook("ops")])
            await watch(notifier, failing(), for: 200)
            #expect(sent("ops").count == 3)
            receivers.set(.takes, for: "ops")
            await watch(notifier, failing(), for: 600)
            #expect(sent("ops").count == 4)
            #expect(sent("ops").map { $0.contains("for 30 s") } == [true, false, false, false])
            #expect(sent("ops").last?.contains("for 3 min") == true)
            #expect(
                Set(receivers.sent(to: "ops").map { $0.headers.first { $0.name == "webhook-id" }?.value }).count == 1)
        }

        @Test("only the fallback gets it; if it refuses the message, or is a pager, all other channels get it")
        func fallback() async throws {
            let channels = [try hook("ops"), try hook("chat"), try pager("pager")]
            await watch(notifier(channels, fallback: "chat"), failing(), for: 60)
            #expect(sent("chat").count == 1 && sent("ops").isEmpty)
            receivers.set(.refuses, for: "chat")
            await watch(notifier(channels, fallback: "chat"), failing(), for: 60)
            #expect(sent("chat").count == 2 && sent("ops").count == 1)
            await watch(notifier(channels, fallback: "pager"), failing(), for: 60)
            #expect(sent("chat").count == 3 && sent("ops").count == 2 && sent("pager").isEmpty)
        }

        @Test("each error has its own instruction")
        func advice() async throws {
            let rows: [(StoreError.Code, Bool, String)] = [
                (.newer, true, "Install the newer aasa-monitor again"),
                (.unwritable, true, "user may write there"),
                (.locked, false, "End the process that locks the database"),
                (.full, false, "Free space on the disk"), (.notADatabase, true, "Set another path as store.path"),
                (.corrupt, false, "Restart the monitor"),
            ]
            for (code, isAtStart, words) in rows {
                let notifier = notifier([try hook("\(code)")], marker: "/nowhere/marker")
                if isAtStart {
                    await notifier.notify(ofFailedStart: StoreError(code: code, message: "what was seen"), now: noon)
                } else {
                    await watch(notifier, failing(code), for: 60)
                }
                let body = try #require(sent("\(code)").first, "\(code)")
                #expect(body.contains(words) && body.contains("what was seen"), "\(body)")
                #expect(body.contains("Free space") == (code == .full))
            }
        }

        @Test("a damaged store that was set aside is notified once, retried each minute")
        func setAside() async throws {
            let notifier = notifier([try hook("ops"), try pager("pager")])
            await notifier.note(StoreError(code: .corrupt, message: "/monitor.db.damaged-1: malformed"), at: noon)
            receivers.set(.fails, for: "ops")
            await watch(notifier, StoreHealth(), for: 120)
            #expect(sent("ops").count == 2)
            receivers.set(.takes, for: "ops")
            await watch(notifier, StoreHealth(), for: 600)
            #expect(sent("ops").count == 3 && sent("pager").isEmpty)
            let body = try #require(sent("ops").last)
            for words in ["open problems again under new ids", "monitor.db.damaged-1", "warning"] {
                #expect(body.contains(words), "\(body)")
            }
        }

        @Test("failed starts are notified once an hour, and again by each process")
        func starts() async throws {
            let fault = StoreError(code: .unwritable, message: "read-only file system")
            for minute in 0..<90 {
                await notifier([try hook("ops")]).notify(ofFailedStart: fault, now: noon + Double(minute) * 60)
            }
            #expect(sent("ops").count == 2)
            #expect(sent("ops").first?.contains("read-only file system") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store-trouble"])
            let other = StoreTroubleNotifier.markerPath(
                storePath: "/monitor.db", environment: [:], temporary: folder.path)
            #expect(other.hasPrefix(folder.path + "/aasa-monitor-"), "without $RUNTIME_DIRECTORY")
        }

        @Test("a failed start that reached no channel is notified at the next one; a second daemon is not a failure")
        func unheard() async throws {
            receivers.set(.isDown, for: "ops")
            let fault = StoreError(code: .full, message: "no space")
            await notifier([try hook("ops")]).notify(ofFailedStart: fault, now: noon)
            receivers.set(.takes, for: "ops")
            await notifier([try hook("ops")]).notify(
                ofFailedStart: StoreError(code: .inUse, message: "in use"), now: noon + 5)
            #expect(sent("ops").count == 1)
            await notifier([try hook("ops")]).notify(ofFailedStart: fault, now: noon + 10)
            #expect(sent("ops").count == 2)
        }
    }
}
