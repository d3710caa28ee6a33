// A consistent copy of the store while the daemon runs; integrity checks; the size of the store.

import Foundation
import GRDB

extension Store {
    /// Copies the current store to `target`. Writes a temporary file first, so no reader ever sees half a copy.
    ///
    /// `replacing`: whether an existing file may be replaced.
    /// Returns the size of the copy in bytes.
    package func backup(to target: String, replacing: Bool) async throws(StoreError) -> Int {
        let draft = "\(target).partial-\(getpid())"
        defer { unlink(draft) }
        do {
            try checkTarget(target, replacing: replacing)
            unlink(draft)
            // SQLite would create a file that everybody can read, but it accepts an empty file.
            try NewFile.make(draft, of: target)
            try await pool.vacuum(into: draft)
            var facts = stat()
            guard stat(draft, &facts) == 0, rename(draft, target) == 0 else {
                throw StoreError.unwritable(target, detail: String(cString: strerror(errno)))
            }
            return Int(facts.st_size)
        } catch {
            let fault = StoreError(error, path: target)
            // Only the store is read, so the damage is in the store.
            throw fault.code == .corrupt ? StoreError(error, path: path) : fault
        }
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
                    code: .exists, message: "\(target) already exists; name another file, or use --force")
            }
        }
        // SQLite would read these files together with the copy.
        for suffix in ["-wal", "-journal"] where files.fileExists(atPath: target + suffix) {
            throw StoreError(
                code: .exists,
                message: "\(target)\(suffix) exists, so \(target) is or was a database in use; name another file")
        }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(one, &first) == 0, stat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Reads every page and index. Returns up to 100 faults of the file, and violated foreign keys.
    static func faults(_ database: Database) throws -> [String] {
        let words = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
        let strays = try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
            "a row of \(row["table"] as String? ?? "a table") refers to a missing row of \(row["parent"] as String? ?? "another")"
        }
        return words + Set(strays).sorted()
    }

    /// Checks the whole file, which may take minutes if it is large. Empty: no fault.
    package func faults() async throws -> [String] {
        try await read { try Self.faults($0) }
    }

    /// The size of the file in bytes.
    package func size() async throws -> Int { try await read { try StoreOpening.size($0) } }
}
