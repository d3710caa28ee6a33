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

        private var marker: StoreTroubleMarker {
            StoreTroubleMarker(storePath: "/monitor.db", environment: ["RUNTIME_DIRECTORY": folder.path])
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        private func notifier(
            _ channels: [Channel], fallback: String? = nil, hasMarker: Bool = true
        ) -> StoreTroubleNotifier {
            StoreTroubleNotifier(
                notifier: DirectNotifier(
                    transport: receivers, userAgent: "x", wallClock: { [time] in time.systemTime() }, logger: silent),
                routing: Routing(
                    channels: channels, domains: [], fallback: fallback, cdnBaseURL: "https://cdn.test",
                    instance: "monitor-1"),
                storePath: "/monitor.db",
                marker: hasMarker
                    ? marker
                    : StoreTroubleMarker(storePath: "/nowhere/monitor.db", environment: [:], temporary: "/nowhere"))
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
            #expect(sent("ops").first?.contains("nothing can be stored: no space is left for the store") == true)
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

        @Test("it is retried each minute, under the same key and with its true age, until a channel takes it")
        func retried() async throws {
            receivers.set(.fails, for: "ops")
            let notifier = notifier([try hook("ops")])
            await watch(notifier, failing, for: 200)
            #expect(sent("ops").count == 3)
            receivers.set(.takes, for: "ops")
            await watch(notifier, failing, for: 600)
            #expect(sent("ops").count == 4)
            let words = try sent("ops").map { body in
                let message = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
                return (message?["data"] as? [String: Any])?["summary"] as? String ?? body
            }
            #expect(words.map { $0.contains("for 30 s") } == [true, false, false, false], "\(words)")
            #expect(words.last?.contains("for 3 min") == true, "\(words)")
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
            #expect(marker.content == nil)
        }

        @Test("a pager that takes no end, such as one with a revoked key, keeps no later trouble quiet")
        func revoked() async throws {
            let notifier = notifier([try hook("ops"), try pager("pager"), try pager("gone")])
            receivers.set(.refuses, for: "gone")
            await watch(notifier, failing, for: 120)
            await watch(notifier, StoreHealth(), for: 180)
            // The one that took the end does not get it again.
            #expect(sent("pager").count == 2 && sent("ops").count == 1)
            await watch(notifier, failing, for: 120)
            #expect(sent("ops").count == 2 && sent("pager").count == 3)
            await watch(notifier, StoreHealth(), for: 5000)
            #expect(marker.content == nil)
            let tries = sent("gone").count
            await watch(notifier, StoreHealth(), for: 5000)
            #expect(sent("gone").count == tries, "it is not tried for ever")
            let keys = receivers.sent(to: "ops").map { $0.headers.first { $0.name == "webhook-id" }?.value }
            #expect(Set(keys).count == 2, "a receiver that removes duplicates takes both")
        }

        @Test("what fails again and again while other writes work is told as that, at once")
        func partial() async throws {
            var health = failing
            health.isPartial = true
            let notifier = notifier([try hook("ops")])
            await watch(notifier, health, for: 600)
            #expect(sent("ops").count == 1)
            #expect(sent("ops").first?.contains("The store fails some writes") == true)
        }

        @Test("what is wrong decides what to do")
        func advice() async throws {
            let rows: [(StoreError.Code, Bool, String)] = [
                (.newerSchema, true, "Install the newer aasa-monitor again"),
                (.newerState, true, "backup from before the upgrade"),
                (.displaced, false, "Put the file back"),
                (.unwritable, true, "user may write there"),
                (.locked, false, "End the process that holds the database locked"),
                (.full, false, "Free space on the disk"), (.notADatabase, true, "Name another path as store.path"),
                (.corrupt, false, "Restart the monitor"),
            ]
            for (code, isAtStart, words) in rows {
                let notifier = notifier([try hook("\(code)")], hasMarker: false)
                let fault = StoreError(code: code, message: "what was seen")
                if isAtStart {
                    await notifier.notify(ofFailedStart: fault, now: noon)
                } else {
                    var health = failing
                    health.lastError = fault
                    await watch(notifier, health, for: 60)
                }
                let body = try #require(sent("\(code)").first, "\(code)")
                #expect(body.contains(words), "\(body)")
                #expect(body.contains("Free space") == (code == .full))
            }
        }

        @Test("without $RUNTIME_DIRECTORY it is remembered beside the store, or among the temporary files")
        func places() async throws {
            let store = folder.appending(path: "store/monitor.db").path
            let temporary = folder.path
            let fault = StoreError(code: .full, message: "no space")
            func start(_ minute: Int) async throws {
                let notifier = StoreTroubleNotifier(
                    notifier: DirectNotifier(transport: receivers, userAgent: "x", logger: silent),
                    routing: Routing(
                        channels: [try hook("ops")], domains: [], cdnBaseURL: "https://cdn.test", instance: "monitor-1"
                    ),
                    storePath: store,
                    marker: StoreTroubleMarker(storePath: store, environment: [:], temporary: temporary))
                await notifier.notify(ofFailedStart: fault, now: noon + Double(minute) * 60)
            }
            // The folder of the store is missing.
            for minute in 0..<90 { try await start(minute) }
            #expect(sent("ops").count == 2)
            try FileManager.default.createDirectory(
                atPath: folder.appending(path: "store").path, withIntermediateDirectories: false)
            for minute in 90..<180 { try await start(minute) }
            #expect(sent("ops").count == 3)
            #expect(FileManager.default.fileExists(atPath: store + ".trouble.json"))
            let marker = StoreTroubleMarker(storePath: store, environment: [:], temporary: temporary)
            marker.remove(id: try #require(marker.content).id)
            #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path) == ["store"])
        }

        @Test("a damaged store that was set aside is told once, and a pager gets the end at once")
        func setAside() async throws {
            let aside = SetAside(path: "/monitor.db.damaged-1", at: noon, detail: "malformed")
            receivers.set(.fails, for: "pager")
            let notifier = notifier([try hook("ops"), try pager("pager")], fallback: "pager")
            #expect(await notifier.notify(of: aside, now: noon))
            #expect(sent("ops").count == 1)
            let body = try #require(sent("ops").first)
            for words in ["announced again under new ids", "monitor.db.damaged-1", "warning"] {
                #expect(body.contains(words), "\(body)")
            }
            receivers.set(.takes, for: "pager")
            receivers.set(.fails, for: "ops")
            #expect(await notifier.notify(of: aside, now: noon))
            #expect(sent("pager").suffix(2).map { $0.contains(#""event_action":"resolve""#) } == [false, true])
            receivers.set(.fails, for: "pager")
            #expect(await !notifier.notify(of: aside, now: noon))
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
