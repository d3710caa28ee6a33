// The store: reads, writes and closing. StoreOpening.swift opens it, and Schema.swift has the tables. Notifications/ is
// for the channels' loops and the delivery log. Checks/, Incidents/ and Lists/ are for checks and the status page.
// Threads: GRDB runs every access on its own queues, so nothing here blocks the cooperative pool.

import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// One SQLite file in WAL mode, with one monitor that writes it and any number of readers.
package final class Store: Sendable {
    package let path: String
    let pool: DatabasePool
    private let lock: FileLock?
    private let healthRecord = Mutex(StoreHealth())
    /// The last write that timed out because another process held the lock.
    private let lockFault = Mutex<(at: ContinuousClock.Instant, error: DatabaseError)?>(nil)
    private let obstacle: WriteObstacle?
    /// This process holds the lock.
    var isMonitor: Bool { lock != nil }
    let now: @Sendable () -> Date
    let unreadable = Mutex(UnreadableReports())

    /// The role of the process that opens the store, and so what it may do.
    package enum Access: Sendable {
        /// The daemon. Takes the exclusive lock on `PATH.lock`, and creates the store if needed.
        case monitor
        /// A command that changes a few rows in one short transaction, with or without a running daemon. It needs no
        /// lock: the lock only excludes a second monitor, and SQLite's own lock protects the rows.
        case beside
        /// Reads, also while the daemon runs.
        case reader
    }

    /// Shorter than the daemon's shutdown time. A check that could not be stored is repeated after the restart.
    package static let lockTimeout: Duration = .milliseconds(1500)

    /// Opens the store; the monitor creates it if needed. Refuses a store of an incompatible version.
    ///
    /// `lockTimeout`: how long a write waits while another process locks the database.
    /// `obstacle`: runs before each write; nil outside of tests.
    /// `onDamage`: gets the new path of a damaged store and its damage, before a new store is created; nil: damage is
    /// an error.
    package init(
        path: String, access: Access = .monitor, now: @escaping @Sendable () -> Date = { Date() },
        lockTimeout: Duration = Store.lockTimeout, obstacle: WriteObstacle? = nil,
        onDamage: ((StoreError) -> Void)? = nil
    ) throws(StoreError) {
        (self.path, self.now, self.obstacle) = (path, now, obstacle)
        do {
            try StoreOpening.checkPath(path, access)
            // Taken first, so that no other monitor creates a store while this one replaces a damaged store.
            lock = access == .monitor ? try FileLock(store: path) : nil
            do {
                pool = try StoreOpening.open(path, access, lockTimeout)
            } catch {
                let fault = StoreError(error, path: path)
                guard fault.code == .corrupt, let onDamage else { throw fault }
                onDamage(try StoreOpening.setAside(path, at: now(), detail: fault.detail))
                pool = try StoreOpening.open(path, access, lockTimeout)
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Ends all access and releases the lock. A store that is released without `close` keeps every commit.
    package func close() throws {
        // Release the lock last: nobody may open the store during the checkpoint.
        defer { lock?.release() }
        // A checkpoint writes the WAL into the file, so that a copy of the file alone is complete. If a concurrent
        // reader prevents it, no data is lost.
        if lock != nil { _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
        do { try pool.close() } catch { throw StoreError(error, path: path) }
    }

    /// Whether writes succeed.
    package var health: StoreHealth { healthRecord.withLock(\.self) }

    /// Reads one consistent snapshot.
    func read<Value: Sendable>(_ query: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(query)
        } catch {
            throw translated(error)
        }
    }

    /// Cancellation and unknown names are not faults of the store.
    private func translated(_ error: any Error) -> any Error {
        let isOurs = error is CancellationError || error is UnknownName || error is AcknowledgeLink.Fault
        return isOurs ? error : StoreError(error, path: path)
    }

    /// Runs one write transaction. Transactions run in the order of the calls; one that fails affects no other.
    ///
    /// A killed process loses no commit. A power failure may undo commits after the last one with `isDurable`, because
    /// only that one flushes SQLite's WAL, which contains all earlier commits. Use it before a message is sent and for
    /// what a person requested. A check does not need the flush, because a lost check is repeated.
    /// https://www.sqlite.org/pragma.html#pragma_synchronous
    ///
    /// Unlike GRDB's `write`, a cancelled task does not roll back: what was already sent or seen must be stored during
    /// shutdown too.
    func write<Value: Sendable>(
        isDurable: Bool = false, _ updates: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        let asked = ContinuousClock.now
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            pool.asyncWriteWithoutTransaction { database in
                let result = Result { try self.transaction(isDurable, asked, updates, database) }
                continuation.resume(with: result.mapError(self.noteFailure))
            }
        }
    }

    /// Runs on the writer's queue, so that it cannot override a later write that succeeds.
    private func noteFailure(_ error: any Error) -> any Error {
        let error = translated(error)
        if let fault = error as? StoreError { healthRecord.withLock { $0.failed(fault, at: now()) } }
        return error
    }

    private func transaction<Value>(
        _ isDurable: Bool, _ asked: ContinuousClock.Instant, _ updates: (Database) throws -> Value,
        _ database: Database
    ) throws -> Value {
        // All writes that queued before one timed out fail with it. Otherwise each would wait as long.
        if let fault = lockFault.withLock({ $0 }), asked < fault.at { throw fault.error }
        // GRDB opens connections with NORMAL. SQLite does not allow a change within a transaction.
        if isDurable { try database.execute(sql: "PRAGMA synchronous = FULL") }
        defer { if isDurable { try? database.execute(sql: "PRAGMA synchronous = NORMAL") } }
        try obstacle?(database)
        do {
            try database.beginTransaction(.immediate)
        } catch let error as DatabaseError
            where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode.primaryResultCode)
        {
            lockFault.withLock { $0 = (.now, error) }
            throw error
        }
        // Ask only after BEGIN, which fails if the connection was closed: this call would crash.
        let before = database.totalChangesCount
        do {
            let value = try updates(database)
            try database.commit()
            // A transaction without changes also succeeds on a full disk, so it proves nothing.
            if database.totalChangesCount != before { healthRecord.withLock { $0.worked() } }
            return value
        } catch {
            // Does nothing if SQLite already rolled back.
            try? database.rollback()
            throw error
        }
    }

    /// Changes whenever another process writes to the store. Only a comparison of two values has a meaning.
    /// https://www.sqlite.org/pragma.html#pragma_data_version
    package func outsideWrites() async throws -> Int {
        do {
            // Use the writer's connection: all writes of this process go through it, and its own writes do not count.
            return try await pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
        } catch {
            throw translated(error)
        }
    }
}

extension Store {
    /// The version of the SQLite library at run time.
    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}

// MARK: - Health: a fault of our own disk is reported as such, never as a fault of a watched site

/// Whether the store accepts writes, for an alert about the monitor itself.
package struct StoreHealth: Equatable, Sendable {
    /// The first failed write of the current trouble; nil: writes succeed.
    package var failingSince: Date?
    /// The latest failure. Stays after the trouble ends.
    package var lastError: StoreError?

    package var isFailing: Bool { failingSince != nil }

    mutating func worked() { failingSince = nil }

    mutating func failed(_ error: StoreError, at now: Date) {
        // `other` is a fault of that one write. The disk is fine.
        guard error.code != .other else { return }
        lastError = error
        failingSince = failingSince ?? now
    }
}

/// Simulates faults before a write, for tests: a full disk, a lock of another process, the end of the process. Runs
/// outside of a transaction, with the connection that will write. The write fails with the error that this throws.
package typealias WriteObstacle = @Sendable (Database) throws -> Void

// MARK: - Log deduplication

/// Logs lasting trouble once, for example a store that accepts no writes.
package final class LogDeduplicator: Sendable {
    private let last = Mutex<String?>(nil)

    package init() {}

    /// Remembers the text of a trouble. Returns true if it differs from the last one.
    package func isNews(_ trouble: String) -> Bool {
        last.withLock { last in
            defer { last = trouble }
            return last != trouble
        }
    }

    /// Forgets the trouble. Returns true if there was one.
    @discardableResult
    package func isOver() -> Bool {
        last.withLock { last in
            defer { last = nil }
            return last != nil
        }
    }
}
