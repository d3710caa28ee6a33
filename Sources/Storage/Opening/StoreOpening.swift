// What is looked at, and in which order, before a file is taken for the store.

import Foundation
import GRDB

enum StoreOpening {
    /// Up to this size the whole file is examined at a start, which takes a second or two; beyond it, only the tables that
    /// alerts depend on. `store check` examines all.
    static let wholeCheckLimit = 256 << 20
    /// Up to this size a file is written anew at a start where that has a use.
    private static let rewriteLimit = 64 << 20
    /// The log shrinks back to this after a burst.
    private static let largestLog = 16 << 20
    /// Without these nothing can be judged or told. Observations and bodies are most of the bytes, and history only.
    private static let vitalTables = [
        "meta", "domain", "domain_recent", "incident", "outbox", "channel", "silence", "withheld", "fleet",
        "acknowledgement",
    ]
    /// How long a command waits while the daemon is in a transaction.
    private static let guestPatience: TimeInterval = 5

    static func checkPath(_ path: String, _ access: Store.Access) throws(StoreError) {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        if exists && isFolder.boolValue {
            throw .unwritable(path, detail: "it is a folder")
        }
        if access != .monitor && !exists {
            throw StoreError(
                code: .missing,
                message: "there is no store at \(path); start `aasa-monitor run` once, or name the "
                    + "configuration with --config")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if access == .monitor,
            !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) || !isFolder.boolValue
        {
            throw .unwritable(path, detail: "\(folder) is no folder")
        }
    }

    static func open(_ path: String, _ access: Store.Access, _ patience: LockPatience) throws -> DatabasePool {
        let wasInspected = access == .reader ? false : try prepare(path, access)
        var configuration = Configuration()
        configuration.label = "aasa-monitor.store"
        configuration.readonly = access == .reader
        configuration.foreignKeysEnabled = true
        configuration.busyMode =
            access == .beside ? .timeout(guestPatience) : .callback { patience.waits(afterTries: $0) }
        configuration.maximumReaderCount = 4
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            if access == .reader {
                try pool.read { try inspect($0, path, access) }
            } else {
                try pool.writeWithoutTransaction { database in
                    if !wasInspected { try inspect(database, path, access) }
                    // GRDB sets NORMAL, by which a power failure may undo the last commits. An alert that went out
                    // would then be decided a second time, under another identity. One flush a check is a small price.
                    try database.execute(sql: "PRAGMA synchronous = FULL")
                    _ = try Int.fetchOne(database, sql: "PRAGMA journal_size_limit = \(largestLog)")
                }
            }
            if access == .monitor {
                try pool.writeWithoutTransaction { try claim($0) }
                try Schema.migrator.migrate(pool)
                try? pool.writeWithoutTransaction { try allowShrinking($0) }
            }
        } catch {
            try? pool.close()
            throw error
        }
        return pool
    }

    /// Looks at a file before anything may write to it: opening a pool switches the file to WAL mode, even one that is then
    /// refused as damaged or foreign. Returns whether that was possible.
    private static func prepare(_ path: String, _ access: Store.Access) throws -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size > 0 else {
            guard access == .monitor else { return false }
            try make(path)
            return true
        }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { try inspect($0, path, access) }
            return true
        } catch let fault as DatabaseError
            where [.SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY].contains(fault.resultCode)
        {
            // A process that was killed in the middle of a write left a log or a journal that only a writer can take in.
            // The pool does that, and then looks at the file itself.
            return false
        }
    }

    /// Begins a file. Both pragmas come before the first table: whether pages can be given back is decided once, and a
    /// process killed while it makes the tables must not leave a file that the next one takes for another program's.
    private static func make(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try claim(database)
        }
    }

    private static func claim(_ database: Database) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA application_id") != Schema.applicationID else { return }
        try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
    }

    /// Files of the first version cannot give pages back; writing one anew mends that. A large one is left to
    /// `store compact`: it takes long, and as much space again.
    private static func allowShrinking(_ database: Database) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA auto_vacuum") == 0,
            try size(database) <= rewriteLimit
        else { return }
        try rewrite(database)
    }

    /// Writes the whole file anew, without its free pages.
    static func rewrite(_ database: Database) throws {
        try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
        try database.execute(sql: "VACUUM")
    }

    /// In bytes.
    static func size(_ database: Database) throws -> Int {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        return pages * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
    }

    /// Refuses what is damaged, foreign, or of another version, before anything is written.
    private static func inspect(_ database: Database, _ path: String, _ access: Store.Access) throws {
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        guard owner == Schema.applicationID || (tables == 0 && owner == 0) else { throw StoreError.foreign(path) }
        if try Schema.migrator.hasBeenSuperseded(database) {
            throw StoreError(
                code: .newerSchema,
                message: "\(path) was written by a newer aasa-monitor; use that version, or put back the store that "
                    + "you saved before the upgrade")
        }
        if access == .monitor { try quickCheck(database, path) }
        if access != .monitor, try !Schema.migrator.hasCompletedMigrations(database) {
            throw StoreError(
                code: .olderSchema,
                message: "\(path) was written by an older aasa-monitor; start `aasa-monitor run` once to bring it up "
                    + "to date")
        }
    }

    private static func quickCheck(_ database: Database, _ path: String) throws {
        var questions = ["PRAGMA quick_check(1)"]
        if try size(database) > wholeCheckLimit {
            let present = try Set(String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"))
            questions = vitalTables.filter(present.contains).map { "PRAGMA quick_check(\($0))" }
        }
        for question in questions {
            let verdict = try String.fetchOne(database, sql: question) ?? "no answer"
            guard verdict == "ok" else { throw StoreError.corrupt(path, detail: verdict) }
        }
    }
}
