import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

/// Whether this SQLite has the table of what is compiled. https://www.sqlite.org/stmt.html
private func tellsOfStatements() throws -> Bool {
    try DatabaseQueue().read {
        try Bool.fetchOne($0, sql: "SELECT sqlite_compileoption_used('ENABLE_STMTVTAB')") == true
    }
}

extension StorageSuite {
    @Suite("Compiled once", .enabled("SQLite tells of its statements", { try tellsOfStatements() }))
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
            // Two of them, so that their messages become one.
            let troubles = try (0..<2).map { try incident("incident\(number) \($0)", domain: name) }
            for step in 0..<3 {
                let now = noon + Double(number * 100 + step)
                var domain = try state(name, at: now)
                domain.begun = number
                let type = [EventType.firing, .reminder, .resolved][step]
                let drafts = troubles.map { trouble in
                    draft(
                        "key \(trouble.id) \(step)", incident: trouble.id, type: type, sequence: step, at: now,
                        supersedes: step == 2 ? [.reminder] : [])
                }
                try await store.commit(
                    CheckRecord(
                        observation: try observation(name, at: now, body: "\(number) \(step)"), state: domain,
                        incidents: troubles, outbox: drafts))
            }
            let rules = ClaimRules(
                groupWait: .zero, tellsUnsaidEnds: true, mostQueued: 1000, digestKey: { $0.joined() })
            while let row = try await store.claim(
                channel: "ops", owner: "me", now: noon + 1_000_000, lease: .seconds(60), rules: rules)
            {
                #expect(row.digest != nil)
                _ = try await store.freeze(row, owner: "me", bytes: Data("bytes \(number)".utf8))
                try await store.markDelivered(row, owner: "me", now: noon + 1_000_000, status: 200)
            }
            _ = try await store.markExpired(channel: "ops", now: noon + 1_000_000)
        }

        @Test("a check and a delivery are compiled once, and not at each call")
        func once() async throws {
            for number in 0..<5 { try await story(number) }
            let compiled = try await compiled()
            for beginning in [
                "INSERT INTO domain ", "INSERT INTO observation ", "INSERT INTO outbox ", "SELECT o.id FROM",
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
            // A body that is not there: the row that names it is refused.
            await #expect(throws: StoreError.self) {
                try await store.write { database in
                    try database.execute(
                        cached: "INSERT INTO observation_body (observation_id, sha256) VALUES (?, ?)",
                        arguments: [1, "no such body"])
                }
            }
            try await story(1)
            #expect(try await store.outboxCounts().allSatisfy { $0.state != .queued })
            #expect(try await store.faults() == [])
        }
    }
}
