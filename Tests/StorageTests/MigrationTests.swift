import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    /// Every schema that was ever released must come up to date with all that it holds.
    @Suite("Migrations")
    struct MigrationTests {
        static let released = ["schema-1-first"]

        let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        private func make(_ fixture: String) throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(fixture).sql")
            let queue = try DatabaseQueue(path: folder.store)
            let text = try String(contentsOf: file, encoding: .utf8)
            try queue.writeWithoutTransaction { try $0.execute(sql: text) }
            try queue.close()
        }

        @Test("a store of each released version is read back whole", arguments: released)
        func migrates(fixture: String) async throws {
            try make(fixture)
            #expect(errorOfOpening(folder.store, readOnly: true)?.code == .olderSchema)
            let store = try Store(path: folder.store)
            let domain = try Domain("example.com")
            let state = try #require(try await store.state(of: domain))
            #expect(state.lastCheckedAt == noon)
            #expect(state.open[.cdnStale]?.confirmations == 2)
            #expect(state.open[.cdnStale]?.incident.id == "a1")
            #expect(state.originPeriods.map(\.lastSeen) == [noon + 60])
            let run = try #require(try await store.observations(of: domain, limit: 9).first)
            #expect(run.count == 2)
            #expect(run.lastAt == noon + 60)
            #expect(run.observation.origin.answer?.status == 200)
            #expect(try await store.body(ContentHash(hex: "hash-of-{}")) == Data("{}".utf8))
            #expect(try await store.incident(id: "a1")?.state == .firing)
            let messages = try await store.messages(domain: domain, limit: 9)
            #expect(Set(messages.map(\.messageKey)) == ["k1", "k2"])
            #expect(messages.first { $0.messageKey == "k1" }?.frozen == Data("frozen".utf8))
            // The channel is still held; after that the message goes out.
            #expect(try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)) == nil)
            let claimed = try await store.claim(channel: "ops", owner: "me", now: noon + 6, lease: .seconds(60))
            #expect(claimed?.id == 3)
            #expect(claimed?.attempts == 1)
            // The next check goes on where the last one ended.
            var next = state
            next.lastCheckedAt = noon + 120
            try await store.commit(CheckRecord(observation: try observation(at: noon + 120), state: next))
            #expect(try await store.observations(of: domain, limit: 9).map(\.count) == [3])
            #expect(try await store.state(of: domain) == next)
            #expect(try await store.faults() == [])
        }

        @Test("a store of the first version can give pages back afterwards", arguments: released)
        func shrinks(fixture: String) async throws {
            try make(fixture)
            let store = try Store(path: folder.store)
            #expect(try await store.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 2)
        }

        @Test("what a store of today has is what one that was migrated has", arguments: released)
        func sameSchema(fixture: String) async throws {
            @Sendable func schema(_ database: Database) throws -> [String] {
                try String.fetchAll(
                    database, sql: "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY name"
                )
                .filter { !$0.contains("grdb_migrations") }
                .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            }
            try make(fixture)
            let migrated = try Store(path: folder.store)
            let fresh = try Store(path: folder.path + "/fresh.db")
            #expect(try await migrated.read(schema) == fresh.read(schema))
        }
    }
}
