import Foundation
import Glibc

/// A pipe that holds one page, for output that nobody reads.
struct NarrowPipe {
    /// The end that a child writes to.
    let writing: FileHandle
    private let reading: Int32

    struct Unavailable: Error {}

    /// `F_SETPIPE_SZ`, which Swift does not import: https://man7.org/linux/man-pages/man2/F_SETPIPE_SZ.2const.html
    private static let setSize: Int32 = 1031

    /// Uses a named pipe: it can be opened so that no other child inherits an end.
    init(in folder: URL) throws {
        let path = folder.appending(path: "\(UUID().uuidString).pipe").path
        guard mkfifo(path, 0o600) == 0 else { throw Unavailable() }
        reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let end = open(path, O_WRONLY | O_CLOEXEC)
        guard reading >= 0, end >= 0, fcntl(end, Self.setSize, 4096) >= 4096 else { throw Unavailable() }
        writing = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    }

    /// Whether a writer would now have to wait.
    var isFull: Bool {
        var state = pollfd(fd: writing.fileDescriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// Closes the reader: every write fails from now on.
    func closeReader() { close(reading) }
}
