// Reads files that users name, up to a size limit. Errors contain the system's reason.

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

package enum SmallFile {
    /// The file's first bytes, at most `limit`. Also reads pipes, as in `--config <(…)`, but only with a writer.
    ///
    /// - Throws: `UnreadableFile` with the system's reason.
    package static func bytes(at path: String, limit: Int) throws(UnreadableFile) -> [UInt8] {
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path) }
        return try bytes(of: file, named: path, limit: limit, mayWait: status.st_mode & S_IFMT != S_IFREG)
    }

    /// Like `bytes(at:limit:)`, but waits without a time limit, because a person may be typing. Not through
    /// `/dev/stdin`, which cannot be opened if it is a socket, as under sshd.
    package static func standardInput(limit: Int) throws(UnreadableFile) -> [UInt8] {
        try bytes(of: STDIN_FILENO, named: "standard input", limit: limit, mayWait: false)
    }

    /// In milliseconds: the wait for a pipe's writer, and the wait for the next bytes.
    private static let timeout: (writer: Int32, bytes: Int32) = (2_000, 30_000)

    private static func bytes(
        of file: Int32, named path: String, limit: Int, mayWait: Bool
    ) throws(UnreadableFile) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var hasWriter = false
        while result.count < limit {
            let count = read(file, &buffer, min(buffer.count, limit - result.count))
            if count > 0 {
                hasWriter = true
                result += buffer[..<count]
                continue
            }
            if count < 0, errno == EINTR { continue }
            let isEmpty = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
            // A folder fails here too: it can be opened, but not read.
            if count < 0, !isEmpty { throw unreadable(path) }
            if isEmpty { hasWriter = true }
            // The end of the file, unless it is a pipe without a writer so far.
            if count == 0, hasWriter || !mayWait { break }
            var request = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            switch poll(&request, 1, hasWriter ? timeout.bytes : timeout.writer) {
            case 0:
                throw UnreadableFile(
                    path: path,
                    reason: hasWriter
                        ? "nothing more was written to it for \(timeout.bytes / 1000) s"
                        : "it is a pipe that nobody writes to")
            case 1...: hasWriter = true
            default: if errno != EINTR { throw unreadable(path) }
            }
        }
        return result
    }

    private static func unreadable(_ path: String) -> UnreadableFile {
        UnreadableFile(path: path, reason: String(cString: strerror(errno)).lowercased())
    }
}

/// A file that could not be read at all; exit code 66.
package struct UnreadableFile: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { "cannot read '\(path)': \(reason)" }
}
