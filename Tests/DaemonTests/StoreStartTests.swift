import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("A start without a store", .timeLimit(.minutes(5)))
    struct StoreStartTests {
        private let full = StoreError(code: .full, message: "no space")
        private static let passing: [StoreError.Code] = [.full, .locked]
        private let receivers = Receivers()

        private func lastResort() -> LastResort {
            LastResort(
                message: DirectMessage(transport: receivers, userAgent: "x", wallClock: { noon }, logger: silent))
        }

        private func start(
            _ lastResort: LastResort, _ logger: Logger = silent,
            _ open: @escaping @Sendable () async throws -> StoreStart.Opened
        ) throws -> StoreStart {
            StoreStart(
                path: "monitor.db", lastResort: lastResort,
                routes: Routes(
                    channels: [try hook("hook"), try hook("pager")], cdnBaseURL: "https://cdn.test",
                    fleet: .init(fallback: "pager")),
                mutings: Mutings(), policy: FleetPolicy(), time: SkippingTime(), logger: logger, open: open)
        }

        @Test(
            "it waits for what passes, tells the fallback channel once, and owes that one the end",
            arguments: passing)
        func waits(code: StoreError.Code) async throws {
            let scratch = try ScratchStore()
            let lastResort = lastResort()
            let start = try start(lastResort) { [receivers] in
                guard !receivers.sent(to: "pager").isEmpty else { throw StoreError(code: code, message: "not now") }
                return (scratch.store, nil)
            }
            #expect(await start.tryOnce())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await lastResort.run() }
                try await start.run()
                group.cancelAll()
            }
            #expect(try start.opened()?.store === scratch.store)
            #expect(receivers.sent(to: "pager").count == 1 && receivers.sent(to: "hook").isEmpty)
            let text = String(decoding: receivers.sent(to: "pager").first?.body ?? Data(), as: UTF8.self)
            #expect(text.contains("aasa-monitor: it cannot begin to watch"))
            #expect(text.contains("there is no space left") == (code == .full))
            #expect(text.contains("holds the database of the store locked") == (code == .locked))
            let well = judgeFleet(FleetState(), FleetLook(domains: []), FleetPolicy(), now: noon + 3600)
            let routes = Routes(
                channels: [try hook("hook"), try hook("pager")], cdnBaseURL: "", fleet: .init(fallback: "pager"))
            let end = try lastResort.end(well, routes, Mutings(), noon + 3600)
            #expect(end?.story.map(\.channel) == ["pager", "pager"])
        }

        @Test("a full disk that passes within seconds is told to nobody")
        func short() async throws {
            let scratch = try ScratchStore()
            let tries = Mutex(0)
            let start = try start(lastResort()) { [full] in
                let count = tries.withLock { tries in
                    tries += 1
                    return tries
                }
                guard count > 3 else { throw full }
                return (scratch.store, nil)
            }
            #expect(await start.tryOnce())
            try await start.run()
            #expect(try start.opened() != nil)
            #expect(receivers.sent(to: "pager").isEmpty)
        }

        @Test("other faults end the start at once, and an end that is asked for leaves nothing open")
        func ends() async throws {
            let damaged = try start(lastResort()) { throw StoreError(code: .inUse, message: "in use") }
            #expect(await !damaged.tryOnce())
            #expect(throws: StoreError.self) { try damaged.opened() }
            let waiting = try start(lastResort()) { [full] in throw full }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await waiting.run() }
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(try waiting.opened() == nil)
        }

        @Test("the log says that watching begins only where the store was opened", arguments: [true, false])
        func lastWord(opens: Bool) async throws {
            let scratch = try ScratchStore()
            let book = LogBook()
            let tries = Mutex(0)
            let start = try start(lastResort(), book.logger) { [full] in
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                guard !isFirst else { throw full }
                guard opens else { throw StoreError(code: .unwritable, message: "a folder") }
                return (scratch.store, nil)
            }
            #expect(await start.tryOnce())
            try await start.run()
            #expect(book.lines.first?.hasPrefix("nothing is watched yet") == true)
            #expect(book.lines.contains { $0.contains("watching begins") && $0.contains("could be opened") } == opens)
        }
    }
}
