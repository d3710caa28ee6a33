import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

/// Whether this SQLite has the table of what is compiled. https://www.sqlite.org/stmt.html
private func listsStatements() throws -> Bool {
    try DatabaseQueue().read {
        try Bool.fetchOne($0, sql: "SELECT sqlite_compileoption_used('ENABLE_STMTVTAB')") == true
    }
}

extension StorageSuite {
    @Suite("Compiled once", .enabled("SQLite lists its statements", { try listsStatements() }))
    struct CompiledOnceTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        /// What the writer keeps compiled: how often each text was run.
        private func compiled() async throws -> [String: Int] {
            try await store.pool.writeWithoutTransaction { database in
                let rows = try Row.fetchAll(
                    database, sql: "SELECT sql, run FROM sqlite_stmt WHERE sql NOT LIKE '%sqlite_stmt%'")
                return Dictionary(rows.map { ($0["sql"], $0["run"]) }, uniquingKeysWith: +)
            }
        }

        /// A site's trouble from its first check to the delivery of its end, with data of its own.
        private func story(_ number: Int) async throws {
            let name = "site\(number).test"
            for step in 0..<3 {
                let now = noon + Double(number * 100 + step)
                let troubles = try (0..<2).map {
                    try incident("\(number)-\($0)", domain: name, state: step == 2 ? .resolved : .firing)
                }
                try await store.commit(
                    Evaluation(
                        state: DomainState(domain: Domain(name), begun: number),
                        changes: troubles.map { IncidentChange($0, facts: "\(now)") }),
                    of: try observation(name, at: now, body: "\(number) \(step)"))
                try await store.ops { try Self.turn($0, reason: step == 2 ? .resolved : .firing, at: now) }
            }
        }

        /// One turn of a channel's loop: follow the changes, send a group in one message.
        private static func turn(_ channel: ChannelTransaction, reason: NotificationReason, at now: Date) throws {
            var record = try channel.record() ?? ChannelRecord(name: channel.channel, type: "webhook")
            let changed = try channel.incidents(changedAfter: record.cursor, limit: 100)
            var known = try channel.notifications(changed.map(\.incident.id))
            for change in changed {
                var row = known[change.incident.id] ?? NotificationRecord(incidentID: change.incident.id)
                (row.reason, row.pendingSince) = (reason, now)
                try channel.save(row, of: change.incident)
            }
            record.cursor = try channel.latestChange()
            try channel.save(record)
            let group = try #require(try channel.pendingGroups().first)
            let members = try channel.pending(group.group, limit: 9)
            var message = MessageRecord(
                key: "\(now)", reason: reason, kind: group.group.kind, body: Data("\(now)".utf8),
                members: members.map { member($0.incidentID) }, createdAt: now, retryAt: now)
            message = try channel.insert(message)
            message.isUnclear = true
            try channel.update(message)
            try channel.pace(group.group, lastAt: now, largest: nil)
            known = try channel.notifications(members.map(\.incidentID))
            for change in changed {
                try channel.log(delivery(incident: change.incident.id, at: now))
                var row = try #require(known[change.incident.id])
                (row.reason, row.pendingSince, row.version) = (nil, nil, 1)
                try channel.save(row, of: change.incident)
            }
            try channel.delete(message)
        }

        @Test("a check and a delivery are compiled once, and not at each call")
        func once() async throws {
            for number in 0..<5 { try await story(number) }
            let compiled = try await compiled()
            for beginning in [
                "INSERT INTO domain ", "INSERT INTO body ", "INSERT INTO incident ", "INSERT INTO notification ",
                "INSERT INTO meta ", "SELECT * FROM notification WHERE channel = ? AND incident_id IN",
            ] {
                let runs = compiled.filter { $0.key.hasPrefix(beginning) }.values
                #expect(runs.count == 1 && runs.allSatisfy { $0 >= 5 }, "\(beginning): \(compiled)")
            }
        }

        @Test("what is kept compiled does not grow with the data")
        func bounded() async throws {
            for number in 0..<3 { try await story(number) }
            let before = try await compiled().keys.sorted()
            for number in 3..<12 { try await story(number) }
            #expect(try await compiled().keys.sorted() == before)
        }

        @Test("a statement that failed can be run again")
        func failed() async throws {
            try await story(0)
            // A domain that is not there: the row that names it is refused.
            await #expect(throws: StoreError.self) {
                try await store.write { database in
                    try database.execute(
                        cached: "INSERT INTO domain_key (key, name) VALUES (?, ?)",
                        arguments: ["key", "no such domain"])
                }
            }
            try await story(1)
            #expect(try await store.pendingNotifications().isEmpty)
            #expect(try await store.faults() == [])
        }
    }
}
