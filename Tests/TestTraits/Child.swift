// Programs that tests start. Foundation's `Process` detects a child's end by a socket that the child holds. Another
// child that starts at the same moment can inherit the socket. The end is then detected only when both have ended.

import CSpawn
import Foundation
import Glibc
import Synchronization

/// A child process in its own process group. It inherits only the three descriptors that it is given.
package final class Child: Sendable {
    package enum End: Equatable, Sendable {
        /// With this code; -1 if the code is unknown.
        case exit(Int32)
        case signal(Int32)
    }

    package struct CannotStart: Error, CustomStringConvertible {
        let path: String
        let number: Int32

        package var description: String { "\(path) cannot be started: \(String(cString: strerror(number)))" }
    }

    private struct State {
        var end: End?
        var waiting: [CheckedContinuation<End, Never>] = []
    }

    package let pid: pid_t
    private let state = Mutex(State())

    /// Starts the program. The streams need descriptors, and may be closed after this returns.
    /// - Parameters:
    ///   - executable: its file; `PATH` is not searched.
    ///   - arguments: without the program's name.
    ///   - environment: its whole environment.
    ///   - folder: its working directory; this process's if nil.
    ///   - input: its standard input.
    ///   - output: its standard output.
    ///   - errors: its standard error.
    /// - Throws: `CannotStart`.
    package init(
        _ executable: URL, _ arguments: [String], environment: [String: String], folder: URL? = nil, input: FileHandle,
        output: FileHandle, errors: FileHandle
    ) throws {
        let path = executable.path
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var child = pid_t()
        let streams = [input.fileDescriptor, output.fileDescriptor, errors.fileDescriptor]
        let number = aasa_spawn(&child, path, words, variables, folder?.path, streams)
        guard number == 0 else { throw CannotStart(path: path, number: number) }
        pid = child
        // This thread may block. It ends with the child.
        Thread { [self] in waitForEnd() }.start()
    }

    /// How the child ended; nil while it runs.
    package var end: End? { state.withLock(\.end) }

    /// Waits until the child ends, however long that takes.
    package func ended() async -> End {
        await withCheckedContinuation { continuation in
            let end = state.withLock { state -> End? in
                if state.end == nil { state.waiting.append(continuation) }
                return state.end
            }
            if let end { continuation.resume(returning: end) }
        }
    }

    /// Sends a signal, unless the child has ended: its process ID may then belong to another process.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if state.end == nil { kill(pid, number) }
        }
    }

    private func waitForEnd() {
        var info = siginfo_t()
        // Waits without reaping: only the lock below releases the process ID.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        let (end, waiting) = state.withLock { state in
            // It stays -1 if the code is unknown, for example if this process was started with SIGCHLD ignored.
            var status: Int32 = -1
            while waitpid(pid, &status, 0) == -1, errno == EINTR {}
            let end =
                status == -1
                ? End.exit(-1) : status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F)
            defer { state = State(end: end) }
            return (end, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: end) }
    }
}
