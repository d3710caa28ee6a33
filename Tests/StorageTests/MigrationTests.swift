import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    /// A store as the last version of each format left it, in Fixtures, is carried on for ever.
    @Suite("Migrations")
    struct MigrationTests {
        let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        /// Makes a store of an earlier format.
        private func make(format: Int = 22) throws {
            let fixture = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Fixtures/format-\(format).sql")
            let queue = try DatabaseQueue(path: folder.store)
            try queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA journal_mode = WAL")
                try $0.execute(sql: String(contentsOf: fixture, encoding: .utf8))
            }
            try queue.close()
        }

        private var former: String { FormerStore.path(folder.store) }

        private func version(of path: String) throws -> Int {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.read(Schema.version)
        }

        /// Columns, indexes and triggers by table.
        private func shape(_ path: String) throws -> [String: [String]] {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.read { database in
                var shape: [String: [String]] = [:]
                for table in try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'") {
                    shape[table] =
                        try Row.fetchAll(database, sql: "SELECT * FROM pragma_table_info(?)", arguments: [table])
                        .map {
                            "\($0["name"] as String) \($0["type"] as String) \($0["notnull"] as Int) \($0["pk"] as Int)"
                        }
                        + String.fetchAll(
                            database,
                            sql: "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND type <> 'table' AND sql > ''",
                            arguments: [table]
                        ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.sorted()
                }
                return shape
            }
        }

        @Test("each format has its step, up to this one")
        func steps() {
            #expect(Migration.all.map(\.version) == Array(Migration.versions.map { $0 + 1 }))
        }

        @Test("a store of an earlier format has the tables of a new one, and all that it knew")
        func migrates() async throws {
            try make()
            let store = try Store(path: folder.store)
            #expect(try await store.states().count == 6)
            #expect(try await store.latestChange() == 8)
            let open = try await store.unresolvedIncidents(limit: 10)
            #expect(open.map(\.incident.kind).filter { $0 == .cdnMissing }.count == 6)
            #expect(open.filter { $0.acknowledgement != nil }.map { $0.acknowledgement?.by } == ["eva"])
            #expect(try await store.globalState()?.open.count == 1)
            #expect(try await store.statusCounts() == [.missing: 6])
            #expect(try await store.silences(notOverAt: .distantPast).count == 1)
            #expect(try await store.deliveries(limit: 9).map(\.outcome) == [.delivered, .delivered])
            let message = try #require(try await store.inspect(channel: "hook") { try $0.messages() }.first)
            #expect(message.members.map(\.version) == [1, 1] && message.members.map(\.state) == [.firing, .firing])
            #expect(message.members.map { $0.acknowledgedAt != nil } == [true, false])
            #expect(message.members[0].acknowledgedAt == open.compactMap(\.acknowledgement?.at).first)
            #expect(try await store.pendingNotifications().map(\.count) == [2])
            let sent = try #require(try await store.sentMessage(named: "abababab"))
            #expect(sent.text == "2 domains: cdn.missing" && sent.incidents.count == 2)
            #expect(sent.attempts.map(\.error) == ["503 busy", "no answer"] && sent.attempts[0].status == 503)
            #expect(sent.attempts[1].at.timeIntervalSince(sent.attempts[0].at) == 1)
            #expect(try await store.faults() == [])
            try store.close()
            try expectNewShape()
        }

        @Test("a domain of format 23 keeps its state, its place in lists, how fast it answers, and its files")
        func domains() async throws {
            try make(format: 23)
            let store = try Store(path: folder.store)
            let states = try await store.states()
            #expect(states.map(\.domain.name) == ["links.example.com", "site1.example.com"])
            // The first as it was written whole, the second with the instant that stood beside it.
            let instants = [1_795_670_795.420, 1_795_670_855.546]
            #expect(
                zip(states, instants).allSatisfy { abs(($0.lastCheckedAt ?? .now).timeIntervalSince1970 - $1) < 0.001 })
            let names = states.map(\.domain.name)
            let rows = try await store.summaries(names)
            #expect(rows.map(\.domain.name) == names && rows.allSatisfy { $0.summary != nil && $0.version == 1 })
            #expect(rows.map { $0.lastCheckedAt?.milliseconds } == [1_795_670_795_420, 1_795_670_855_546])
            #expect(try await store.names(SummaryFilter(search: "links"), limit: 9) == ["links.example.com"])
            #expect(try await store.responseTimes(of: states[0].domain) != nil)
            let file = try #require(states[0].originPeriods.last?.content)
            #expect(try await store.body(file) != nil)
            try await store.prune(
                now: Date(milliseconds: 1_795_357_927_000 + 29 * 86_400_000), keepObservations: .seconds(86400 * 28))
            #expect(try await store.body(file) != nil)
            #expect(try await store.faults() == [])
            try store.close()
            try expectNewShape()
        }

        private func expectNewShape() throws {
            let fresh = try ScratchFolder()
            try Store(path: fresh.store).close()
            #expect(try shape(folder.store) == shape(fresh.store))
        }

        @Test("the store as it was stays beside it until a check is stored")
        func former() async throws {
            try make()
            let first = try Store(path: folder.store)
            #expect(first.formerPath == former)
            #expect(try version(of: former) == 22)
            try first.close()
            // A start that stored no check changes nothing of that.
            let second = try Store(path: folder.store)
            #expect(second.formerPath == former)
            // Nor does a domain that is removed at the start.
            try await second.commit(Evaluation(state: try state()))
            #expect(second.formerPath == former)
            try await second.commit(Evaluation(state: try state()), of: try observation())
            #expect(second.formerPath == nil)
            #expect(!FileManager.default.fileExists(atPath: former))
            try second.close()
            #expect(try Store(path: folder.store).formerPath == nil)
        }

        @Test("a step that fails leaves the store as it was, and the next start takes it")
        func fails() async throws {
            struct Fault: Error {}
            try make()
            let queue = try DatabaseQueue(path: folder.store)
            let steps = Migration.all + [Migration(version: Schema.version + 1) { _ in throw Fault() }]
            #expect(throws: Fault.self) {
                try queue.writeWithoutTransaction { try Migration.migrate($0, folder.store, through: steps) }
            }
            #expect(try await queue.read { try $0.tableExists("counter") })
            try queue.close()
            #expect(try version(of: folder.store) == 22)
            #expect(try await Store(path: folder.store).latestChange() == 8)
        }

        @Test("without room for the copy nothing is migrated")
        func noCopy() throws {
            try make()
            try FileManager.default.createDirectory(atPath: former, withIntermediateDirectories: false)
            #expect(throws: StoreError.self) { try Store(path: folder.store) }
            #expect(try version(of: folder.store) == 22)
            #expect(!FileManager.default.fileExists(atPath: former + ".partial"))
        }

        @Test("commands that find an earlier format say who brings it to this one, and leave it alone")
        func guests() throws {
            try make()
            for access in [Store.Access.reader, .beside] {
                let refusal = #expect(throws: StoreError.self) { try Store(path: folder.store, access: access) }
                #expect(refusal?.code == .olderSchema)
                #expect(refusal?.message.contains("start `aasa-monitor run` of this version") == true)
            }
            #expect(try version(of: folder.store) == 22)
        }
    }
}
