// The lock that keeps two monitors off one store: SQLite alone would let both in, and each alert would go out twice.

import Foundation
import Glibc
import Synchronization

/// An exclusive `flock` on a file of its own. The kernel drops it when the process ends, however it ends.
/// https://man7.org/linux/man-pages/man2/flock.2.html
final class FileLock: Sendable {
    private let descriptor: Mutex<Int32?>

    /// Beside the store, in a file that is made where absent and never deleted: deleting would let two processes each hold
    /// one. A store that several links name has one lock.
    /// `store`: its path, as errors name it.
    init(store: String) throws(StoreError) {
        let path = Self.path(store)
        // Without O_CLOEXEC a child process would keep the lock after our end.
        let opened = NewFile.open(path)
        guard opened >= 0 else {
            if errno == ENOSPC || errno == EDQUOT { throw .full(store) }
            throw .unwritable(store, detail: "\(path): \(String(cString: strerror(errno)))")
        }
        while flock(opened, LOCK_EX | LOCK_NB) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            let holder = Self.holder(opened)
            Glibc.close(opened)
            guard reason == EWOULDBLOCK else {
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

    /// Whether a process has the lock of this store now. By the kernel's list: to try the lock would keep a daemon out that
    /// starts at the same moment. https://man7.org/linux/man-pages/man5/proc_locks.5.html
    static func isHeld(store: String) -> Bool {
        var facts = stat()
        guard stat(path(store), &facts) == 0, let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
        else { return false }
        let file = ":\(facts.st_ino)"
        return locks.split(separator: "\n").contains { lock in
            let fields = lock.split(separator: " ")
            return fields.contains("FLOCK") && fields.contains { $0.hasSuffix(file) }
        }
    }

    deinit { release() }

    func release() {
        descriptor.withLock { held in
            if let open = held {
                // Closing alone would leave the lock with the copy that a child has between its fork and its exec.
                _ = flock(open, LOCK_UN)
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

/// A file that this process makes beside others: root gives it to the owner of the folder, since a service that runs as
/// another user must be able to use it.
enum NewFile {
    /// Opens a file for reading and writing, and makes it where absent, with the rights that the process's mask leaves; one
    /// that root gives away, in a folder where the group may write, is the group's to write as well.
    ///
    /// It follows no symbolic link: others may write in the folder, and a link of theirs would have root make, empty or give
    /// away any file of the machine.
    /// - Returns: the descriptor, which no child inherits; below 0 where that fails, with the reason in `errno`.
    static func open(_ path: String) -> Int32 {
        let made = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard made >= 0 else { return errno == EEXIST ? openExisting(path) : made }
        var folder = stat()
        if geteuid() == 0, stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0 {
            _ = fchown(made, folder.st_uid, folder.st_gid)
            if folder.st_mode & S_IWGRP != 0 { _ = fchmod(made, 0o660) }
        }
        return made
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
