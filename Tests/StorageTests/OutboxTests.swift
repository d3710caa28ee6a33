import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Outbox")
    struct OutboxTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func claim(_ channel: String = "ops", owner: String = "me", at: Date = noon) async throws -> OutboxRow?
        {
            try await store.claim(channel: channel, owner: owner, now: at, lease: .seconds(60))
        }

        private func states() async throws -> [String: OutboxRow.State] {
            let rows = try await store.messages(domain: nil, limit: 99)
            return Dictionary(uniqueKeysWithValues: rows.map { ($0.messageKey, $0.state) })
        }

        @Test("a draft whose key is stored is ignored")
        func idempotent() async throws {
            try await store.enqueue([draft("k1"), draft("k1")])
            let row = try #require(try await claim())
            try await store.markDelivered(row, owner: "me", now: noon, status: 200)
            try await store.enqueue([draft("k1")])
            #expect(try await claim() == nil)
            #expect(try await store.messages(domain: nil, limit: 9).count == 1)
        }

        @Test("messages of a store from before receivers' names were kept are still sent, and keep one from then on")
        func olderSchema() async throws {
            let path = folder.store + ".old"
            let old = try DatabaseQueue(path: path)
            try Schema.migrator.migrate(old, upTo: "1-first")
            try await old.write { database in
                try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
                try database.execute(
                    sql: """
                        INSERT INTO outbox (message_key, incident_id, channel, type, sequence, severity, facts, created_at,
                            not_before, expires_at) VALUES ('k', 'a', 'ops', 'incident.firing', 1, 2, x'7b7d', ?, ?, ?)
                        """,
                    arguments: [noon.milliseconds, noon.milliseconds, (noon + 3600).milliseconds])
            }
            try old.close()
            let store = try Store(path: path)
            let row = try #require(
                try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)))
            #expect(row.reference == nil)
            try await store.markDelivered(row, owner: "me", now: noon, status: 200, reference: "17.1")
            try await store.enqueue([draft("k2", incident: "a", type: .resolved, sequence: 2)])
            let next = try #require(
                try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)))
            #expect(try await store.told(before: next) == Told(reference: "17.1", severity: .error))
            try store.close()
        }

        @Test("within an incident the order is strict, between incidents the more severe goes first, then the older")
        func order() async throws {
            try await store.enqueue([
                draft("warning", incident: "w", severity: .warning, at: noon - 60),
                draft("second", incident: "a", type: .resolved, sequence: 2),
                draft("first", incident: "a"),
                draft("older", incident: "o", at: noon - 30),
                draft("elsewhere", incident: "a", channel: "hook"),
            ])
            var order: [String] = []
            while let row = try await claim() { order.append(row.messageKey) }
            // `second` waits for `first`, which is still with its sender.
            #expect(order == ["older", "first", "warning"])
            let first = try #require(try await store.messages(domain: nil, limit: 9).first { $0.messageKey == "first" })
            try await store.markRetry(
                first, owner: "me", notBefore: noon + 5, counted: true,
                attempt: Attempt(class: "transient", status: 500, error: nil, isUnclear: true))
            #expect(try await claim() == nil)
            #expect(try await claim(at: noon + 5)?.messageKey == "first")
            try await store.markDelivered(first, owner: "me", now: noon + 5, status: 200)
            #expect(try await claim(at: noon + 5)?.messageKey == "second")
            #expect(try await claim("hook")?.messageKey == "elsewhere")
        }

        @Test("a dead or expired message frees the next one", arguments: [true, false])
        func frees(dead: Bool) async throws {
            try await store.enqueue([
                draft("first", life: 10), draft("second", type: .resolved, sequence: 2),
            ])
            let row = try #require(try await claim())
            if dead {
                try await store.markDead(
                    row, owner: "me", now: noon, attempt: Attempt(class: "permanent", status: 400, error: "no"))
            } else {
                try await store.release(row, owner: "me")
                #expect(try await store.markExpired(channel: "ops", now: noon + 10) == 1)
            }
            #expect(try await claim(at: noon + 10)?.messageKey == "second")
            #expect(try await states()["first"] == (dead ? .dead : .expired))
        }

        @Test("a lease that ran out frees the message, and its late owner can mark nothing")
        func leases() async throws {
            try await store.enqueue([draft("k1")])
            let mine = try #require(try await claim(owner: "one"))
            #expect(try await claim(owner: "two", at: noon + 59) == nil)
            let theirs = try #require(try await claim(owner: "two", at: noon + 60))
            #expect(theirs.id == mine.id)
            try await store.markDead(
                mine, owner: "one", now: noon, attempt: Attempt(class: "permanent", status: nil, error: nil))
            #expect(try await states() == ["k1": .leased])
            #expect(try await store.freeze(mine, owner: "one", bytes: Data("late".utf8)) == nil)
        }

        @Test("at a start the leases of former processes are void, one's own are kept")
        func releasesLeases() async throws {
            try await store.enqueue([draft("k1"), draft("k2", incident: "b")])
            _ = try await claim(owner: "former")
            _ = try await claim(owner: "me")
            try await store.releaseLeases(except: "me")
            #expect(try await claim()?.messageKey == "k1")
            #expect(try await claim() == nil)
        }

        @Test(
            "what was being sent when the process ended may have arrived: though its time is over then, its end is owed",
            arguments: ["a new process", "the lease that ran out", "the channel that was gone for a while"])
        func abandoned(by way: String) async throws {
            try await store.enqueue([draft("firing", life: 10)])
            let row = try #require(try await claim(owner: "former"))
            _ = try await store.freeze(row, owner: "former", bytes: Data("sent".utf8))
            switch way {
            case "a new process":
                try await store.releaseLeases(except: "me")
                #expect(try await store.markExpired(channel: "ops", now: noon + 90_000) == 1)
            case "the lease that ran out":
                #expect(try await store.markExpired(channel: "ops", now: noon + 90_000) == 1)
            default:
                #expect(try await store.forgetGone(except: [], at: noon).dropped == 1)
                // It is back under its name.
                #expect(try await store.forgetGone(except: ["ops"], at: noon).dropped == 0)
            }
            var end = draft("end", type: .resolved, sequence: 2)
            end.condition = .isToldOfTrouble
            try await store.enqueue([end])
            #expect(try await states()["end"] == .queued)
        }

        @Test("the bytes of the first attempt stay")
        func freezes() async throws {
            try await store.enqueue([draft("k1")])
            let row = try #require(try await claim())
            #expect(try await store.freeze(row, owner: "me", bytes: Data("one".utf8)) == Data("one".utf8))
            #expect(try await store.freeze(row, owner: "me", bytes: Data("two".utf8)) == Data("one".utf8))
            try await store.markRetry(
                row, owner: "me", notBefore: noon, counted: false,
                attempt: Attempt(class: "throttled", status: 429, error: String(repeating: "x", count: 900)))
            let again = try #require(try await claim())
            #expect(again.frozen == Data("one".utf8))
            #expect(again.attempts == 0)
            #expect(again.lastStatus == 429)
            #expect(again.lastError?.count == 500)
        }

        @Test("a resolve makes a waiting reminder pointless, but no firing")
        func supersedes() async throws {
            try await store.enqueue([draft("firing"), draft("reminder", type: .reminder, sequence: 2)])
            try await store.enqueue([draft("resolved", type: .resolved, sequence: 3, supersedes: [.reminder])])
            #expect(try await states() == ["firing": .queued, "reminder": .superseded, "resolved": .queued])
        }

        @Test("a held channel gives nothing out; the others do")
        func holds() async throws {
            try await store.enqueue([draft("k1"), draft("k2", channel: "hook")])
            try await store.hold(channel: "ops", until: noon + 30, reason: .throttled)
            #expect(try await claim(at: noon + 29) == nil)
            #expect(try await claim("hook")?.messageKey == "k2")
            #expect(try await store.nextDue(channel: "ops", after: noon) == noon + 30)
            try await store.endOwnHolds()
            #expect(try await claim(at: noon + 29) == nil)
            try await store.hold(channel: "ops", until: noon + 300, reason: .refused)
            try await store.endOwnHolds()
            #expect(try await claim(at: noon + 29)?.messageKey == "k1")
        }

        @Test("the next due instant is the earliest of retries, leases and ends; none where nothing is open")
        func due() async throws {
            #expect(try await store.nextDue(channel: "ops", after: noon) == nil)
            try await store.enqueue([draft("k1", at: noon + 40)])
            #expect(try await store.nextDue(channel: "ops", after: noon) == noon + 40)
            #expect(try await store.nextDue(channel: "ops", after: noon + 50) == noon + 50)
            _ = try await claim(at: noon + 40)
            #expect(try await store.nextDue(channel: "ops", after: noon) == noon + 100)
        }

        @Test("a message that waits for an earlier one is not due before it, but ends at its own time")
        func blockedDue() async throws {
            try await store.enqueue([draft("first"), draft("second", type: .resolved, sequence: 2, life: 50)])
            let row = try #require(try await claim())
            try await store.markRetry(
                row, owner: "me", notBefore: noon + 30, counted: true,
                attempt: Attempt(class: "transient", status: 500, error: nil, isUnclear: true))
            #expect(try await store.nextDue(channel: "ops", after: noon) == noon + 30)
            try await store.hold(channel: "ops", until: noon + 600, reason: .throttled)
            #expect(try await store.nextDue(channel: "ops", after: noon) == noon + 50)
        }

        @Test("counts tell channel, state and the oldest")
        func counts() async throws {
            try await store.enqueue([
                draft("k1"), draft("k2", incident: "b", at: noon - 5), draft("k3", channel: "hook"),
            ])
            #expect(
                try await store.outboxCounts() == [
                    OutboxCount(channel: "hook", state: .queued, rows: 1, oldest: noon),
                    OutboxCount(channel: "ops", state: .queued, rows: 2, oldest: noon - 5),
                ])
            #expect(try await store.forgetGone(except: ["ops"], at: noon).dropped == 1)
            #expect(try await states()["k3"] == .dead)
        }

        @Test("the claim goes by the index of open messages")
        func plan() async throws {
            let plan = try await store.read { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN " + Store.nextClaim,
                    arguments: ["channel": "ops", "now": 0, "ripe": "||"]
                ).map { $0["detail"] as String }
            }
            let tables = plan.filter { $0.hasPrefix("SCAN") || $0.hasPrefix("SEARCH") }
            #expect(!tables.isEmpty && tables.allSatisfy { $0.contains("outbox_open") }, "\(plan)")
        }
    }
}
