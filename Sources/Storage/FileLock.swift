// The lock that keeps two monitors off one store: SQLite alone would let both in, and each alert would go out twice.

import Foundation
import Glibc
import Synchronization

/// A write lock of the open file description on a file of its own. The kernel drops it when the process ends, however it ends,
/// and tells others of it without one of their own, so that who only asks keeps no daemon out.
/// https://man7.org/linux/man-pages/man2/F_OFD_SETLK.2const.html
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>
    /// `F_OFD_GETLK` and `F_OFD_SETLK` of Linux's interface, which Glibc's module leaves out.
    private static let (ask, take) = (Int32(36), Int32(37))

    /// Beside the store, in a file that is made where absent and never deleted: deleting would let two processes each hold
    /// one. A store that several links name has one lock.
    /// `store`: its path, as errors name it.
    init(store: String) throws(StoreError) {
        let path = Self.path(store)
        // Without O_CLOEXEC a child process would keep the lock after our end.
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
                message: "\(store) is in use by another aasa-monitor\(holder); end it, or name another store.path")
        }
        let note = Array("\(getpid())\n".utf8)
        // The number only helps people; the lock holds without it.
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

    /// Whether a process has the lock of this store now. Where this user may not open the file, as if one had: the last check
    /// says whether it works.
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
                // Closing alone would leave the lock with the copy that a child has between its fork and its exec.
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

/// A file that this process makes beside others, for its user alone, or for the group of a folder that is the group's. Root
/// gives it to the owner of the folder, since a service that runs as another user must be able to use it. SQLite gives the
/// store's log and index the rights of the store.
enum NewFile {
    /// Makes a file that is its user's alone, whatever the folder: SQLite would let everybody read it.
    static func make(_ path: String, of store: String) throws(StoreError) {
        let made = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw fault(path, store) }
        close(made)
    }

    /// Opens a file for reading and writing, and makes it where absent.
    ///
    /// In a folder where the group may write, and others may do nothing, the group may read and write it, if the process's mask
    /// lets it: the mask of root is not asked, since it is of the machine, not of the service.
    ///
    /// It follows no symbolic link: others may write in the folder, and a link of theirs would have root make, empty or give
    /// away any file of the machine.
    /// `store`: the store's path, as errors name it.
    /// - Returns: the descriptor, which no child inherits.
    static func open(_ path: String, of store: String) throws(StoreError) -> Int32 {
        var folder = stat()
        let isKnown = stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0
        let isGroups = isKnown && folder.st_mode & S_IRWXO == 0 && folder.st_mode & S_IWGRP != 0
        let group: mode_t = 0o660
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        var opened = Glibc.open(path, flags, isGroups ? group : 0o600)
        if opened >= 0 {
            var made = stat()
            if geteuid() == 0, isKnown {
                _ = fchown(opened, folder.st_uid, folder.st_gid)
                if isGroups { _ = fchmod(opened, group) }
            } else if fstat(opened, &made) != 0 || made.st_mode & group != group {
                // A group that may read and not write is of no use: readers write the index of the log.
                _ = fchmod(opened, 0o600)
            }
        } else if errno == EEXIST {
            opened = openExisting(path)
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

    private static func openExisting(_ path: String) -> Int32 {
        let descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        var file = stat()
        guard descriptor >= 0, fstat(descriptor, &file) != 0 || file.st_mode & S_IFMT != S_IFREG else {
            return descriptor
        }
        close(descriptor)
        errno = EINVAL
        return -1
    }
}
