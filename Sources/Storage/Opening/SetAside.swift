// What happens to a damaged file: the daemon sets it aside and makes a new one. The old one is kept, since only its
// owner can say what of it is worth saving.

import Foundation
import GRDB

/// A damaged store that was set aside.
package struct SetAside: Codable, Equatable, Sendable {
    /// Where the old file is now; its log is next to it, under the same name with `-wal`.
    package let path: String
    package let at: Date
    /// What SQLite said.
    package let detail: String
}

extension Store {
    /// Opens the store as the monitor does, and sets a damaged one aside first. A file of another program or of a newer
    /// version is left alone and refused.
    ///
    /// Returns what was set aside just now. Log it as an error: the monitor then sees every domain for the first time,
    /// and incidents that were open are never resolved.
    package static func openSettingAside(
        path: String, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) -> (store: Store, setAside: SetAside?) {
        do {
            try StoreOpening.checkPath(path, .monitor)
            // Held throughout, so that no other monitor makes a store between the two.
            let lock = try FileLock(store: path)
            let patience = LockPatience()
            var note: SetAside?
            let pool: DatabasePool
            do {
                pool = try StoreOpening.open(path, .monitor, patience)
            } catch {
                let fault = StoreError(error, path: path)
                guard fault.code == .corrupt else { throw fault }
                let aside = try move(path, now: now(), detail: fault.detail)
                do {
                    pool = try StoreOpening.open(path, .monitor, patience)
                    try remember(aside, pool)
                } catch {
                    // Without the note nobody learns what was set aside: the next start must find it in its place.
                    putBack(aside, path)
                    throw error
                }
                note = aside
            }
            return (Store(path: path, pool: pool, lock: lock, patience: patience, now: now), note)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// The damaged store that this one replaced; nil where there was none.
    package func setAside() async throws -> SetAside? {
        try await read { database in
            let value = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE name = 'set_aside'")
            return try value.map {
                try Stored.decode(SetAside.self, from: Data($0.utf8), what: "note of a set aside store")
            }
        }
    }

    private static func remember(_ note: SetAside, _ pool: DatabasePool) throws {
        let text = String(decoding: try Stored.encode(note), as: UTF8.self)
        try pool.write { try setMeta("set_aside", text, $0) }
    }

    /// Undoes `move`. The file that it replaces is a new and empty store.
    private static func putBack(_ aside: SetAside, _ path: String) {
        for suffix in ["-shm", "-wal", ""] {
            unlink(path + suffix)
            rename(aside.path + suffix, path + suffix)
        }
    }

    private static func move(_ path: String, now: Date, detail: String) throws -> SetAside {
        let files = FileManager.default
        let stamp = now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        var target = "\(path).damaged-\(stamp)"
        var number = 2
        while ["", "-wal", "-shm"].contains(where: { files.fileExists(atPath: target + $0) }) {
            target = "\(path).damaged-\(stamp)-\(number)"
            number += 1
        }
        // The file itself is moved last: SQLite would delete a log without its file.
        for suffix in ["-shm", "-wal", ""] where suffix.isEmpty || files.fileExists(atPath: path + suffix) {
            guard rename(path + suffix, target + suffix) == 0 else {
                throw StoreError.unwritable(
                    path, detail: "it is damaged and cannot be moved to \(target): \(String(cString: strerror(errno)))")
            }
        }
        return SetAside(path: target, at: now, detail: detail)
    }
}
