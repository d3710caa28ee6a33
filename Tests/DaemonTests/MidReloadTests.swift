import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Synchronization
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("A judgement in the middle of a reload", .timeLimit(.minutes(5)))
    struct MidReloadTests {
        @Test("by the routes of before leaves no message that waits for ever")
        func judged() async throws {
            let scratch = try ScratchStore()
            let store = scratch.store
            let time = SkippingTime()
            let routes = Routes(channels: [try hook("ops"), try hook("gone")], cdnBaseURL: "https://cdn.test")
            let delivery = Delivery(
                store: store, channels: routes.channels, transport: Receivers(), time: time,
                settings: .init(userAgent: "x"), logger: silent)
            let silences = SilenceWatch(
                store: store, routes: routes, delivery: delivery, time: time, logger: silent, windows: [],
                recipients: [:])
            let judge = FleetJudge(
                .init(
                    store: store, silences: silences, delivery: delivery,
                    lastResort: LastResort(
                        message: DirectMessage(
                            transport: Receivers(), userAgent: "x", wallClock: { noon }, logger: silent)),
                    refusal: { RefusedConfiguration(since: noon, words: "line 3") }, time: time, logger: silent),
                .init(intervals: [:], routes: routes, policy: FleetPolicy(), canaries: nil))
            // As a reload does it, and before it comes to the judge.
            try await delivery.replace(channels: [hook("ops")])
            await judge.judge()
            let rows = try await store.messages(domain: nil, limit: 9)
            #expect(Set(rows.map { "\($0.channel) \($0.state.rawValue)" }) == ["ops queued", "gone dead"])
        }

        private struct Locked: Error {}

        @Test("while the store takes no writes: a new channel is owed what comes, one that is gone is forgotten later")
        func locked() async throws {
            let scratch = try ScratchStore()
            let isLocked = Mutex(false)
            let store = try Store(
                path: scratch.folder.appending(path: "locked.db").path, access: .monitor,
                obstacle: WriteObstacle { _ in if isLocked.withLock(\.self) { throw Locked() } })
            func owe(_ channel: String) async throws {
                try await store.enqueue([
                    OutboxDraft(
                        messageKey: channel, incidentID: "a", channel: channel, type: .firing, sequence: 1,
                        severity: .error, facts: Data("{}".utf8), createdAt: noon, expiresAt: noon + 3600)
                ])
            }
            func states() async throws -> Set<String> {
                Set(try await store.messages(domain: nil, limit: 9).map { "\($0.channel) \($0.state.rawValue)" })
            }
            let delivery = Delivery(
                store: store, channels: [], transport: Receivers(), time: SkippingTime(),
                settings: .init(userAgent: "x"), logger: silent)
            try await delivery.replace(channels: [hook("ops"), hook("gone")])
            try await owe("gone")
            isLocked.withLock { $0 = true }
            await #expect(throws: (any Error).self) {
                try await delivery.replace(channels: [hook("ops"), hook("new")])
            }
            await delivery.catchUp()
            isLocked.withLock { $0 = false }
            try await owe("new")
            #expect(try await states() == ["gone queued", "new queued"])
            await delivery.catchUp()
            #expect(try await states() == ["gone dead", "new queued"])
        }
    }
}
