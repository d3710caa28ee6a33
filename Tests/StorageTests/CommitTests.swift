import Evidence
import Foundation
import GRDB
import Synchronization
import Testing

@testable import Monitoring
@testable import Storage

/// Keeps the writer busy until it is let go, so that what is written meanwhile waits together.
final class WriterGate: Sendable {
    private let gate = DispatchSemaphore(value: 0)

    init(_ store: Store) async {
        await withCheckedContinuation { entered in
            store.pool.asyncWriteWithoutTransaction { [gate] _ in
                entered.resume()
                gate.wait()
            }
        }
    }

    func open() { gate.signal() }
}

extension StorageSuite {
    @Suite("Commits")
    struct CommitTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func refuse(_ action: String, names: String) async throws {
            try await store.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER refuse BEFORE INSERT ON incident WHEN NEW.domain LIKE '\(names)'
                        BEGIN SELECT RAISE(\(action), 'refused'); END
                        """)
            }
        }

        /// Commits one check of each domain, all of which wait for the writer at the same time.
        /// Returns the names whose commit failed.
        private func commitTogether(_ names: [String]) async throws -> Set<String> {
            let gate = await WriterGate(store)
            let before = store.commitTally.writes
            return try await withThrowingTaskGroup(of: String?.self) { group in
                for name in names {
                    group.addTask {
                        do {
                            try await store.commit(
                                Evaluation(
                                    state: try state(name), changes: [IncidentChange(try incident(name, domain: name))]),
                                of: try observation(name))
                            return nil
                        } catch is StoreError {
                            return name
                        }
                    }
                }
                while store.waitingWrites < names.count { await Task.yield() }
                gate.open()
                var failed: Set<String> = []
                for try await name in group { if let name { failed.insert(name) } }
                #expect(store.commitTally.writes > before)
                return failed
            }
        }

        private static let names = (0..<40).map { "d\($0).example.com" }

        @Test("checks that wait together are flushed together")
        func together() async throws {
            let before = store.commitTally
            #expect(try await commitTogether(Self.names) == [])
            #expect(store.commitTally.writes - before.writes == 40)
            #expect(store.commitTally.transactions - before.transactions == 1)
            #expect(try await store.states().count == 40)
        }

        @Test(
            "a commit that fails takes none of its neighbours with it, even where it ends their transaction",
            arguments: ["ABORT", "FAIL", "ROLLBACK"])
        func neighbours(action: String) async throws {
            try await refuse(action, names: "d7.%")
            #expect(try await commitTogether(Self.names) == ["d7.example.com"])
            let stored = Set(Self.names).subtracting(["d7.example.com"])
            #expect(try await Set(store.states().map(\.domain.name)) == stored)
            // Nothing of the failed one is left, be it written before or after the fault.
            #expect(try await Set(store.incidents(domain: nil, limit: 99).map(\.id)) == stored)
        }

        @Test("writes are carried out in the order in which they came")
        func order() async throws {
            let gate = await WriterGate(store)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<300 {
                    group.addTask {
                        try await store.commit(Evaluation(state: try state(at: noon + Double(index))))
                    }
                    while store.waitingWrites <= index { await Task.yield() }
                }
                gate.open()
                try await group.waitForAll()
            }
            #expect(try await store.state(of: Domain("example.com"))?.lastCheckedAt == noon + 299)
            #expect(store.commitTally.transactions == 3)
        }

        @Test("a full disk refuses what does not fit, takes what does, and is over once there is space")
        func fullDisk() async throws {
            let clock = Mutex(noon)
            try store.close()
            let store = try Store(path: folder.store, access: .monitor, now: { clock.withLock(\.self) })
            @Sendable func limit(_ more: Int) async throws {
                try await store.pool.writeWithoutTransaction { database in
                    let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                    _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + more)")
                }
            }
            func check(_ name: String, bytes: Int) async throws {
                let seen = try observation(name, body: String(repeating: "x", count: bytes) + name)
                try await store.commit(Evaluation(state: try state(name)), of: seen)
            }
            #expect(!store.health.isFailing)
            // The page limit simulates a full disk: SQLite answers SQLITE_FULL to both.
            try await limit(3)
            await #expect(throws: StoreError.self) { try await check("big.example.com", bytes: 100_000) }
            clock.withLock { $0 += 60 }
            await #expect(throws: StoreError.self) { try await check("big.example.com", bytes: 100_000) }
            #expect(store.health.failingSince == noon)
            #expect(store.health.lastError?.code == .full)
            try await limit(1000)
            try await check("big.example.com", bytes: 100_000)
            #expect(!store.health.isFailing)
            #expect(store.health.lastError?.code == .full)
            clock.withLock { $0 += 60 }
            try await limit(3)
            await #expect(throws: StoreError.self) { try await check("c.example.com", bytes: 100_000) }
            // What changes nothing works on a full disk, too.
            try await store.write { try $0.execute(sql: "UPDATE meta SET value = value WHERE name = 'none'") }
            #expect(store.health.failingSince == noon + 120, "another trouble")
        }

        @Test("a database that another program holds locked is reported, until the lock ends")
        func locked() async throws {
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: folder.store, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            await #expect(throws: StoreError.self) {
                try await store.commit(Evaluation(state: state()), of: observation())
            }
            #expect(store.health.lastError?.code == .locked)
            #expect(store.health.isFailing)
            // What is there can be read all the while.
            #expect(try await store.states().isEmpty)
            try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            try await store.commit(Evaluation(state: state()), of: observation())
            #expect(!store.health.isFailing)
        }

        @Test("a refused row is no trouble of the disk")
        func refusedRow() async throws {
            try await refuse("ABORT", names: "%")
            await #expect(throws: StoreError.self) {
                try await store.commit(
                    Evaluation(state: state(), changes: [IncidentChange(incident())]), of: observation())
            }
            #expect(!store.health.isFailing)
        }
    }
}
