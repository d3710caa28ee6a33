import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Progress")
    struct WorkProgressTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func check(_ name: String = "example.com", at: Date) async throws {
            try await store.commit(
                CheckRecord(observation: nil, state: try state(name, at: at), incidents: [], dropped: [], outbox: []))
        }

        /// What stands still between `last` and that instant.
        private func standstill(since last: WorkProgress, at now: Date) async throws -> WorkProgress.Standstill? {
            try await store.progress(now: now).standstill(since: last, now: now)
        }

        @Test("a check of one domain is progress, and no check is none")
        func checks() async throws {
            try await check("a.test", at: noon)
            try await check("b.test", at: noon)
            let mark = try await store.progress(now: noon)
            #expect(try await standstill(since: mark, at: noon + 300) == .checks)
            try await check("b.test", at: noon + 10)
            #expect(try await standstill(since: mark, at: noon + 300) == nil)
        }

        @Test("the first check of a domain is progress, and one after the clock went back as well")
        func oddChecks() async throws {
            let empty = try await store.progress(now: noon)
            #expect(try await standstill(since: empty, at: noon) == .checks)
            try await check(at: noon)
            #expect(try await standstill(since: empty, at: noon) == nil)
            let mark = try await store.progress(now: noon)
            try await check(at: noon - 3600)
            #expect(try await standstill(since: mark, at: noon - 3600) == nil)
        }

        @Test("a domain that is forgotten is no progress")
        func forgotten() async throws {
            try await check("a.test", at: noon)
            try await check("b.test", at: noon)
            let mark = try await store.progress(now: noon)
            try await store.forget(try Domain("b.test"))
            #expect(try await standstill(since: mark, at: noon) == .checks)
        }

        @Test("a check that cannot be stored is no progress")
        func blocked() async throws {
            try await check(at: noon)
            let mark = try await store.progress(now: noon)
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: folder.store, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            await #expect(throws: (any Error).self) { try await check(at: noon + 10) }
            #expect(try await standstill(since: mark, at: noon + 300) == .checks)
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try other.close()
        }

        @Test("a due message that nobody touches is a standstill once it is overdue, in its own channel only")
        func overdue() async throws {
            try await store.enqueue([draft("k1"), draft("k2", incident: "b", channel: "chat")])
            let row = try #require(
                try await store.claim(channel: "chat", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markDelivered(row, owner: "me", now: noon, status: 200)
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await standstill(since: mark, at: noon + 120) == nil)
            #expect(try await standstill(since: mark, at: noon + 121) == .outbox(channels: ["ops"]))
        }

        @Test("a message that waits by its schedule is no standstill")
        func scheduled() async throws {
            try await store.enqueue([draft("k1")])
            let row = try #require(try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markRetry(
                row, owner: "me", notBefore: noon + 900, counted: true,
                attempt: Attempt(class: "transient", status: 500, error: nil, isUnclear: true))
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await standstill(since: mark, at: noon + 899) == nil)
            #expect(try await standstill(since: mark, at: noon + 1021) == .outbox(channels: ["ops"]))
        }

        @Test("a held channel is overdue only when its hold has been over for a while")
        func held() async throws {
            try await store.enqueue([draft("k1")])
            try await store.hold(channel: "ops", until: noon + 3600, reason: .throttled)
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await standstill(since: mark, at: noon + 3599) == nil)
            #expect(try await standstill(since: mark, at: noon + 3700) == nil)
            #expect(try await standstill(since: mark, at: noon + 3721) == .outbox(channels: ["ops"]))
        }

        @Test("a long queue that is being worked off is progress, by deliveries and by failed attempts")
        func workedOff() async throws {
            try await store.enqueue([draft("k1"), draft("k2", incident: "b"), draft("k3", incident: "c")])
            var mark = try await store.progress(now: noon)
            let later = noon + 600
            try await check(at: later)
            let first = try #require(
                try await store.claim(channel: "ops", owner: "me", now: later, lease: .seconds(60)))
            try await store.markDelivered(first, owner: "me", now: later, status: 200)
            #expect(try await standstill(since: mark, at: later) == nil)
            mark = try await store.progress(now: later)
            try await check(at: later + 1)
            #expect(try await standstill(since: mark, at: later + 1) == .outbox(channels: ["ops"]))
            let second = try #require(
                try await store.claim(channel: "ops", owner: "me", now: later, lease: .seconds(60)))
            try await store.markRetry(
                second, owner: "me", notBefore: later + 5, counted: true,
                attempt: Attempt(class: "transient", status: nil, error: nil, isUnclear: true))
            #expect(try await standstill(since: mark, at: later + 1) == nil)
        }

        @Test("a sender that hangs is a standstill once its lease ran out a while ago")
        func hangingSender() async throws {
            try await store.enqueue([draft("k1")])
            _ = try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60))
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await standstill(since: mark, at: noon + 180) == nil)
            #expect(try await standstill(since: mark, at: noon + 181) == .outbox(channels: ["ops"]))
        }
    }
}
