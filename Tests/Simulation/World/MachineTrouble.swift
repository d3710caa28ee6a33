// What the machine does to the store: another program's lock, a full disk, and a kill between two writes.

import Foundation
import GRDB
import Storage
import Synchronization

/// The process has ended. Whatever is left of it on the stack gets this error from its store and its network.
struct ProcessEnded: Error {}

/// One for each life of the process.
final class MachineTrouble: Sendable {
    private struct State {
        var isDead = false
        /// The process ends before this many more writes; nil: it does not.
        var writesLeft: Int?
        /// By the simulation's clock.
        var lockedUntil: Int64 = 0
        var fullUntil: Int64 = 0
        var isLimited = false
        var spaceLeft = 0
        /// Where the log was last flushed, and where it was before the current write; nil: there is none.
        var flushed: LogMark?
        var before: LogMark?
        /// Whether the current write is flushed.
        var isFlushing = false
    }

    private let clock: SimulatedClock
    private let path: String
    private let state = Mutex(State())
    /// The other program: it holds the lock while this exists.
    private let holder = Mutex<DatabaseQueue?>(nil)

    init(clock: SimulatedClock, path: String) {
        self.clock = clock
        self.path = path
    }

    var isDead: Bool { state.withLock(\.isDead) }
    var isUnderWay: Bool { lastUnderWay > clock.passed }
    /// Until when the store has or had trouble.
    var lastUnderWay: Int64 { state.withLock { max($0.lockedUntil, $0.fullUntil) } }

    func die() { state.withLock { $0.isDead = true } }

    /// The process ends before one of its next writes.
    func die(afterWrites count: Int) { state.withLock { $0.writesLeft = count } }

    func lock(until instant: Int64) { state.withLock { $0.lockedUntil = instant } }

    /// `space`: how many pages still fit.
    func fill(until instant: Int64, space: Int) {
        state.withLock { state in
            state.fullUntil = instant
            state.spaceLeft = space
        }
    }

    /// Ends all trouble. A process that is dead stays dead.
    func relent() {
        state.withLock { state in
            state.lockedUntil = 0
            state.fullUntil = 0
            state.writesLeft = nil
        }
    }

    /// Releases the lock, as the other program does when it ends.
    func release() throws {
        try holder.withLock { holder in
            try holder?.close()
            holder = nil
        }
    }

    var obstacle: WriteObstacle { { [self] database in try meet(database) } }

    /// Where the log was last flushed. Everything that existed at the first write counts as flushed.
    var flushed: LogMark? {
        let now = LogMark(path: path)
        return state.withLock { state in
            // A write that failed or changed nothing has not flushed anything.
            if state.isFlushing, let before = state.before, let now, before.isBehind(now) { state.flushed = now }
            return state.flushed
        }
    }

    private func noteWrite(_ database: Database) throws {
        let flushed = flushed
        let level = try Int.fetchOne(database, sql: "PRAGMA synchronous") ?? 0
        let now = LogMark(path: path)
        state.withLock { state in
            state.flushed = flushed ?? now
            (state.before, state.isFlushing) = (now, level >= 2)
        }
    }

    private func meet(_ database: Database) throws {
        try noteWrite(database)
        let now = clock.passed
        let plan = state.withLock { state in
            if let left = state.writesLeft {
                state.writesLeft = left - 1
                if left <= 0 { state.isDead = true }
            }
            return state
        }
        if plan.isDead { throw ProcessEnded() }
        if plan.lockedUntil > now { try hold() } else { try release() }
        if plan.fullUntil > now, !plan.isLimited {
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + plan.spaceLeft)")
            state.withLock { $0.isLimited = true }
        } else if plan.fullUntil <= now, plan.isLimited {
            _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = 1073741823")
            state.withLock { $0.isLimited = false }
        }
    }

    private func hold() throws {
        try holder.withLock { holder in
            guard holder == nil else { return }
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
            holder = queue
        }
    }
}
