import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Retention")
    struct RetentionTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func pages(_ what: String) async throws -> Int {
            try await store.read { try Int.fetchOne($0, sql: "PRAGMA \(what)") ?? -1 }
        }

        @Test("the pages of what was removed are given back")
        func givesBack() async throws {
            for index in 0..<60 {
                let body = "\(index)" + String(repeating: "x", count: 100_000)
                try await store.commit(
                    CheckRecord(observation: observation(at: noon + Double(index), body: body), state: state()))
            }
            let full = try await pages("page_count")
            try await store.prune(now: noon + 86400 * 2, keepObservations: .seconds(86400))
            #expect(try await store.observations(of: Domain("example.com"), limit: 99).count == 1)
            #expect(try await pages("freelist_count") <= Store.spareFreePages)
            #expect(try await pages("page_count") < full / 3)
            try store.close()
            let size = try FileManager.default.attributesOfItem(atPath: folder.store)[.size] as? Int ?? .max
            #expect(size < full * 4096 / 3)
            #expect(try await Store(path: folder.store, readOnly: true).faults() == [])
        }

        @Test("a body goes with the last observation that names it, and not before")
        func bodies() async throws {
            try await store.commit(CheckRecord(observation: observation(at: noon, body: "shared"), state: state()))
            try await store.commit(
                CheckRecord(observation: observation("b.example.com", at: noon + 3600, body: "shared"), state: state()))
            try await store.commit(
                CheckRecord(observation: observation(at: noon + 60, body: "new"), state: state()))
            try await store.commit(
                CheckRecord(observation: observation("b.example.com", at: noon + 7200, body: "new"), state: state()))
            try await store.prune(now: noon + 3600, keepObservations: .seconds(1800))
            #expect(try await store.body(ContentHash(hex: "hash-of-shared")) != nil)
            try await store.prune(now: noon + 7200, keepObservations: .seconds(1800))
            #expect(try await store.body(ContentHash(hex: "hash-of-shared")) == nil)
            #expect(try await store.body(ContentHash(hex: "hash-of-new")) != nil)
        }

        @Test("a long run that is still going is kept, however long ago it began")
        func longRun() async throws {
            for day in 0..<40 {
                try await store.commit(
                    CheckRecord(observation: observation(at: noon + 86400 * Double(day)), state: state()))
            }
            try await store.commit(
                CheckRecord(observation: observation(at: noon + 86400 * 40, body: "new"), state: state()))
            try await store.prune(now: noon + 86400 * 41, keepObservations: .seconds(86400 * 30))
            #expect(try await store.observations(of: Domain("example.com"), limit: 9).map(\.count) == [1, 40])
        }

        @Test("open messages and open incidents stay for ever")
        func open() async throws {
            try await store.commit(
                CheckRecord(
                    observation: nil, state: state(), incidents: [incident()],
                    outbox: [draft("open"), draft("b", incident: "b")]))
            try await store.write {
                try $0.execute(sql: "UPDATE outbox SET state = 'dead', settled_at = 5 WHERE message_key = 'b'")
            }
            try await store.prune(now: noon + 86400 * 4000, keepObservations: .seconds(86400))
            #expect(try await store.messages(domain: nil, limit: 9).map(\.messageKey) == ["open"])
            #expect(try await store.incidents(domain: nil, limit: 9).count == 1)
        }

        /// What each of these asks is asked at each check, each delivery, or over all rows that there are.
        @Test(
            "a query that is asked often, or of a large table, goes by an index",
            arguments: [
                (Store.stateOfDomain, ["sqlite_autoindex_domain_1", "SEARCH r USING PRIMARY KEY"], [String]()),
                (Store.overview, ["observation_by_time"], ["d"]), (Store.nextClaim, ["outbox_open"], []),
                (Store.agedRuns, ["observation_by_age", "observation_of_domain"], []),
                (Store.agedHeaders, ["cdn_header_by_age"], []),
                (Store.settledMessages, ["outbox_settled"], []), (Store.endedIncidents, ["incident_ended"], []),
                (Store.unnamedBodies, ["observation_body_of_body"], ["b"]),
                (
                    "SELECT id FROM observation WHERE domain = ? AND vantage = ? AND depth = ? ORDER BY id DESC LIMIT 1",
                    ["observation_of_domain"], []
                ),
                (
                    "SELECT facts FROM observation WHERE domain = ? ORDER BY first_at DESC, id DESC LIMIT ?",
                    ["observation_by_time"], []
                ),
                ("SELECT id FROM outbox WHERE message_key = ?", ["sqlite_autoindex_outbox_1"], []),
            ])
        func plans(query: String, indexes: [String], scanned: [String]) async throws {
            let plan = try await store.read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + query.replacing(/:[a-z]+|\?/, with: "1"))
                    .map { $0["detail"] as String }
            }
            for index in indexes { #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)") }
            // A SCAN reads all rows of a table; where the question is about all of them, that is as it should be.
            let scans = plan.filter { $0.hasPrefix("SCAN") && !$0.contains("CONSTANT") }
            #expect(scans.count == scanned.count, "\(plan)")
            for table in scanned { #expect(scans.contains { $0.hasPrefix("SCAN \(table)") }, "\(plan)") }
            #expect(!plan.contains { $0.contains("AUTOMATIC") }, "\(plan)")
        }
    }
}
