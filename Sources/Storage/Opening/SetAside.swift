// The way out of a damaged file. Watching goes on with a new one; the old one is kept, for nobody but its owner can say
// what of it is worth saving.

import Foundation
import GRDB

/// A damaged store that was put out of the way.
package struct SetAside: Codable, Equatable, Sendable {
    /// Where the old file lies now; its log lies beside it under the same name with `-wal`.
    package let path: String
    package let at: Date
    /// What SQLite said.
    package let detail: String
}

extension Store {
    /// Opens the store as the monitor does, and sets a damaged one aside first. A file of another program or of a newer
    /// version is left alone and refused.
    ///
    /// `claim`: on this very path, where the opening is tried more than once; nil: it is claimed for this try alone.
    ///
    /// Returns what was set aside just now, which is worth an alarm: every domain is then seen for the first time, and
    /// incidents that were open will not be resolved.
    package static func openSettingAside(
        path: String, claim: StoreClaim? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) throws(StoreError) -> (store: Store, setAside: SetAside?) {
        do {
            try StoreOpening.checkPath(path, .monitor)
            // Held throughout: between the two nobody else may take the place for free.
            let lock = try (claim ?? StoreClaim(path: path)).held()
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
                    // Nobody would hear of what was set aside: the next try must find it where it was.
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

    /// The damaged store that this one took the place of; nil where there was none.
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
        try pool.write { database in
            try database.execute(
                sql: """
                    INSERT INTO meta (name, value) VALUES ('set_aside', ?)
                    ON CONFLICT (name) DO UPDATE SET value = excluded.value
                    """, arguments: [text])
        }
    }

    /// Undoes `move`. What takes its place is a new store in which nothing lies yet.
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
        // The file itself goes last: beside a file that is missing SQLite would delete the log.
        for suffix in ["-shm", "-wal", ""] where suffix.isEmpty || files.fileExists(atPath: path + suffix) {
            guard rename(path + suffix, target + suffix) == 0 else {
                throw StoreError.unwritable(
                    path, detail: "it is damaged and cannot be moved to \(target): \(String(cString: strerror(errno)))")
            }
        }
        return SetAside(path: target, at: now, detail: detail)
    }
}
