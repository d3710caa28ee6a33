// A copy of the store that is whole in one file, taken while the daemon goes on.

import Foundation
import GRDB

extension Store {
    /// Copies the store as it is at this moment to `target`, examines the copy, and only then gives it its name: no
    /// reader ever sees half of one. The daemon is not held up, for the copy is made from a reader's snapshot.
    ///
    /// `replacing`: whether a file that is there may go.
    /// Returns the size of the copy in bytes.
    package func backup(to target: String, replacing: Bool) async throws(StoreError) -> Int {
        let draft = "\(target).partial-\(getpid())"
        defer {
            for suffix in Self.suffixes { unlink(draft + suffix) }
        }
        do {
            try checkTarget(target, replacing: replacing)
            let size = try await pool.read { source in
                try Self.copy(source, to: draft, of: target) { try Self.examine($0, draft) }
            }
            try Self.name(draft, target, replacing: replacing)
            return size
        } catch {
            throw StoreError(error, path: target)
        }
    }

    /// Of the files that SQLite makes beside one.
    static let suffixes = ["", "-journal", "-wal", "-shm"]

    /// Makes a whole copy, with the rights that a file at `original` would have, and flushes it. Returns its size in bytes.
    @discardableResult
    static func copy(
        _ source: Database, to draft: String, of original: String, examining: (Database) throws -> Void = { _ in }
    ) throws -> Int {
        for suffix in suffixes { unlink(draft + suffix) }
        try NewFile.make(draft, of: original)
        let copy = try DatabaseQueue(path: draft)
        let size = try copy.writeWithoutTransaction { database in
            try source.backup(to: database)
            // The copy claims to have a log, as its original does.
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
            try examining(database)
            return try StoreOpening.size(database)
        }
        try copy.close()
        try flush(draft)
        return size
    }

    private func checkTarget(_ target: String, replacing: Bool) throws(StoreError) {
        let files = FileManager.default
        for suffix in ["", "-wal", "-shm", ".lock"] where Self.isSame(target, path + suffix) {
            throw StoreError(code: .exists, message: "\(target) belongs to the store itself; name another file")
        }
        var isFolder: ObjCBool = false
        if files.fileExists(atPath: target, isDirectory: &isFolder) {
            if isFolder.boolValue {
                throw StoreError(code: .exists, message: "\(target) is a folder; name a file")
            }
            if !replacing {
                throw StoreError(
                    code: .exists, message: "\(target) is there already; name another file, or use --force")
            }
        }
        // SQLite would read it together with the copy.
        for suffix in ["-wal", "-journal"] where files.fileExists(atPath: target + suffix) {
            throw StoreError(
                code: .exists,
                message: "\(target)\(suffix) is there, so \(target) is or was a database in use; name another file")
        }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    private static func flush(_ path: String) throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        try file.synchronize()
    }

    private static func name(_ draft: String, _ target: String, replacing: Bool) throws(StoreError) {
        // A link, unlike a rename, never takes the place of a file that came in the meantime.
        let isNamed = replacing ? rename(draft, target) == 0 : link(draft, target) == 0
        guard !isNamed else { return }
        if errno == EEXIST {
            throw StoreError(code: .exists, message: "\(target) is there already; name another file, or use --force")
        }
        // Some file systems have no links.
        guard !replacing, rename(draft, target) == 0 else {
            throw .unwritable(target, detail: String(cString: strerror(errno)))
        }
    }

    /// Reads every page and index; all that is wrong, at most 100 words of it.
    static func faults(_ database: Database) throws -> [String] {
        let words = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
        let strays = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
            "a row of \(row["table"] as String? ?? "a table") names a row of \(row["parent"] as String? ?? "another") that is not there"
        }
        return words + Set(strays).sorted()
    }

    static func examine(_ database: Database, _ path: String) throws {
        if let fault = try faults(database).first { throw StoreError.corrupt(path, detail: fault) }
    }

    /// Examines the whole file, which may take minutes where it is large. Empty: it is sound.
    package func faults() async throws -> [String] {
        try await read { try Self.faults($0) }
    }

    /// The size of the file, as far as it is known.
    package func size() async throws -> Int { try await read { try StoreOpening.size($0) } }

    /// Writes the file anew without its free pages. Returns its size in bytes before and after.
    ///
    /// For the monitor's access alone, and takes as much space again while it lasts.
    package func compact() async throws -> (before: Int, after: Int) {
        do {
            return try await pool.writeWithoutTransaction { database in
                let before = try StoreOpening.size(database)
                try StoreOpening.rewrite(database)
                try database.checkpoint(.truncate)
                return (before, try StoreOpening.size(database))
            }
        } catch {
            throw StoreError(error, path: path)
        }
    }
}
