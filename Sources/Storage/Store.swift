// The two ways to reach the database, and its end. StoreOpening.swift: how it is opened. Schema.swift: the tables. Notifications/: what the channels' loops read and write, and what was sent. Checks/,
// Incidents/, Lists/: what checks commit, and who reads it.
// Threads: GRDB runs every access on queues of its own, so that nothing here blocks the cooperative pool.

import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The monitor's memory: one SQLite file in WAL mode, written by one monitor at a time, read by any number.
package final class Store: Sendable {
    package let path: String
    let pool: DatabasePool
    private let lock: FileLock?
    private let healthRecord = Mutex(StoreHealth())
    private let obstacle: WriteObstacle?
    /// Whether this process holds the lock.
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

    /// Shorter than the time that the daemon has at its end; a check that could not be stored is made again.
    package static let lockTimeout: Duration = .milliseconds(1500)

    /// Opens the store; the monitor makes it where there is none. A store of another version is refused.
    ///
    /// `lockTimeout`: how long a write waits while another process holds the database locked.
    /// `obstacle`: stands before each write; nil outside of tests.
    /// `onDamage`: gets a damaged store that was set aside, before a new one is made, which may fail; nil: it is refused.
    package convenience init(
        path: String, access: Access = .monitor, now: @escaping @Sendable () -> Date = { Date() },
        lockTimeout: Duration = Store.lockTimeout, obstacle: WriteObstacle? = nil,
        onDamage: ((SetAside) -> Void)? = nil
    ) throws(StoreError) {
        do {
            try StoreOpening.checkPath(path, access)
            // Held throughout, so that no other monitor makes a store in the place of a damaged one.
            let lock = access == .monitor ? try FileLock(store: path) : nil
            let pool: DatabasePool
            do {
                pool = try StoreOpening.open(path, access, lockTimeout)
            } catch {
                let fault = StoreError(error, path: path)
                guard fault.code == .corrupt, let onDamage else { throw fault }
                onDamage(try StoreOpening.setAside(path, at: now(), detail: fault.detail))
                pool = try StoreOpening.open(path, access, lockTimeout)
            }
            self.init(path: path, pool: pool, lock: lock, now: now, obstacle: obstacle)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Whether a daemon works with the store at `path` now.
    package static func isInUse(path: String) -> Bool { FileLock.isHeld(store: path) }

    init(
        path: String, pool: DatabasePool, lock: FileLock?, now: @escaping @Sendable () -> Date,
        obstacle: WriteObstacle?
    ) {
        self.path = path
        self.pool = pool
        self.lock = lock
        self.obstacle = obstacle
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

    /// Whether writes reach the disk.
    package var health: StoreHealth { healthRecord.withLock(\.self) }

    /// Reads one consistent snapshot.
    func read<Value: Sendable>(_ query: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(query)
        } catch let stop as CancellationError {
            throw stop
        } catch let fault as UnknownName {
            throw fault
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// All or nothing, in the order of the calls, each by itself: one that fails takes no other with it.
    ///
    /// A process that is killed loses nothing of it. A power failure may undo the last writes, down to the last one that is
    /// `isDurable`: SQLite flushes its log with that one, and with it all that was written before. What leaves the machine, and what
    /// a person was promised, needs it; for a check, which is made again, it would be a flush of the disk for nothing.
    /// https://www.sqlite.org/pragma.html#pragma_synchronous
    ///
    /// Unlike GRDB's own `write`, a cancelled task does not undo it: what was already sent or seen must still be stored
    /// while the process shuts down.
    func write<Value: Sendable>(
        isDurable: Bool = false, _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                pool.asyncWriteWithoutTransaction { database in
                    continuation.resume(with: Result { try self.transaction(isDurable, updates, database) })
                }
            }
        } catch let fault as UnknownName {
            throw fault
        } catch {
            let fault = StoreError(error, path: path)
            healthRecord.withLock { $0.failed(fault, at: now()) }
            throw fault
        }
    }

    private func transaction<Value>(
        _ isDurable: Bool, _ updates: (Database) throws -> Value, _ database: Database
    ) throws -> Value {
        // GRDB opened the connection with NORMAL, and within a transaction nothing changes it.
        if isDurable { try database.execute(sql: "PRAGMA synchronous = FULL") }
        defer { if isDurable { try? database.execute(sql: "PRAGMA synchronous = NORMAL") } }
        try obstacle?(database)
        let before = database.totalChangesCount
        try database.beginTransaction(.immediate)
        do {
            let value = try updates(database)
            try database.commit()
            // A statement that changes nothing works on a full disk too.
            if database.totalChangesCount != before { healthRecord.withLock { $0.worked() } }
            return value
        } catch {
            // Does nothing where SQLite has given up the transaction by itself.
            try? database.rollback()
            throw error
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

extension Store {
    /// Of the library that this process runs with.
    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}

// MARK: - Whether the store takes writes. Trouble of our own disk is reported as such; it is never a fault of a watched site.

/// How the store works, for an alert about the monitor itself.
package struct StoreHealth: Equatable, Sendable {
    /// When the present trouble began: its first write that failed. nil: writes work.
    package var failingSince: Date?
    /// What the latest failure was; stays after the trouble has ended.
    package var lastError: StoreError?

    package init() {}

    package var isFailing: Bool { failingSince != nil }

    /// A write reached the disk.
    mutating func worked() { failingSince = nil }

    mutating func failed(_ error: StoreError, at now: Date) {
        // A refused row is a fault of that write: the disk is fine.
        guard error.code != .other else { return }
        lastError = error
        failingSince = failingSince ?? now
    }
}

/// What may go wrong between a write and the disk, for tests: a full disk, a lock of another program, the end of the process
/// between two writes. It is called with the connection that will write, outside of a transaction. What it throws is what the
/// write fails with.
package typealias WriteObstacle = @Sendable (Database) throws -> Void

// MARK: - Trouble that lasts, in the log

/// Keeps a log free of repetitions: trouble that stays, such as a store that takes no writes, is logged once.
package final class LogDeduplicator: Sendable {
    private let last = Mutex<String?>(nil)

    package init() {}

    /// Remembers a trouble by its words. Returns whether it differs from the last one.
    package func isNews(_ trouble: String) -> Bool {
        last.withLock { last in
            defer { last = trouble }
            return last != trouble
        }
    }

    /// Forgets the trouble. Returns whether there was one.
    @discardableResult
    package func isOver() -> Bool {
        last.withLock { last in
            defer { last = nil }
            return last != nil
        }
    }
}
