// The two ways to reach the database, and its end. Opening/: how it is opened. Commits/: how writes share a flush.
// Notifications/: what the channels' loops read and write. Queries/: all other queries. Schema.swift: the tables.
// Threads: GRDB runs every access on queues of its own, so that nothing here blocks the cooperative pool.

import Foundation
import GRDB
import Synchronization

/// The monitor's memory: one SQLite file in WAL mode, written by one monitor at a time, read by any number.
package final class Store: Sendable {
    package let path: String
    let pool: DatabasePool
    private let lock: FileLock?
    private let patience: LockPatience
    private let commits: CommitQueue
    let healthRecord: HealthRecord
    private let obstacle: WriteObstacle?
    /// Where the file was when it was opened.
    private let place: StorePlace?
    /// Whether this process may put unreadable rows aside.
    let isMonitor: Bool
    let now: @Sendable () -> Date
    let unreadable = Mutex(UnreadableReports())

    /// Who opens a store, and so what may be done to it.
    package enum Access: Sendable {
        /// The daemon: takes the exclusive lock on `PATH.lock`, and makes the store where there is none.
        case monitor
        /// A command that changes a few rows in one short transaction, with or without a running daemon. It takes no
        /// lock: the lock keeps two monitors apart, and SQLite's own lock is enough for a row.
        case beside
        /// Reads while the daemon runs.
        case reader
    }

    /// Opens the store; the monitor makes it where there is none. A store of another version is refused.
    ///
    /// `lockPatience`: how long a write waits while another process holds the database locked.
    /// `obstacle`: simulates a machine in trouble; nil outside of tests.
    package convenience init(
        path: String, access: Access, now: @escaping @Sendable () -> Date = { Date() },
        lockPatience: Duration = LockPatience.usual, obstacle: WriteObstacle? = nil
    ) throws(StoreError) {
        do {
            try StoreOpening.checkPath(path, access)
            let lock = access == .monitor ? try FileLock(store: path) : nil
            let patience = LockPatience(limit: lockPatience)
            self.init(
                path: path, pool: try StoreOpening.open(path, access, patience), lock: lock, patience: patience,
                now: now, obstacle: obstacle)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Whether a daemon works with the store at `path` now.
    package static func isInUse(path: String) -> Bool { FileLock.isHeld(store: path) }

    package convenience init(path: String, readOnly: Bool = false) throws(StoreError) {
        try self.init(path: path, access: readOnly ? .reader : .monitor)
    }

    init(
        path: String, pool: DatabasePool, lock: FileLock?, patience: LockPatience,
        now: @escaping @Sendable () -> Date, obstacle: WriteObstacle? = nil
    ) {
        self.path = path
        self.pool = pool
        self.lock = lock
        self.patience = patience
        commits = CommitQueue(pool: pool)
        healthRecord = HealthRecord(now: now)
        self.obstacle = obstacle
        place = StorePlace(path)
        isMonitor = lock != nil
        self.now = now
    }

    /// Ends all access and releases the lock. A store that is dropped without it loses nothing that was committed.
    package func close() throws {
        // The lock goes last: nobody may open the store while the log is still being folded into the file.
        defer { lock?.release() }
        // Folds the log into the file, so that a copy of the file alone is whole. A reader under way may prevent it,
        // which loses nothing.
        if lock != nil { _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
        do { try pool.close() } catch { throw StoreError(error, path: path) }
    }

    /// Whether writes reach the disk, and the file at the store's path.
    package var health: StoreHealth {
        if let error = displacement() { healthRecord.failed(error) }
        return healthRecord.current
    }
    /// What is written to a file that nobody finds any more is lost with this process.
    private func displacement() -> StoreError? {
        isMonitor && place != StorePlace(path) ? .displaced(path) : nil
    }
    package var commitTally: CommitTally { commits.tally }
    /// Writes that no transaction has taken up yet.
    package var waitingWrites: Int { commits.waiting }

    /// Reads one consistent snapshot.
    func read<Value: Sendable>(_ query: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(query)
        } catch let stop as CancellationError {
            throw stop
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// All or nothing. Writes that wait at the same time share one transaction, yet none fails for another's fault.
    ///
    /// Unlike GRDB's own `write`, a cancelled task does not undo it: what was already sent or seen must still be stored
    /// while the process shuts down. `updates` may run twice, where the first time was rolled back.
    func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            if let error = displacement() { throw error }
            if let obstacle { try await pool.writeWithoutTransaction { try obstacle.meet($0) } }
            let (value, hasChanged) = try await commits.write { database in
                let before = database.totalChangesCount
                return (try updates(database), database.totalChangesCount != before)
            }
            patience.recover()
            // A statement that changes nothing works on a full disk too.
            if hasChanged { healthRecord.worked() }
            return value
        } catch {
            let fault = StoreError(error, path: path)
            healthRecord.failed(fault)
            throw fault
        }
    }

    /// A number that changes whenever another process has written to the store; two different values mean that one has.
    /// https://www.sqlite.org/pragma.html#pragma_data_version
    package func outsideWrites() async throws -> Int {
        do {
            // The writer's connection: it alone in this process writes, and its own writes do not count.
            return try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
        } catch let stop as CancellationError {
            throw stop
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
