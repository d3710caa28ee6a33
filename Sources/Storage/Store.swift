// Opening and closing the database, and the two ways to reach it. The queries are in Queries/, the tables in Migrations/.
// Threads: GRDB runs every access on queues of its own, so that nothing here blocks the cooperative pool.

import Foundation
import GRDB

/// The monitor's memory: one SQLite file in WAL mode, written by one process at a time, read by any number.
package final class Store: Sendable {
    package let path: String
    private let pool: DatabasePool
    private let lock: FileLock?
    private let patience = LockPatience()

    /// Opens the store, or makes it.
    ///
    /// A writer takes an exclusive lock on `PATH.lock`, migrates, and checks the file's structure. A reader needs a store
    /// of just this version and takes no lock: it reads beside the daemon.
    package init(path: String, readOnly: Bool = false) throws(StoreError) {
        self.path = path
        do {
            try Self.checkPath(path, readOnly: readOnly)
            lock = readOnly ? nil : try FileLock(path: path + ".lock", store: path)
            pool = try Self.open(path, readOnly: readOnly, patience)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Ends all access and gives the lock back. A store that is dropped without it loses nothing that was committed.
    package func close() throws {
        // The lock goes last: nobody may come in while the log is still being folded into the file.
        defer { lock?.release() }
        // Folds the log into the file, so that a copy of the file alone is whole. A reader under way may prevent it, which
        // loses nothing.
        if lock != nil { _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
        do { try pool.close() } catch { throw StoreError(error, path: path) }
    }

    /// One consistent look at the store.
    func read<Value: Sendable>(_ query: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            return try await pool.read(query)
        } catch let stop as CancellationError {
            throw stop
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// One transaction, all or nothing.
    ///
    /// Unlike GRDB's own `write` it is not undone by the task's cancellation: what was already sent or seen must still be
    /// written down while the process shuts down.
    func write<Value: Sendable>(_ updates: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        do {
            let value = try await withCheckedThrowingContinuation { continuation in
                pool.asyncWrite(updates) { _, result in continuation.resume(with: result) }
            }
            patience.recover()
            return value
        } catch {
            throw StoreError(error, path: path)
        }
    }

    // MARK: - Opening

    private static func checkPath(_ path: String, readOnly: Bool) throws(StoreError) {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists && isFolder.boolValue {
            throw .unwritable(path, detail: "it is a folder")
        }
        if readOnly && !exists {
            throw StoreError(
                code: .missing,
                message: "there is no store at \(path); start `aasa-monitor run` once, or name the "
                    + "configuration with --config")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if !readOnly, !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) || !isFolder.boolValue {
            throw .unwritable(path, detail: "\(folder) is no folder")
        }
    }

    private static func open(_ path: String, readOnly: Bool, _ patience: LockPatience) throws -> DatabasePool {
        if !readOnly { try inspectExisting(path) }
        var configuration = Configuration()
        configuration.label = "aasa-monitor.store"
        configuration.readonly = readOnly
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .callback { patience.waits(afterTries: $0) }
        configuration.maximumReaderCount = 4
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            if readOnly {
                try pool.read { try inspect($0, path: path, readOnly: true) }
            } else {
                try pool.writeWithoutTransaction { database in
                    try inspect(database, path: path, readOnly: false)
                    // GRDB sets NORMAL, by which a power failure may undo the last commits. An alert that went out
                    // would then be decided a second time, under another identity. One flush a check is a small price.
                    try database.execute(sql: "PRAGMA synchronous = FULL")
                    // Before the first table: a process killed while it makes the tables must not leave a file that the
                    // next one takes for another program's.
                    if try Int.fetchOne(database, sql: "PRAGMA application_id") != Schema.applicationID {
                        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
                    }
                }
                try Schema.migrator.migrate(pool)
            }
        } catch {
            try? pool.close()
            throw error
        }
        return pool
    }

    /// Looks at a file before anything may write to it: opening a pool switches the file to WAL mode, even one that is then
    /// refused as damaged or foreign.
    private static func inspectExisting(_ path: String) throws {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else { return }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { try inspect($0, path: path, readOnly: false) }
        } catch let fault as DatabaseError
            where [.SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY].contains(fault.resultCode)
        {
            // A process that was killed in the middle of a write left a log or a journal that only a writer can take in.
            // The pool does that, and then looks at the file itself.
        }
    }

    /// Refuses what is damaged, foreign, or of another version, before anything is written.
    private static func inspect(_ database: Database, path: String, readOnly: Bool) throws {
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard owner == Schema.applicationID || (tables == 0 && owner == 0) else { throw StoreError.foreign(path) }
        if try Schema.migrator.hasBeenSuperseded(database) {
            throw StoreError(
                code: .newerSchema,
                message: "\(path) was written by a newer aasa-monitor; use that version, or put back the store that "
                    + "you saved before the upgrade")
        }
        let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard verdict == "ok" else { throw StoreError.corrupt(path, detail: verdict) }
        if readOnly, try !Schema.migrator.hasCompletedMigrations(database) {
            throw StoreError(
                code: .olderSchema,
                message: "\(path) was written by an older aasa-monitor; start `aasa-monitor run` once to bring it up "
                    + "to date")
        }
    }
}
