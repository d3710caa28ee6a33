import Evidence
import Foundation
import GRDB
import Synchronization
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Commits")
    struct CommitTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        @Test(
            "a failed commit leaves nothing behind and does not affect concurrent ones",
            arguments: ["ABORT", "FAIL", "ROLLBACK"])
        func neighbours(action: String) async throws {
            try await store.write { database in
                try database.execute(
                    sql: """
                        CREATE TRIGGER refuse BEFORE INSERT ON incident WHEN NEW.domain LIKE 'd7.%'
                        BEGIN SELECT RAISE(\(action), 'refused'); END
                        """)
            }
            let names = (0..<40).map { "d\($0).example.com" }
            let failed = try await withThrowingTaskGroup(of: String?.self) { group in
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
                return try await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
            }
            #expect(failed == ["d7.example.com"])
            let stored = Set(names).subtracting(failed)
            #expect(try await Set(store.states().map(\.domain.name)) == stored)
            // Nothing of the failed commit remains, whether written before or after the fault.
            #expect(try await Set(store.listed().map(\.id)) == stored)
            // A refused row is not a disk problem.
            #expect(!store.health.isFailing)
        }

        @Test("messages to send and requests from people survive a power failure; a check costs no flush")
        func flushes() async throws {
            try store.close()
            // 1: NORMAL, 2: FULL.
            let seen = Mutex<[Int?]>([])
            let store = try Store(
                path: folder.store,
                obstacle: { database in
                    let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
                    seen.withLock { $0.append(level) }
                })
            func levels(_ body: () async throws -> Void) async throws -> [Int?] {
                seen.withLock { $0 = [] }
                try await body()
                return seen.withLock(\.self)
            }
            let check = Evaluation(state: try state(), changes: [IncidentChange(try incident("abcd1111"))])
            #expect(try await levels { try await store.commit(check) } == [1])
            #expect(try await levels { try await store.commit(GlobalEvaluation(state: GlobalState())) } == [1])
            #expect(try await levels { try await store.ops { _ in } } == [1])
            let sent = try await levels {
                _ = try await store.transact(channel: "ops", isDurable: true) { try $0.insert(message()) }
            }
            #expect(sent == [2])
            let eva = Acknowledgement(by: "eva", reason: "", at: noon)
            #expect(try await levels { _ = try await store.acknowledge(named: "abcd", eva) } == [2])
            #expect(try await levels { _ = try await store.unacknowledge(named: "abcd") } == [2])
            let request = try Silence(
                scope: SilenceScope(domains: [.exactly(Domain("example.com"))]), startsAt: noon, endsAt: noon + 60,
                author: "eva", reason: "work")
            let added = try await levels { _ = try await store.add(request) }
            #expect(added == [2])
            #expect(try await levels { _ = try await store.endSilence(id: "1", now: noon) } == [2])
            // A failure does not change how the next write is flushed.
            struct Fault: Error {}
            await #expect(throws: StoreError.self) {
                try await store.transact(channel: "ops", isDurable: true) { _ in throw Fault() }
            }
            #expect(try await levels { try await store.commit(check) } == [1])
        }

        @Test("writes that queue behind one that fails to get another process's lock fail with it")
        func sharedWait() async throws {
            try store.close()
            final class Count: Sendable { let value = Mutex(0) }
            let (tried, asked) = (Count(), Count())
            let store = try Store(
                path: folder.store, lockTimeout: .seconds(2),
                obstacle: { _ in
                    tried.value.withLock { $0 += 1 }
                    // The first write continues once the others have been requested.
                    while asked.value.withLock(\.self) < 4 { usleep(1000) }
                })
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: folder.store, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
            let codes = await withTaskGroup(of: StoreError.Code?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        asked.value.withLock { $0 += 1 }
                        do {
                            try await store.ops { try $0.save(ChannelRecord(name: "ops", type: "webhook")) }
                            return nil
                        } catch {
                            return (error as? StoreError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(codes == [.locked, .locked, .locked, .locked])
            #expect(tried.value.withLock(\.self) == 1)
            // The failure does not affect later writes.
            try await other.writeWithoutTransaction { try $0.rollback() }
            try await store.ops { try $0.save(ChannelRecord(name: "ops", type: "webhook")) }
        }

        @Test("a full disk refuses what does not fit, takes what fits, and recovers once there is space")
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
            // The page limit simulates a full disk: SQLite returns SQLITE_FULL for both.
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
            // A statement that changes nothing works on a full disk too.
            try await store.write { try $0.execute(sql: "UPDATE meta SET value = value WHERE name = 'none'") }
            #expect(store.health.failingSince == noon + 120, "a new problem")
        }

        @Test("a database locked by another program is reported until the lock ends")
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
            // The content can be read all the time.
            #expect(try await store.states().isEmpty)
            try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            try await store.commit(Evaluation(state: state()), of: observation())
            #expect(!store.health.isFailing)
        }
    }
}
