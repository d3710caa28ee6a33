// Messages to programs of the operator's: one run of a program, and what its end means as an answer.

import CSpawn
import Evidence
import Foundation
import Glibc
import Synchronization

extension ReceiverTransport {
    /// - Throws: `CancellationError`, after the program was ended.
    static func run(_ call: ProgramCall, _ request: MessageRequest) async throws -> TransportAnswer {
        try Task.checkCancellation()
        let run: ProgramRun
        do {
            run = try ProgramRun(call, input: request.body)
        } catch {
            return TransportAnswer(
                status: nil,
                fault: TransportFault(
                    kind: error.isOfProgram ? .program : .network, detail: error.description, wasSent: false))
        }
        let result = await withTaskCancellationHandler {
            await run.result(within: request.timeout)
        } onCancel: {
            run.cancel()
        }
        let fault: String
        switch result.end {
        // It ended by itself, even where its time was up in the same moment.
        case .exit(let code): return TransportAnswer(status: Int(code), body: result.output)
        case .signal where result.isCancelled: throw CancellationError()
        case .signal where result.isOverTime:
            fault = "it took longer than \(request.timeout.components.seconds) s, and was ended"
        case .signal(let number): fault = "it was ended by signal \(number)"
        }
        return TransportAnswer(
            status: nil, body: result.output, fault: TransportFault(kind: .network, detail: fault))
    }
}

/// Why a program did not start.
struct ProgramCannotStart: Error, CustomStringConvertible {
    let file: String
    /// As in `errno`.
    let number: Int32

    /// The file is at fault, and not this machine's want of memory or processes.
    var isOfProgram: Bool { ![EAGAIN, ENOMEM, EMFILE, ENFILE, ENOBUFS].contains(number) }

    var description: String {
        let place = number == ENOENT ? " (the file, or the interpreter in its first line)" : ""
        return "\(file) cannot be started: \(String(cString: strerror(number)))\(place)"
    }
}

/// A program under way, in a process group of its own, with none of this process's descriptors.
/// Its input, what it says, its end, and its end by force. Two threads of its own wait, so that nothing of Swift's pool does.
final class ProgramRun: Sendable {
    enum End: Equatable, Sendable {
        case exit(Int32)
        case signal(Int32)
    }

    struct Result: Sendable {
        let end: End
        /// The beginning of what it wrote to its standard output and standard error.
        let output: Data
        /// It was ended for its time.
        let isOverTime: Bool
        let isCancelled: Bool
    }

    private struct State {
        /// Its number may be another's from then on.
        var hasEnded = false
        var isCancelled = false
    }

    /// Of the output so many bytes are kept; the rest is read and dropped, so that the program can go on.
    static let keptOutput = 4096

    /// A parent that ignores SIGCHLD hands that on, and then no program's end can be read.
    private static let keepsEnds: Void = { _ = signal(SIGCHLD, SIG_DFL) }()

    private let pid: pid_t
    /// The end of the pipe that it writes to.
    private let output: Int32
    /// Whose other end is closed when it has ended.
    private let endSignal: (read: Int32, write: Int32)
    private let state = Mutex(State())

    /// Starts it.
    /// - Parameters:
    ///   - call: what is started.
    ///   - input: fits into a pipe, so that nobody has to wait until it is read, or to care if it is not.
    /// - Throws: why it does not start.
    init(_ call: ProgramCall, input: Data) throws(ProgramCannotStart) {
        Self.keepsEnds
        let file = call.words.first ?? ""
        func pipe() throws(ProgramCannotStart) -> (read: Int32, write: Int32) {
            var ends: [Int32] = [-1, -1]
            let number = aasa_pipe(&ends)
            guard number == 0 else { throw ProgramCannotStart(file: file, number: number) }
            return (ends[0], ends[1])
        }
        let given = try pipe()
        defer { close(given.read) }
        let number = Self.fill(given.write, with: input)
        close(given.write)
        guard number == 0 else { throw ProgramCannotStart(file: file, number: number) }
        let said = try pipe()
        defer { close(said.write) }
        do {
            endSignal = try pipe()
        } catch {
            close(said.read)
            throw error
        }
        do {
            pid = try Self.start(call, file: file, [given.read, said.write, said.write])
        } catch {
            for end in [said.read, endSignal.read, endSignal.write] { close(end) }
            throw error
        }
        output = said.read
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    /// - Returns: 0 or the number of the error.
    private static func fill(_ end: Int32, with input: Data) -> Int32 {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        var rest = input[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
            guard count > 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }

    private static func start(
        _ call: ProgramCall, file: String, _ streams: [Int32]
    ) throws(ProgramCannotStart) -> pid_t {
        let words = call.words.map { strdup($0) } + [nil]
        let variables = call.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var child = pid_t()
        let number = aasa_spawn(&child, file, words, variables, "/", streams)
        guard number == 0 else { throw ProgramCannotStart(file: file, number: number) }
        return child
    }

    /// Waits for its end, and ends it with all of its group when the time is up. To be called once.
    func result(within limit: Duration) async -> Result {
        await withCheckedContinuation { continuation in
            Thread { [self] in continuation.resume(returning: watch(limit)) }.start()
        }
    }

    /// Ends it with all of its group.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        killGroup()
    }

    private func killGroup() {
        state.withLock { state in
            if !state.hasEnded { kill(-pid, SIGKILL) }
        }
    }

    // MARK: - On the threads

    private func watch(_ limit: Duration) -> Result {
        let deadline = ContinuousClock.now + limit
        Thread { [self] in waitForEnd() }.start()
        var sources = [
            pollfd(fd: endSignal.read, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        ]
        var kept = Data()
        var isOverTime = false
        // It may close its output long before its end, and what it leaves behind may hold it open long after that.
        while sources[0].revents == 0 {
            let left = deadline - .now
            if !isOverTime, left <= .zero {
                isOverTime = true
                killGroup()
            }
            let pause = isOverTime ? -1 : Int32(min(left / .milliseconds(1), 60_000)) + 1
            guard poll(&sources, 2, pause) >= 0 else {
                sources[0].revents = 0
                continue
            }
            if sources[1].revents != 0, !read(into: &kept) { sources[1].fd = -1 }
        }
        if sources[1].fd >= 0 { _ = read(into: &kept) }
        close(endSignal.read)
        close(output)
        return state.withLock { state in
            // What it leaves behind ends with it. Its group's number is nobody else's while its end was not read.
            kill(-pid, SIGKILL)
            var status: Int32 = -1
            while waitpid(pid, &status, 0) == -1, errno == EINTR {}
            state.hasEnded = true
            return Result(
                end: status & 0x7F == 0 ? .exit(status >> 8 & 0xFF) : .signal(status & 0x7F), output: kept,
                isOverTime: isOverTime, isCancelled: state.isCancelled)
        }
    }

    private func waitForEnd() {
        var info = siginfo_t()
        // Its number is given back only when `watch` asks for its end.
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        close(endSignal.write)
    }

    /// - Returns: whether more may come.
    private func read(into kept: inout Data) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(output, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        kept.append(contentsOf: buffer.prefix(min(count, Self.keptOutput - kept.count)))
        return true
    }
}
