// Why the store failed, in one sentence for the operator. It never contains SQL or its arguments.

import Foundation
import GRDB
import Monitoring

/// A fault of our own disk or file, never of a watched site.
package struct StoreError: Error, Equatable, CustomStringConvertible, LocalizedError {
    package let code: Code
    /// The path, the fault, and what to do.
    package let message: String
    /// SQLite's description of the damage; empty for other codes.
    var detail = ""

    package enum Code: Sendable {
        /// The file or its folder cannot be read or written.
        case unwritable
        /// This user cannot read it, or cannot enter its folder.
        case forbidden
        /// A damaged store.
        case corrupt
        /// Not a SQLite file, or the file of another program.
        case notADatabase
        /// A newer version of this program made its tables, or wrote the state of a domain.
        case newer
        /// An older version made its tables, and only a monitor migrates them; or a development version, and nothing does.
        case older
        /// Another monitor holds the lock.
        case inUse
        /// Another process locks the database; temporary.
        case locked
        /// No space is left on the device.
        case full
        /// A command opened it, but it does not exist.
        case missing
        /// The target file exists already.
        case exists
        case other
    }

    package var description: String { message }
    package var errorDescription: String? { message }
}

extension StoreError {
    /// Translates SQLite's error for the operator.
    init(_ error: any Error, path: String) {
        if let known = error as? StoreError {
            self = known
            return
        }
        guard let fault = error as? DatabaseError else {
            self.init(code: .other, message: "\(path): \(error.localizedDescription)")
            return
        }
        switch fault.resultCode {
        case .SQLITE_NOTADB: self = .notADatabase(path)
        case .SQLITE_CORRUPT: self = .corrupt(path, detail: fault.message ?? "malformed")
        case .SQLITE_FULL: self = .full(path)
        // No room for the WAL index.
        case .SQLITE_IOERR where fault.extendedResultCode == .SQLITE_IOERR_SHMSIZE: self = .full(path)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                code: .locked,
                message: "\(path): another process locks the database; end it, for example an open sqlite3 shell")
        case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_IOERR, .SQLITE_AUTH:
            self = .unwritable(path, detail: fault.message ?? fault.resultCode.description)
        default:
            // `message` is SQLite's own sentence; `description` would contain the statement.
            self.init(code: .other, message: "\(path): \(fault.message ?? fault.resultCode.description)")
        }
    }

    static func newerSchema(_ path: String, version: Int, supported: Int) -> StoreError {
        StoreError(
            code: .newer,
            message:
                "\(path) was written by a newer version of aasa-monitor (store format \(version)). This version uses "
                + "store format \(supported): use the newer version, or restore a backup from before the upgrade")
    }

    static func olderSchema(_ path: String, version: Int, supported: Int) -> StoreError {
        StoreError(
            code: .older,
            message:
                "\(path) was written by an older version of aasa-monitor (store format \(version)). This version uses "
                + "store format \(supported): start `aasa-monitor run` of this version once, which migrates the store")
    }

    /// `gap`: a column or an index that the store lacks.
    static func developmentSchema(_ path: String, gap: String) -> StoreError {
        StoreError(
            code: .older,
            message:
                "\(path) was created by a development version of aasa-monitor (it lacks \(gap)); move the file aside "
                + "and start `aasa-monitor run`, which creates a new store")
    }

    static func unsoundMigration(_ path: String, from version: Int, to target: Int) -> StoreError {
        StoreError(
            code: .other,
            message:
                "\(path) cannot be migrated from store format \(version) to \(target): rows would refer to missing rows. "
                + "It is unchanged: use the version that wrote it, and report this")
    }

    /// `what`: the domain, or "all domains" for the global state.
    static func newerState(of what: String, format: Int) -> StoreError {
        StoreError(
            code: .newer,
            message:
                "a newer aasa-monitor wrote the stored state of \(what) in format \(format). This version reads formats up "
                + "to \(DomainState.formatVersion): use the newer version, or restore the backup from before the upgrade"
        )
    }

    static func missing(_ path: String) -> StoreError {
        StoreError(
            code: .missing,
            message:
                "there is no store at \(path); start `aasa-monitor run` once, or name the configuration with --config")
    }

    static func forbidden(_ path: String) -> StoreError {
        StoreError(code: .forbidden, message: "\(path) cannot be read by this user")
    }

    static func full(_ path: String) -> StoreError {
        StoreError(code: .full, message: "\(path): no space is left on the device; free some")
    }

    static func notADatabase(_ path: String) -> StoreError {
        StoreError(
            code: .notADatabase,
            message: "\(path) is not a SQLite database; set another store.path, or move the file aside "
                + "and start `aasa-monitor run`, which creates a new store")
    }

    static func foreign(_ path: String) -> StoreError {
        StoreError(
            code: .notADatabase,
            message: "\(path) is a SQLite database of another program; set another store.path")
    }

    static func corrupt(_ path: String, detail: String) -> StoreError {
        StoreError(
            code: .corrupt,
            message:
                "\(path) is damaged (\(detail)). `aasa-monitor run` sets it aside at its next start and creates a new "
                + "one. To keep its data, stop the daemon and restore a backup", detail: detail)
    }

    static func unwritable(_ path: String, detail: String) -> StoreError {
        StoreError(
            code: .unwritable,
            message: "\(path) cannot be opened or written (\(detail)); check that its folder exists and that this "
                + "user may write there")
    }
}
