// Where log lines go. Their reader may be slow, stalled or gone, and the disk under them full: none of that may hold up a
// check or end the process.

import Dispatch
import Foundation
import Glibc
import Synchronization

/// Writes whole lines to standard error on a queue of its own. Lines that find it full are dropped and counted.
package final class LogSink: Sendable {
    package static let shared = LogSink(descriptor: STDERR_FILENO)

    private struct State {
        var waiting = 0
        var dropped = 0
    }

    /// Lines that wait to be written, at most.
    private static let capacity = 4096

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "aasa-monitor.log")
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Takes a line without its line break; returns at once.
    func write(_ line: String) {
        let dropped: Int? = state.withLock { state in
            guard state.waiting < Self.capacity else {
                state.dropped += 1
                return nil
            }
            state.waiting += 1
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard let dropped else { return }
        queue.async { [self] in
            if dropped > 0 { put("(\(dropped) log lines dropped: their reader is too slow)\n") }
            put(line + "\n")
            state.withLock { $0.waiting -= 1 }
        }
    }

    /// Waits until what was taken is written, at most so long: a reader that stalls is not waited for.
    package func flush(atMost limit: DispatchTimeInterval = .milliseconds(500)) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + limit)
    }

    private func put(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written > 0 {
                bytes = bytes.dropFirst(written)
            } else if errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&waiting, 1, 1000)
            } else if errno != EINTR {
                // The reader is gone or the disk is full: the line is lost.
                return
            }
        }
    }
}
