// The lock that excludes a second monitor. SQLite alone would allow both, and each alert would be sent twice.

import Foundation
import Glibc
import Synchronization

/// An open file description lock on a separate file. The kernel releases it when the process ends for any reason.
/// A process can ask for the state of the lock without taking it, so a reader never keeps a daemon out.
/// https://man7.org/linux/man-pages/man2/F_OFD_SETLK.2const.html
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>
    /// `F_OFD_GETLK` and `F_OFD_SETLK` of Linux, which the module Glibc does not export.
    private static let (ask, take) = (Int32(36), Int32(37))

    /// Takes the lock on `STORE.lock`, and creates that file if needed. The file is never deleted: otherwise two
    /// processes could each hold a lock. Symbolic links to the store share one lock.
    /// `store`: the path of the store, for error messages.
    init(store: String) throws(StoreError) {
        let path = Self.path(store)
        let opened = try NewFile.open(path, of: store)
        while Self.set(F_WRLCK, opened) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            let holder = Self.holder(opened)
            Glibc.close(opened)
            guard reason == EAGAIN || reason == EACCES else {
                throw .unwritable(store, detail: "\(path): \(String(cString: strerror(reason)))")
            }
            throw StoreError(
                code: .inUse,
                message: "\(store) is in use by another aasa-monitor\(holder); stop it, or set another store.path")
        }
        let note = Array("\(getpid())\n".utf8)
        // The process id is for people only. The lock works without it.
        _ = ftruncate(opened, 0)
        _ = pwrite(opened, note, note.count, 0)
        descriptor = Mutex(opened)
    }

    private static func path(_ store: String) -> String {
        let real = realpath(store, nil).map { path in
            defer { free(path) }
            return String(cString: path)
        }
        return (real ?? store) + ".lock"
    }

    /// Whether a process holds the lock of this store. Returns true if this user may not open the lock file: the last
    /// check then shows whether the monitor works.
    static func isHeld(store: String) -> Bool {
        let path = path(store)
        let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == EACCES }
        defer { Glibc.close(descriptor) }
        var lock = Self.whole(F_RDLCK)
        return fcntl(descriptor, ask, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static func whole(_ type: Int32) -> Glibc.flock {
        Glibc.flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
    }

    private static func set(_ type: Int32, _ descriptor: Int32) -> Int32 {
        var lock = whole(type)
        return fcntl(descriptor, take, &lock)
    }

    deinit { release() }

    func release() {
        descriptor.withLock { held in
            if let open = held {
                // Unlock before closing: a forked child keeps a copy of the descriptor, and the lock, until its exec.
                _ = Self.set(F_UNLCK, open)
                Glibc.close(open)
            }
            held = nil
        }
    }

    private static func holder(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0, let process = Int(String(decoding: bytes.prefix(count), as: UTF8.self).filter(\.isNumber))
        else { return "" }
        return " (process \(process))"
    }
}

/// Creates files next to others. They are private to the user, or shared with the group if the folder is. Root gives
/// them to the owner of the folder, because a service that runs as another user must be able to use them. SQLite gives
/// the WAL and its index the permissions of the store.
enum NewFile {
    /// Creates a file that only its user can read. SQLite would create one that everybody can read.
    static func make(_ path: String, of store: String) throws(StoreError) {
        let made = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw fault(path, store) }
        close(made)
    }

    /// Opens a file for reading and writing, and creates it if needed.
    ///
    /// If the group may write to the folder and others have no access, the group may read and write the file, as far as
    /// the umask allows it. Root ignores its umask, because that belongs to the machine and not to the service.
    ///
    /// It follows no symbolic link. Other users may write to the folder, and with a link they could make root create,
    /// truncate or give away any file of the machine.
    /// `store`: the path of the store, for error messages.
    /// - Returns: a descriptor that child processes do not inherit.
    static func open(_ path: String, of store: String) throws(StoreError) -> Int32 {
        var folder = stat()
        let isKnown = stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0
        let isGroups = isKnown && folder.st_mode & S_IRWXO == 0 && folder.st_mode & S_IWGRP != 0
        let group: mode_t = 0o660
        let existing = O_RDWR | O_NOFOLLOW | O_CLOEXEC
        var opened = Glibc.open(path, existing | O_CREAT | O_EXCL, isGroups ? group : 0o600)
        if opened >= 0 {
            var made = stat()
            if geteuid() == 0, isKnown {
                _ = fchown(opened, folder.st_uid, folder.st_gid)
                if isGroups { _ = fchmod(opened, group) }
            } else if fstat(opened, &made) != 0 || made.st_mode & group != group {
                // Readers must write the WAL index, so a group that may only read cannot use the store.
                _ = fchmod(opened, 0o600)
            }
        } else if errno == EEXIST {
            opened = Glibc.open(path, existing)
        }
        guard opened >= 0 else { throw fault(path, store) }
        return opened
    }

    private static func fault(_ path: String, _ store: String) -> StoreError {
        switch errno {
        case ENOSPC, EDQUOT: .full(store)
        case ELOOP: .unwritable(store, detail: "\(path) is a symbolic link, which is not followed")
        default: .unwritable(store, detail: "\(path): \(String(cString: strerror(errno)))")
        }
    }
}
