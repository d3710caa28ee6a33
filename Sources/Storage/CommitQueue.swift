// Many writes, one flush. Each flush of the disk costs milliseconds, however little is written, so writes that arrive
// during one share the next. A write to an idle store does not wait.

import GRDB
import Synchronization

/// The one way to the writer.
final class CommitQueue: Sendable {
    /// One write that waits for its turn.
    private struct Waiting: Sendable {
        /// Does the work, and returns what resumes the caller once it is on the disk. May be called again after a
        /// rollback.
        let perform: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        /// A drain is on its way to the writer's queue, and will take whatever is there when it gets its turn.
        var isCalled = false
        var tally = CommitTally()
    }

    /// Bounds how long one transaction keeps the writer.
    static let largestBatch = 128

    private let pool: DatabasePool
    private let state = Mutex(State())

    init(pool: DatabasePool) { self.pool = pool }

    var tally: CommitTally { state.withLock(\.tally) }
    var waiting: Int { state.withLock(\.waiting.count) }

    /// All or nothing, by itself: the failure of another write of the same transaction does not touch it.
    /// `updates` may run twice, where the first time was rolled back; it must have no effect but on the database.
    func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            let write = Waiting(
                perform: { database in
                    let value = try updates(database)
                    return { continuation.resume(returning: value) }
                }, fail: { continuation.resume(throwing: $0) })
            let mustCall = state.withLock { state in
                state.waiting.append(write)
                defer { state.isCalled = true }
                return !state.isCalled
            }
            if mustCall { callDrain() }
        }
    }

    private func callDrain() { pool.asyncWriteWithoutTransaction { self.drain($0) } }

    private func drain(_ database: Database) {
        let batch = state.withLock { state in
            let batch = state.waiting.prefix(Self.largestBatch)
            state.waiting.removeFirst(batch.count)
            state.isCalled = !state.waiting.isEmpty
            return Array(batch)
        }
        run(batch, database)
        // Behind whatever else waits for the writer, so that a flood of commits lets a reader of the log in between.
        if state.withLock(\.isCalled) { callDrain() }
    }

    private func run(_ batch: [Waiting], _ database: Database) {
        do {
            let results = try together(batch, database)
            count(writes: batch.count, transactions: 1)
            for result in results { result() }
        } catch let error {
            // A full disk, for one, undoes the whole transaction. Each write then has a try of its own: the one that
            // does not fit must not take the others with it. For a lock it would only mean to wait once for each.
            let isLocked = (error as? DatabaseError).map { [.SQLITE_BUSY, .SQLITE_LOCKED].contains($0.resultCode) }
            guard batch.count > 1, isLocked != true else {
                for write in batch { write.fail(error) }
                return
            }
            for write in batch { run([write], database) }
        }
    }

    /// One transaction, with a savepoint for each of several writes. Returns what resumes each caller; throws where
    /// nothing was stored.
    private func together(_ batch: [Waiting], _ database: Database) throws -> [@Sendable () -> Void] {
        var results: [@Sendable () -> Void] = []
        try database.inTransaction(.immediate) {
            // A single write needs no savepoint, which would copy each page before it is changed.
            if batch.count == 1 {
                results = try batch.map { try $0.perform(database) }
                return .commit
            }
            for write in batch {
                do {
                    var result: (@Sendable () -> Void)?
                    try database.inSavepoint {
                        result = try write.perform(database)
                        return .commit
                    }
                    if let result { results.append(result) }
                } catch {
                    // SQLite gave up the transaction, not only the savepoint.
                    guard database.isInsideTransaction else { throw error }
                    results.append { write.fail(error) }
                }
            }
            return .commit
        }
        return results
    }

    private func count(writes: Int, transactions: Int) {
        state.withLock { state in
            state.tally.writes += writes
            state.tally.transactions += transactions
        }
    }
}

/// How many writes shared how many transactions, since the start.
package struct CommitTally: Equatable, Sendable {
    package var writes = 0
    /// Each costs one flush of the disk.
    package var transactions = 0
}
