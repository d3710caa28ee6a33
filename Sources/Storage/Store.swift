// The two ways to reach the database, and its end. StoreOpening.swift: how it is opened. CommitQueue.swift: how writes share a
// flush. Schema.swift: the tables. Notifications/: what the channels' loops read and write, and what was sent. Checks/,
// Incidents/, Lists/: what checks commit, and who reads it.
// Threads: GRDB runs every access on queues of its own, so that nothing here blocks the cooperative pool.

import Foundation
import Glibc
import GRDB
import GRDBSQLite
import Synchronization

/// The monitor's memory: one SQLite file in WAL mode, written by one monitor at a time, read by any number.
package final class Store: Sendable {
    package let path: String
    let pool: DatabasePool
    private let lock: FileLock?
    private let lockTimeout: LockTimeout
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
    /// `lockTimeout`: how long a write waits while another process holds the database locked.
    /// `obstacle`: stands before each write; nil outside of tests.
    package convenience init(
        path: String, access: Access = .monitor, now: @escaping @Sendable () -> Date = { Date() },
        lockTimeout: Duration = LockTimeout.usual, obstacle: WriteObstacle? = nil
    ) throws(StoreError) {
        do {
            try StoreOpening.checkPath(path, access)
            let lock = access == .monitor ? try FileLock(store: path) : nil
            let lockTimeout = LockTimeout(limit: lockTimeout)
            self.init(
                path: path, pool: try StoreOpening.open(path, access, lockTimeout), lock: lock,
                lockTimeout: lockTimeout,
                now: now, obstacle: obstacle)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Whether a daemon works with the store at `path` now.
    package static func isInUse(path: String) -> Bool { FileLock.isHeld(store: path) }

    init(
        path: String, pool: DatabasePool, lock: FileLock?, lockTimeout: LockTimeout,
        now: @escaping @Sendable () -> Date, obstacle: WriteObstacle? = nil
    ) {
        self.path = path
        self.pool = pool
        self.lock = lock
        self.lockTimeout = lockTimeout
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
        } catch let fault as UnknownName {
            throw fault
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
            if let obstacle { try await pool.writeWithoutTransaction { try obstacle($0) } }
            let (value, hasChanged) = try await commits.write { database in
                let before = database.totalChangesCount
                return (try updates(database), database.totalChangesCount != before)
            }
            lockTimeout.recover()
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

extension Store {
    /// Of the library that this process runs with.
    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}

/// Which file lies at the store's path. SQLite would go on with the one that it opened, though nobody finds it there again.
struct StorePlace: Equatable, Sendable {
    private let device: dev_t
    private let number: ino_t

    /// nil where no file is there.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        device = facts.st_dev
        number = facts.st_ino
    }
}

// MARK: - Whether the store takes writes. Trouble of our own disk is reported as such; it is never a fault of a watched site.

/// How the store works, for metrics and for an alert about the monitor itself.
package struct StoreHealth: Equatable, Sendable {
    /// When the present trouble began: its first write that failed. nil: writes work.
    package var failingSince: Date?
    /// Other writes work meanwhile.
    package var isPartial = false
    /// What the latest failure was; stays after the trouble has ended.
    package var lastError: StoreError?

    package init() {}

    package var isFailing: Bool { failingSince != nil }
}

/// Keeps the health of one store. Trouble ends with a write that works, unless it comes back: then a disk has room for small
/// writes and none for large ones, and it ends when no write has failed for a while.
final class HealthRecord: Sendable {
    private struct State {
        var lastError: StoreError?
        var trouble: Trouble?
    }

    private struct Trouble {
        let since: Date
        var lastFailedAt: Date
        /// Failures with writes that worked before each.
        var bouts = 1
        var hasWorkedSince = false
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Date

    /// Longer than the usual interval of checks: a check that fails each time is trouble.
    static let quiet: TimeInterval = 360
    /// So often it comes back by accident.
    private static let accidents = 2
    private static let shortest: TimeInterval = 30

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    var current: StoreHealth {
        let now = now()
        return state.withLock { state in
            var health = StoreHealth()
            health.lastError = state.lastError
            guard let trouble = state.trouble else { return health }
            health.isPartial =
                trouble.bouts > Self.accidents && trouble.lastFailedAt.timeIntervalSince(trouble.since) >= Self.shortest
                && !Self.isOver(trouble, now)
            if health.isPartial || !trouble.hasWorkedSince { health.failingSince = trouble.since }
            return health
        }
    }

    func worked() { state.withLock { $0.trouble?.hasWorkedSince = true } }

    func failed(_ error: StoreError) {
        // A refused row is a fault of that write: the disk is fine.
        guard error.code != .other else { return }
        let instant = now()
        state.withLock { state in
            state.lastError = error
            guard var trouble = state.trouble, !(trouble.hasWorkedSince && Self.isOver(trouble, instant)) else {
                state.trouble = Trouble(since: instant, lastFailedAt: instant)
                return
            }
            if trouble.hasWorkedSince { trouble.bouts += 1 }
            trouble.hasWorkedSince = false
            trouble.lastFailedAt = instant
            state.trouble = trouble
        }
    }

    private static func isOver(_ trouble: Trouble, _ now: Date) -> Bool {
        abs(now.timeIntervalSince(trouble.lastFailedAt)) >= quiet
    }
}

/// What may go wrong between a write and the disk, for tests: a full disk, a lock of another program, the end of the process
/// between two writes. It is called with the connection that will write, outside of a transaction. What it throws is what the
/// write fails with.
package typealias WriteObstacle = @Sendable (Database) throws -> Void

// MARK: - How long an access waits while another process holds the database locked.

/// One time limit for all accesses. They queue up behind each other: were each to wait its own time, the last of many
/// would wait for longer than the daemon has to end.
package final class LockTimeout: Sendable {
    /// Shorter than the time that the daemon has at its end; a check that could not be stored is made again.
    package static let usual: Duration = .milliseconds(1500)
    private static let pause: Duration = .milliseconds(10)
    /// While an access that gave up is not longer ago than this, the others do not wait at all.
    private static let memory: Duration = .seconds(5)

    private let limit: Duration
    private let gaveUp = Mutex<ContinuousClock.Instant?>(nil)

    init(limit: Duration = LockTimeout.usual) { self.limit = limit }

    /// Whether to try again for a lock after `tries` tries; takes its time for the answer. It blocks the thread, which
    /// is one of the database's own.
    func waits(afterTries tries: Int) -> Bool {
        let now = ContinuousClock.now
        let isLost = gaveUp.withLock { last in
            if let last, now - last < Self.memory { return true }
            guard Self.pause * tries >= limit else { return false }
            last = now
            return true
        }
        guard !isLost else { return false }
        Thread.sleep(forTimeInterval: Self.pause / .seconds(1))
        return true
    }

    /// An access went through: the lock is gone, and the next one is worth waiting for again.
    func recover() { gaveUp.withLock { $0 = nil } }
}

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
