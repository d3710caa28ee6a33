// Results go to standard output, everything else to standard error.

import Daemon
import Evidence
import Foundation
import Logging
import Synchronization

enum Console {
    private static let isUnread = Atomic(false)
    private static let endsWithReader = Atomic(false)

    /// Writes a result and a line break. If the reader has gone, as `head` does, the rest is dropped: the exit code
    /// still tells what was found.
    static func print(_ text: String) {
        if !isUnread.load(ordering: .relaxed) { write(text + "\n", to: STDOUT_FILENO) }
    }

    /// For long-running commands: they end once their reader has gone.
    static func endWithReader() { endsWithReader.store(true, ordering: .relaxed) }

    /// Writes a message for the person at the terminal.
    static func note(_ text: String) {
        write(text + "\n", to: STDERR_FILENO)
    }

    /// Writes a message that begins with the program's name, as errors and remarks of this program do.
    static func remark(_ text: String) { note("aasa-monitor: \(text)") }

    /// A remark about the failure that ends the command; an error in the journal, line by line.
    static func complain(_ text: String) {
        guard Journal.takesStandardError else { return remark(text) }
        let lines = "aasa-monitor: \(text)".split(separator: "\n", omittingEmptySubsequences: false)
        note(lines.map { Journal.priority(.error) + $0 }.joined(separator: "\n"))
    }

    /// - Returns: whether all of it was written.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EINTR {
                continue
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, 1000)
            } else if descriptor == STDOUT_FILENO, errno == EPIPE {
                if endsWithReader.load(ordering: .relaxed) { exit(MonitorExit.unread.rawValue) }
                isUnread.store(true, ordering: .relaxed)
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

/// A line on a terminal that shows the progress of a long command. Silent if standard error is not a terminal.
final class Progress: Sendable {
    private let isShown: Bool
    private let total: Int
    private let done = Mutex(0)

    init(total: Int, isQuiet: Bool) {
        self.total = total
        let canErase = ProcessInfo.processInfo.environment["TERM"] != "dumb"
        isShown = !isQuiet && canErase && isatty(STDERR_FILENO) == 1
        show(0)
    }

    func advance() {
        let count = done.withLock { count in
            count += 1
            return count
        }
        show(count)
    }

    /// Erases the line before results are printed.
    func clear() {
        if isShown { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    private func show(_ count: Int) {
        guard isShown else { return }
        Console.write("\r\u{1B}[Kchecking: \(count) of \(total) done", to: STDERR_FILENO)
    }
}
