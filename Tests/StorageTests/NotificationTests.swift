import Evidence
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Notifications")
    struct NotificationTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        /// Stores incidents, and the `ops` channel's records of them.
        private func save(_ records: NotificationRecord..., severity: Severity = .error) async throws {
            for record in records {
                let incident = try incident(record.incidentID, severity: severity)
                try await store.commit(incident)
                try await store.ops { try $0.save(record, of: incident) }
            }
        }

        @Test("a notification is read back complete, and an empty one leaves no row")
        func roundTrip() async throws {
            var record = pending("a1", .wasFiring, since: noon + 3)
            (record.state, record.version, record.notifiedAt, record.maybeDelivered) = (.firing, 3, noon, true)
            (record.acknowledgedAt, record.refused) = (noon + 1, .init(version: 2, at: noon + 2))
            (record.count, record.reference, record.dueAt, record.messageID) = (4, "ts.1", noon + 4, 5)
            (record.isHeld, record.releasedAt) = (true, noon + 6)
            try await save(pending("b", since: noon), record)
            try await save(record)
            #expect(try await store.ops { try $0.notification("a1") } == record)
            #expect(try await store.ops { try $0.notifications(["a1", "c"]) } == ["a1": record])
            #expect(try await store.inspect(channel: "two") { try $0.notification("a1") } == nil)
            try await save(NotificationRecord(incidentID: "a1"))
            #expect(try await store.rows("notification") == 1)
        }

        @Test("a channel is read back complete")
        func channels() async throws {
            #expect(try await store.ops { try $0.record() } == nil)
            var record = ChannelRecord(name: "ops", type: "slack")
            try await store.ops { [record] in try $0.save(record) }
            (record.cursor, record.failures, record.refusals, record.refusedMessages) = (9, 2, 3, 4)
            record.hold = .init(until: noon, reason: .throttled)
            record.trouble = .init(state: .disabled, since: noon + 1, error: "401")
            (record.throttledSince, record.refusalsLiftedAt) = (noon + 2, noon + 3)
            try await store.ops { [record] in try $0.save(record) }
            #expect(try await store.ops { try $0.record() } == record)
            try await store.transact(channel: "chat") { try $0.save(ChannelRecord(name: "chat", type: "webhook")) }
            #expect(try await store.channelRecords().map(\.name) == ["chat", "ops"])
        }

        @Test(
            "`deliveries retry` ends only the monitor's own throttle, not other holds",
            arguments: [(ChannelRecord.Hold.Reason.throttled, true), (.refused, false), (.failing, false)])
        func endHold(reason: ChannelRecord.Hold.Reason, isHeld: Bool) async throws {
            #expect(try await store.endHold(channel: "ops", now: noon) == nil)
            var record = ChannelRecord(name: "ops", type: "webhook")
            record.hold = .init(until: noon + 100, reason: reason)
            let held = record
            try await store.ops { try $0.save(held) }
            record.refusalsLiftedAt = noon
            if !isHeld { record.hold = nil }
            #expect(try await store.endHold(channel: "ops", now: noon) == record)
            #expect(try await store.ops { try $0.record() } == record)
        }

        @Test("an unreadable channel row counts as missing")
        func unreadableChannel() async throws {
            let record = ChannelRecord(name: "ops", type: "webhook")
            try await store.ops { try $0.save(record) }
            _ = try await store.write { try $0.execute(sql: "UPDATE channel SET trouble = '{\"state\": 1}'") }
            #expect(try await store.endHold(channel: "ops", now: noon) == nil)
            try await store.ops { try $0.save(record) }
            #expect(try await store.endHold(channel: "ops", now: noon) != nil)
        }

        @Test("a requested retry does not wait for group_interval")
        func retried() async throws {
            let group = NotificationGroup(kind: .cdnStale, reason: .firing)
            try await save(pending("a1"))
            for name in ["ops", "chat"] {
                try await store.transact(channel: name) { channel in
                    try channel.save(ChannelRecord(name: name, type: "webhook"))
                    try channel.save(pending("a1"), of: try incident())
                    try channel.pace(group, lastAt: noon)
                }
            }
            #expect(try await store.retry(channel: "none", now: noon) == nil)
            #expect(try await store.retry(channel: "ops", now: noon)?.pending == 1)
            for (name, lastAt) in [("ops", nil), ("chat", noon)] as [(String, Date?)] {
                let groups = try await store.inspect(channel: name) { try $0.pendingGroups() }
                #expect(groups.map(\.lastAt) == [lastAt], "\(name)")
            }
        }

        @Test("forgetting a channel deletes all its data, and nothing of other channels")
        func forgets() async throws {
            try await save(pending("a1"))
            for name in ["ops", "chat"] {
                try await store.transact(channel: name) { channel in
                    try channel.save(ChannelRecord(name: name, type: "webhook"))
                    var row = pending("a1")
                    row.messageID = try channel.insert(message()).id
                    try channel.save(row, of: try incident())
                    try channel.pace(
                        NotificationGroup(kind: .cdnStale, reason: .firing), lastAt: noon)
                    try channel.log(delivery(channel: name))
                }
            }
            try await store.ops { try $0.forget() }
            for table in ["notification", "message", "notification_group", "channel", "delivery"] {
                let left = table == "delivery" ? 2 : 1
                #expect(try await store.rows(table) == left, "\(table)")
            }
            #expect(try await store.ops { try $0.messages() } == [])
            #expect(try await store.inspect(channel: "chat") { try $0.notification("a1") } != nil)
        }

        @Test("due notifications are sorted by time, without those that are already in a message")
        func due() async throws {
            var records: [NotificationRecord] = []
            for (id, seconds) in [("c", 10.0), ("b", 30), ("a", 10), ("d", 40), ("e", nil)] as [(String, Double?)] {
                var record = pending(id)
                record.dueAt = seconds.map { noon + $0 }
                if id == "d" { record.messageID = 1 }
                records.append(record)
                try await save(record)
            }
            func due(_ seconds: Double, limit: Int = 9) async throws -> [String] {
                try await store.ops { try $0.due(by: noon + seconds, limit: limit) }.map(\.incidentID)
            }
            #expect(try await due(9) == [])
            #expect(try await due(10) == ["a", "c"])
            #expect(try await due(10, limit: 1) == ["a"])
            #expect(try await due(99) == ["a", "c", "b"])
            #expect(try await store.ops { try $0.nextDue() } == noon + 10)
            #expect(try await store.inspect(channel: "chat") { try $0.nextDue() } == nil)
        }

        @Test("open notifications are read in pages, without those that are only known")
        func open() async throws {
            var known = NotificationRecord(incidentID: "a")
            known.version = 1
            var due = NotificationRecord(incidentID: "b")
            due.dueAt = noon
            var sent = NotificationRecord(incidentID: "c")
            sent.messageID = 1
            try await save(known, due, sent, pending("d"))
            func page(_ id: String) async throws -> [String] {
                try await store.ops { try $0.openNotifications(after: id, limit: 2) }.map(\.incidentID)
            }
            #expect(try await page("") == ["b", "c"])
            #expect(try await page("c") == ["d"])
            #expect(try await page("d") == [])
        }

        @Test("pending notifications form groups by kind and reason, the most severe first")
        func groups() async throws {
            try await save(pending("a", since: noon + 5), pending("b", since: noon + 1), severity: .warning)
            try await save(pending("c", since: noon + 9), pending("d", .resolved), severity: .error)
            var inMessage = pending("e")
            inMessage.messageID = 1
            try await save(inMessage)
            let global = globalIncident()
            try await store.commit(GlobalEvaluation(state: GlobalState(), changes: [IncidentChange(global)]))
            let firing = NotificationGroup(kind: .cdnStale, reason: .firing)
            try await store.ops { channel in
                try channel.save(pending(global.id, since: noon + 7), of: global)
                try channel.pace(firing, lastAt: noon)
                try channel.pace(firing, lastAt: noon + 2)
                let groups = try channel.pendingGroups().sorted { $0.since < $1.since }
                #expect(
                    groups == [
                        PendingGroup(
                            group: NotificationGroup(kind: .cdnStale, reason: .resolved), since: noon, count: 1,
                            severity: .error, lastAt: nil),
                        PendingGroup(
                            group: firing, since: noon + 1, count: 3, severity: .error, lastAt: noon + 2),
                        PendingGroup(
                            group: NotificationGroup(kind: .cdnWide, reason: .firing), since: noon + 7, count: 1,
                            severity: .error, lastAt: nil),
                    ])
                #expect(try channel.pending(firing, limit: 9).map(\.incidentID) == ["c", "b", "a"])
                #expect(try channel.pending(firing, limit: 2).map(\.incidentID) == ["c", "b"])
            }
            #expect(try await store.inspect(channel: "chat") { try $0.pendingGroups() } == [])
        }

        @Test("incidents that a removed channel still knows as firing, or may know")
        func unended() async throws {
            let states: [(String, NotificationRecord.State, maybeDelivered: Bool)] = [
                ("a", .firing, false), ("b", .resolved, false), ("c", .nothing, true), ("d", .nothing, false),
                ("e", .resolved, true),
            ]
            for (id, state, maybeDelivered) in states {
                var record = pending(id)
                (record.state, record.maybeDelivered) = (state, maybeDelivered)
                try await save(record)
            }
            let found = try await store.unendedNotifications(channel: "ops").map(\.incident.id)
            #expect(found == ["a", "c", "e"])
            #expect(try await store.unendedNotifications(channel: "none").isEmpty)
        }
    }

    @Suite("Messages and deliveries")
    struct MessageTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        @Test("a message is read back with its members in order, and is updated with each attempt")
        func roundTrip() async throws {
            var sent = MessageRecord(
                key: String(repeating: "f", count: 64), reason: .again, kind: .originBroken, body: Data([0, 255]),
                members: (0..<30).map { member("i\(30 - $0)", version: $0, acknowledgedAt: $0 == 2 ? noon : nil) }
                    + [.init(incidentID: "x", version: 1, state: .resolved, acknowledgedAt: nil)],
                createdAt: noon + 1, retryAt: noon + 2)
            sent.isRepeat = true
            let unsent = sent
            sent = try await store.ops { try $0.insert(unsent) }
            #expect(sent.id > 0)
            var expected = unsent
            expected.id = sent.id
            #expect(sent == expected)
            #expect(try await store.ops { try $0.messages() } == [sent])
            (sent.attempts, sent.retryAt, sent.isUnclear, sent.isPlain) = (3, noon + 9, true, true)
            sent.body = Data("plain".utf8)
            let tried = sent
            try await store.ops { try $0.update(tried) }
            #expect(try await store.ops { try $0.messages() } == [tried])
            // Another channel cannot change it.
            try await store.transact(channel: "chat") { try $0.delete(tried) }
            #expect(try await store.inspect(channel: "chat") { try $0.messages() } == [])
            #expect(try await store.ops { try $0.messages() } == [tried])
            try await store.ops { try $0.delete(tried) }
            #expect(try await store.rows("message") == 0)
        }

        @Test("messages are sorted by next attempt, and no ID is given twice")
        func order() async throws {
            try await store.ops { channel in
                for (key, seconds) in [("late", 9.0), ("first", 1), ("second", 1)] {
                    _ = try channel.insert(message(key, of: [key], retryAt: noon + seconds))
                }
                let messages = try channel.messages()
                #expect(messages.map(\.key) == ["first", "second", "late"])
                #expect(messages.map { $0.members.map(\.incidentID) } == [["first"], ["second"], ["late"]])
                for message in messages { try channel.delete(message) }
                #expect(try channel.insert(message()).id == 4)
            }
        }

        @Test("the log is read by channel, incident and domain, newest first")
        func deliveries() async throws {
            try await store.commit(try incident("a1", domain: "a.test"))
            try await store.commit(try incident("b1", domain: "b.test"))
            let failed = delivery(
                "3", channel: "chat", incident: "b1", outcome: .refused, status: nil,
                error: String(repeating: "x", count: 900))
            let all = [
                delivery("1"), delivery("2", channel: "chat"), failed, delivery("4", incident: "b1", at: noon + 1),
            ]
            for delivery in all { try await store.ops { try $0.log(delivery) } }
            func keys(_ channel: String? = nil, _ incident: String? = nil, _ domain: String? = nil) async throws
                -> String
            {
                try await store.deliveries(
                    channel: channel, incident: incident, domain: domain.map { try Domain($0) }, limit: 9
                ).map(\.key).joined()
            }
            #expect(try await keys() == "4321")
            #expect(try await keys("ops") == "41")
            #expect(try await keys(nil, "a1") == "21")
            #expect(try await keys("chat", "a1") == "2")
            #expect(try await keys(nil, nil, "b.test") == "43")
            #expect(try await keys("chat", nil, "b.test") == "3")
            #expect(try await keys("none") == "")
            #expect(try await store.deliveries(limit: 1).map(\.key) == ["4"])
            for (channel, incident, domain) in [
                (nil, nil, nil), ("chat", nil, nil), (nil, "a1", nil), (nil, nil, "b.test"),
            ]
                as [(String?, String?, String?)]
            {
                var pages: [String] = []
                var after: DeliveryPlace?
                repeat {
                    let page = try await store.deliveries(
                        channel: channel, incident: incident, domain: domain.map { try Domain($0) }, after: after,
                        limit: 1)
                    pages += page.map(\.key)
                    after = page.last.flatMap { DeliveryPlace(DeliveryPlace($0).text) }
                } while after != nil
                #expect(try await keys(channel, incident, domain) == pages.joined())
            }
            var stored = try #require(try await store.sentMessage(named: "3")?.deliveries.first)
            #expect(stored.error?.count == 500)
            stored.id = 0
            #expect(stored == failed)
        }

        @Test("pending notifications are counted by channel, including those in a message")
        func counts() async throws {
            #expect(try await store.pendingNotifications() == [])
            for id in ["a", "b", "c"] { try await store.commit(try incident(id)) }
            try await store.ops { channel in
                try channel.save(pending("a", since: noon + 5), of: try incident("a"))
                var inMessage = pending("b", since: noon + 9)
                inMessage.messageID = try channel.insert(message(of: ["b"])).id
                try channel.save(inMessage, of: try incident("b"))
                var known = NotificationRecord(incidentID: "c")
                (known.version, known.dueAt) = (1, noon)
                try channel.save(known, of: try incident("c"))
            }
            try await store.transact(channel: "chat") { try $0.save(pending("c"), of: try incident("c")) }
            #expect(
                try await store.pendingNotifications() == [
                    PendingCount(channel: "chat", count: 1, since: noon),
                    PendingCount(channel: "ops", count: 2, since: noon),
                ])
        }
    }
}
