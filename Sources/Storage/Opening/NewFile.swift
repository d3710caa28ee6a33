import Foundation
import Glibc

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
