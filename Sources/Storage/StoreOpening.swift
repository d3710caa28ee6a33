// The checks of a file before it is used as the store, and their order.

import Dispatch
import Foundation
import Glibc
import GRDB

enum StoreOpening {
    /// In bytes. At startup, smaller files are checked completely, which takes a second or two. For larger ones, only
    /// the tables that alerts depend on are checked. `store check` always checks everything.
    static let wholeCheckLimit = 256 << 20
    /// In bytes. The WAL shrinks to this size after a burst.
    private static let largestLog = 16 << 20
    /// Evaluation and alerts need these tables. The others have most of the bytes, and only people read them.
    private static let vitalTables = [
        "meta", "domain", "incident", "channel", "notification", "message", "notification_group", "silence",
    ]
    /// How long, in seconds, a command waits for the daemon's transaction.
    private static let guestTimeout: TimeInterval = 5

    static func checkPath(_ path: String, _ access: Store.Access) throws(StoreError) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw .unwritable(path, detail: "it is a folder")
        }
        if access != .monitor, Glibc.access(path, R_OK) != 0 {
            throw errno == EACCES ? .forbidden(path) : .missing(path)
        }
    }

    /// `steps`: `Schema.migrations`, outside of tests.
    static func open(
        _ path: String, _ access: Store.Access, _ lockTimeout: Duration, steps: [Migration] = Schema.migrations
    ) throws -> DatabasePool {
        let format = steps.count + 1
        let wasInspected = access == .reader ? false : try prepare(path, access, format, lockTimeout)
        var configuration = Configuration()
        configuration.label = "aasa-monitor.store"
        // GRDB's default is a raised QoS that the service may not use; libdispatch would log each refusal.
        configuration.qos = .default
        configuration.readonly = access == .reader
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(access == .beside ? guestTimeout : lockTimeout / .seconds(1))
        configuration.maximumReaderCount = 4
        let pool = try DatabasePool(path: path, configuration: configuration)
        do {
            if access == .reader {
                try pool.read { try inspect($0, path, access, format) }
            } else {
                try pool.writeWithoutTransaction { database in
                    if !wasInspected { try inspect(database, path, access, format) }
                    _ = try Int.fetchOne(database, sql: "PRAGMA journal_size_limit = \(largestLog)")
                    guard access == .monitor else { return }
                    if try tableCount(database) == 0 { return try Schema.create(database) }
                    try Schema.migrate(database, path, through: steps)
                }
            }
        } catch {
            try? pool.close()
            throw error
        }
        return pool
    }

    /// Inspects a file before anything writes to it. Opening a pool would switch even a foreign or damaged file to WAL
    /// mode. Returns false if the inspection must happen after the pool is open.
    private static func prepare(
        _ path: String, _ access: Store.Access, _ format: Int, _ lockTimeout: Duration
    ) throws -> Bool {
        var facts = stat()
        let isThere = stat(path, &facts) == 0
        guard isThere, facts.st_size > 0 else {
            guard access == .monitor else { throw StoreError.missing(path) }
            if !isThere { close(try NewFile.open(path, of: path)) }
            try make(path, lockTimeout)
            return true
        }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.read { try inspect($0, path, access, format) }
            return true
        } catch let fault as DatabaseError
            where [.SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_BUSY].contains(fault.resultCode)
        {
            // A killed process left a WAL or a journal that only a writer can recover. The pool recovers it, and `open`
            // inspects the file afterwards.
            guard access == .monitor, try isEmptyOnceRolledBack(path, lockTimeout) else { return false }
            try make(path, lockTimeout)
            return true
        }
    }

    /// Whether a process was killed while it created the store: its journal rolls back the first page, and the file is
    /// empty again.
    private static func isEmptyOnceRolledBack(_ path: String, _ lockTimeout: Duration) throws -> Bool {
        guard FileManager.default.fileExists(atPath: path + "-journal") else { return false }
        let queue = try DatabaseQueue(path: path, configuration: waiting(lockTimeout))
        defer { try? queue.close() }
        return try queue.read { try size($0) } == 0
    }

    /// Initializes an empty file. Both pragmas come before the first table: SQLite accepts `auto_vacuum` only then,
    /// and a killed process must not leave a file without tables that looks like another program's.
    private static func make(_ path: String, _ lockTimeout: Duration) throws {
        let queue = try DatabaseQueue(path: path, configuration: waiting(lockTimeout))
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            try database.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
        }
    }

    /// A command may look at the empty file meanwhile.
    private static func waiting(_ lockTimeout: Duration) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(lockTimeout / .seconds(1))
        return configuration
    }

    /// The size of the database in bytes.
    static func size(_ database: Database) throws -> Int {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        return pages * (try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0)
    }

    private static func tableCount(_ database: Database) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    }

    /// Refuses a damaged or foreign file, or one of an incompatible version, before anything is written. Only a monitor
    /// may open an older store, because it migrates it.
    private static func inspect(_ database: Database, _ path: String, _ access: Store.Access, _ format: Int) throws {
        let isEmpty = try tableCount(database) == 0
        guard access == .monitor || !isEmpty else { throw StoreError.missing(path) }
        let owner = try Int.fetchOne(database, sql: "PRAGMA application_id")
        let version = try Schema.version(database)
        guard owner == Schema.applicationID, isEmpty || version > 0 else { throw StoreError.foreign(path) }
        if isEmpty { return }
        guard version <= format else { throw StoreError.newerSchema(path, version: version, supported: format) }
        guard version == format || access == .monitor else {
            throw StoreError.olderSchema(path, version: version, supported: format)
        }
        if access == .monitor { try quickCheck(database, path) }
        if version == format, let gap = try Schema.gap(database) { throw StoreError.developmentSchema(path, gap: gap) }
    }

    private static func quickCheck(_ database: Database, _ path: String) throws {
        let isWhole = try size(database) <= wholeCheckLimit
        for argument in isWhole ? ["1"] : vitalTables {
            let verdict = try String.fetchOne(database, sql: "PRAGMA quick_check(\(argument))") ?? "no answer"
            guard verdict == "ok" else { throw StoreError.corrupt(path, detail: verdict) }
        }
    }
}

// MARK: - Damage

extension StoreOpening {
    /// Renames a store, its WAL and its index. It is kept, because only its owner can decide what to save.
    /// - Returns: the new path and the damage.
    static func setAside(_ path: String, at now: Date, detail: String) throws -> StoreError {
        let target = "\(path).damaged-\(now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted)))"
        // Rename the file last: SQLite would delete a WAL without its file.
        for suffix in ["-shm", "-wal", ""] where suffix.isEmpty || FileManager.default.fileExists(atPath: path + suffix)
        {
            guard rename(path + suffix, target + suffix) == 0 else {
                throw StoreError.unwritable(
                    path, detail: "it is damaged and cannot be moved to \(target): \(String(cString: strerror(errno)))")
            }
        }
        return StoreError(code: .corrupt, message: "\(target): \(detail)")
    }
}
