import Evidence
import Foundation
import Testing

@testable import Monitoring
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
            try await store.commit(Evaluation(state: try state(name, at: at)))
        }

        /// A channel with a message that may be sent at this instant.
        private func message(_ channel: String = "ops", at instant: Date, heldUntil: Date? = nil) async throws {
            try await store.transact(channel: channel) { transaction in
                var record = ChannelRecord(name: channel, type: "webhook")
                record.cursor = try transaction.latestChange()
                record.hold = heldUntil.map { .init(until: $0, reason: .failing) }
                try transaction.save(record)
                _ = try transaction.insert(StorageTests.message(retryAt: instant))
            }
        }

        private func stall(
            since last: WorkProgress, at now: Date, channels: Set<String> = ["ops", "chat"]
        ) async throws -> WorkProgress.Stall? {
            try await store.progress(now: now).stall(since: last, now: now, channels: channels)
        }

        @Test("any check counts as progress, including the first one; without checks there is none")
        func checks() async throws {
            let empty = try await store.progress(now: noon)
            #expect(try await stall(since: empty, at: noon) == .checks)
            try await check("a.test", at: noon)
            try await check("b.test", at: noon)
            #expect(try await stall(since: empty, at: noon) == nil)
            let mark = try await store.progress(now: noon)
            #expect(try await stall(since: mark, at: noon + 300) == .checks)
            try await check("b.test", at: noon + 10)
            #expect(try await stall(since: mark, at: noon + 300) == nil)
        }

        @Test("a due message that nobody tries is a stall of its own channel")
        func overdue() async throws {
            try await message(at: noon)
            try await message("chat", at: noon + 500)
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await stall(since: mark, at: noon + 120) == nil)
            #expect(try await stall(since: mark, at: noon + 121) == .delivery(channels: ["ops"]))
            #expect(try await stall(since: mark, at: noon + 621) == .delivery(channels: ["chat", "ops"]))
        }

        @Test("a held channel is overdue only some time after its hold ended")
        func held() async throws {
            try await message(at: noon, heldUntil: noon + 3600)
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await stall(since: mark, at: noon + 3720) == nil)
            #expect(try await stall(since: mark, at: noon + 3721) == .delivery(channels: ["ops"]))
        }

        @Test("due messages of a removed channel are not a stall, and count nowhere as pending")
        func removedChannel() async throws {
            try await store.commit(try incident())
            try await store.ops { channel in
                try channel.save(ChannelRecord(name: "ops", type: "webhook"))
                var row = NotificationRecord(incidentID: "a1")
                row.pendingSince = noon
                row.dueAt = noon
                try channel.save(row, of: try incident())
            }
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await stall(since: mark, at: noon + 600) == .delivery(channels: ["ops"]))
            #expect(try await stall(since: mark, at: noon + 600, channels: ["chat"]) == nil)
            #expect(try await store.pendingNotifications(of: { $0 == "ops" }).map(\.count) == [1])
            #expect(try await store.pendingNotifications(of: { $0 == "chat" }).isEmpty)
        }

        @Test("a due notification that nobody processes is a stall, even in a held channel")
        func dueNotification() async throws {
            try await store.commit(try incident())
            try await store.ops { channel in
                var record = ChannelRecord(name: "ops", type: "webhook")
                record.hold = .init(until: noon + 3600, reason: .failing)
                try channel.save(record)
                var row = NotificationRecord(incidentID: "a1")
                row.dueAt = noon
                try channel.save(row, of: try incident())
            }
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(try await stall(since: mark, at: noon + 121) == .delivery(channels: ["ops"]))
        }

        @Test("a loop that does not follow the changes is a stall, for running channels")
        func behind() async throws {
            try await store.commit(try incident())
            try await store.ops { channel in
                var record = ChannelRecord(name: "ops", type: "webhook")
                record.cursor = try channel.latestChange()
                try channel.save(record)
            }
            try await store.transact(channel: "feed") { try $0.save(ChannelRecord(name: "feed", type: "alertmanager")) }
            let start = try await store.progress(now: noon)
            try await store.commit(try incident())
            try await check(at: noon + 10)
            let mark = try await store.progress(now: noon + 10)
            #expect(mark.stall(since: start, now: noon + 10, channels: ["ops"]) == nil, "it may still follow")
            try await check(at: noon + 20)
            #expect(try await stall(since: mark, at: noon + 20, channels: ["ops"]) == .delivery(channels: ["ops"]))
            #expect(try await stall(since: mark, at: noon + 20, channels: ["chat"]) == nil, "ops was removed")
            #expect(try await stall(since: mark, at: noon + 20, channels: ["feed"]) == nil, "no changes")
            try await message(at: noon + 900)
            #expect(try await stall(since: mark, at: noon + 20, channels: ["ops"]) == nil)
        }

        /// The state of a firing incident at each of two channels: `p`ending, `t`rouble with it pending, `r`efused
        /// permanently, `k`nown, `s`ilenced, silenced after it `w`as pending, or `-`. For an Alertmanager: `W`orking or
        /// in `T`rouble.
        @Test(
            "an incident that no working channel takes is a stall; a silenced one is not",
            arguments: [
                ("t-", true), ("tt", true), ("r-", true), ("rt", true), ("p-", false), ("tp", false), ("tk", false),
                ("rk", false), ("s-", false), ("w-", false), ("--", false), ("-T", true), ("tT", true), ("kT", false),
                ("-W", false), ("tW", false),
            ])
        func undeliveredIncident(_ channels: String, _ isUntold: Bool) async throws {
            let firing = try incident()
            try await store.commit(firing)
            for (name, letter) in zip(["ops", "chat"], channels) {
                try await store.transact(channel: name) { channel in
                    var record = ChannelRecord(name: name, type: "TW".contains(letter) ? "alertmanager" : "webhook")
                    if "twT".contains(letter) { record.trouble = .init(state: .degraded, since: noon, error: "502") }
                    record.cursor = try channel.latestChange()
                    try channel.save(record)
                    guard record.type == "webhook" else { return }
                    var row = NotificationRecord(incidentID: "a1")
                    switch letter {
                    case "p", "t": (row.pendingSince, row.reason) = (noon, .firing)
                    case "r": row.refused = .init(version: firing.version, at: noon)
                    case "k": row.state = .firing
                    case "s": (row.pendingSince, row.isHeld) = (noon, true)
                    case "w": (row.pendingSince, row.dueAt) = (noon, noon + 9000)
                    default: break
                    }
                    try channel.save(row, of: firing)
                }
            }
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 10)
            #expect(
                try await stall(since: mark, at: noon + 600) == (isUntold ? .undeliveredIncident(incident: "a1") : nil))
        }

        @Test(
            "a long queue with deliveries or failed attempts is progress",
            arguments: [DeliveryRecord.Outcome.delivered, .refused, .abandoned, nil])
        func workedOff(outcome: DeliveryRecord.Outcome?) async throws {
            try await message(at: noon)
            let mark = try await store.progress(now: noon)
            try await check(at: noon + 600)
            #expect(try await stall(since: mark, at: noon + 600) == .delivery(channels: ["ops"]))
            try await store.ops { channel in
                if let outcome { return try channel.log(delivery(at: noon + 599, outcome: outcome)) }
                var message = try #require(try channel.messages().first)
                message.attempts += 1
                try channel.update(message)
            }
            #expect(try await stall(since: mark, at: noon + 600) == nil)
        }
    }
}
