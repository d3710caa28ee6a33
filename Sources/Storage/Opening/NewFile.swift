import Foundation
import Glibc

/// A file that this process makes beside others: root gives it to the owner of the folder, since a service that runs as
/// another user must be able to use it.
enum NewFile {
    /// Opens a file for reading and writing, and makes it where absent, with the rights that the process's mask leaves.
    /// - Returns: the descriptor, which no child inherits; below 0 where that fails, with the reason in `errno`.
    static func open(_ path: String) -> Int32 {
        let isNew = access(path, F_OK) != 0
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        var folder = stat()
        if descriptor >= 0, isNew, geteuid() == 0,
            stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0
        {
            _ = fchown(descriptor, folder.st_uid, folder.st_gid)
        }
        return descriptor
    }
}
