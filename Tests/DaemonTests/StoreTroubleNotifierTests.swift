import Alerting
import Evidence
import Facts
import Foundation
import Monitoring
import Storage
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("Notification of a store in trouble")
    final class StoreTroubleNotifierTests {
        private let receivers = Receivers()
        private let time = MovedTime()
        private let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-trouble-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

        deinit { try? FileManager.default.removeItem(at: folder) }

        private func notifier(
            _ channels: [Channel], fallback: String? = nil, hasMarker: Bool = true
        ) -> StoreTroubleNotifier {
            StoreTroubleNotifier(
                notifier: DirectNotifier(
                    transport: receivers, userAgent: "x", wallClock: { [time] in time.wall() }, logger: silent),
                routing: Routing(
                    channels: channels, domains: [:], fallback: fallback, cdnBaseURL: "https://cdn.test",
                    instance: "monitor-1"),
                storePath: "/monitor.db",
                marker: StoreTroubleMarker(environment: hasMarker ? ["RUNTIME_DIRECTORY": folder.path] : [:]))
        }

        private var failing: StoreHealth {
            var health = StoreHealth()
            health.failingSince = noon
            health.lastError = StoreError(code: .full, message: "no space is left")
            return health
        }

        private func sent(_ name: String) -> [String] {
            receivers.sent(to: name).map { String(decoding: $0.body, as: UTF8.self) }
        }

        /// A look each 10 seconds.
        private func watch(
            _ notifier: StoreTroubleNotifier, _ health: StoreHealth, for seconds: Double, sick: Set<String> = [],
            isSilenced: Bool = false
        ) async {
            for _ in 0..<Int(seconds / 10) {
                await notifier.step(time, health, sick: sick, isSilenced: isSilenced)
                time.pass(10)
            }
        }

        @Test("trouble of 30 seconds is notified once, in the words of the store")
        func once() async throws {
            let notifier = notifier([try hook("ops")])
            await watch(notifier, failing, for: 30)
            #expect(sent("ops").isEmpty)
            await watch(notifier, failing, for: 3600)
            #expect(sent("ops").count == 1)
            #expect(sent("ops").first?.contains("no space is left") == true)
        }

        @Test("trouble that passes within 30 seconds, or that is silenced, is not notified")
        func short() async throws {
            let notifier = notifier([try hook("ops"), try pager("pager")])
            for _ in 0..<5 {
                await watch(notifier, failing, for: 20)
                await watch(notifier, StoreHealth(), for: 20)
            }
            await watch(notifier, failing, for: 600, isSilenced: true)
            #expect(sent("ops").isEmpty && sent("pager").isEmpty)
        }

        @Test("it is retried each minute, with the same bytes, until a channel takes it")
        func retried() async throws {
            receivers.set(.fails, for: "ops")
            let notifier = notifier([try hook("ops")])
            await watch(notifier, failing, for: 200)
            #expect(sent("ops").count == 3)
            receivers.set(.takes, for: "ops")
            await watch(notifier, failing, for: 600)
            #expect(sent("ops").count == 4 && Set(sent("ops")).count == 1)
            #expect(
                Set(receivers.sent(to: "ops").map { $0.headers.first { $0.name == "webhook-id" }?.value }).count == 1)
        }

        @Test("a pager gets the end under the same key, a chat gets no end")
        func resolved() async throws {
            let notifier = notifier([try hook("ops"), try pager("pager")])
            await watch(notifier, failing, for: 120)
            receivers.set(.fails, for: "pager")
            await watch(notifier, StoreHealth(), for: 30)
            receivers.set(.takes, for: "pager")
            await watch(notifier, StoreHealth(), for: 600)
            let events = try receivers.sent(to: "pager").map {
                try #require(try JSONSerialization.jsonObject(with: $0.body) as? [String: Any])
            }
            #expect(events.map { $0["event_action"] as? String } == ["trigger", "resolve", "resolve"])
            #expect(Set(events.map { $0["dedup_key"] as? String }).count == 1)
            #expect(sent("ops").count == 1)
            #expect(StoreTroubleMarker(environment: ["RUNTIME_DIRECTORY": folder.path]).content == nil)
        }

        @Test("the fallback gets it alone; where it is in trouble or does not take it, all others do")
        func fallback() async throws {
            let channels = [try hook("ops"), try hook("chat"), try pager("pager")]
            await watch(notifier(channels, fallback: "pager", hasMarker: false), failing, for: 60)
            #expect(sent("pager").count == 1 && sent("ops").isEmpty && sent("chat").isEmpty)
            await watch(notifier(channels, fallback: "pager", hasMarker: false), failing, for: 60, sick: ["pager"])
            #expect(sent("pager").count == 1 && sent("ops").count == 1 && sent("chat").count == 1)
            receivers.set(.refuses, for: "pager")
            await watch(notifier(channels, fallback: "pager", hasMarker: false), failing, for: 60)
            #expect(sent("pager").count == 2 && sent("ops").count == 2 && sent("chat").count == 2)
        }

        @Test("starts that fail are notified once an hour; the next start that works ends it at the pager")
        func starts() async throws {
            let channels = [try pager("pager")]
            let fault = StoreError(code: .unwritable, message: "read-only file system")
            for minute in 0..<90 {
                await notifier(channels).notify(ofFailedStart: fault, now: noon + Double(minute) * 60)
            }
            #expect(sent("pager").count == 2)
            #expect(sent("pager").first?.contains("read-only file system") == true)
            let last = notifier(channels)
            await last.resume(at: time.now())
            await watch(last, StoreHealth(), for: 50)
            #expect(sent("pager").count == 2)
            await watch(last, StoreHealth(), for: 600)
            #expect(sent("pager").count == 3 && sent("pager").last?.contains("resolve") == true)
        }

        @Test("a start that no channel heard of is notified at the next one; a second daemon is no trouble")
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

        @Test("a restart in the middle of the trouble does not repeat it")
        func restarted() async throws {
            await watch(notifier([try hook("ops")]), failing, for: 60)
            let next = notifier([try hook("ops")])
            await next.resume(at: time.now())
            await watch(next, failing, for: 600)
            #expect(sent("ops").count == 1)
        }
    }
}
