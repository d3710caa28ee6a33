// Results go to standard output, everything else to standard error.

import Facts
import Foundation

package enum Console {
    private static let isUnread = Locked(false)
    private static let endsWithReader = Locked(false)

    /// Writes a result and a line break. If the reader has gone, as `head` does, the rest is dropped: the exit code
    /// still tells what was found.
    package static func print(_ text: String) {
        if !isUnread.withLock(\.self) { write(text + "\n", to: STDOUT_FILENO) }
    }

    /// For long-running commands: they end once their reader has gone.
    package static func endWithReader() { endsWithReader.withLock { $0 = true } }

    /// Writes a message for the person at the terminal.
    package static func note(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Writes a message that begins with the program's name, as errors and remarks of this program do.
    package static func remark(_ text: String) { note("aasa-monitor: \(text)") }

    /// - Returns: whether all of it was written.
    @discardableResult
    package static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EINTR {
                continue
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, 1000)
            } else if descriptor == STDOUT_FILENO, errno == EPIPE {
                if endsWithReader.withLock(\.self) { exit(MonitorExit.unread.rawValue) }
                isUnread.withLock { $0 = true }
                return false
            } else if descriptor == STDOUT_FILENO {
                // A report that cannot be written must not look like success.
                remark("the result cannot be written: \(String(cString: strerror(errno)))")
                exit(MonitorExit.software.rawValue)
            } else {
                return false
            }
        }
        return true
    }
}
