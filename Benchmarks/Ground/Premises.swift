// What the bench sets up outside of itself: a temporary folder and child processes. `clear` takes all of it away, at the
// end, on failure and on a signal.

import Foundation
import Glibc
import Synchronization

final class Premises: Sendable {
    private struct State {
        var children: Set<pid_t> = []
        var cleared = false
    }

    let folder: String
    private let state = Mutex(State())

    /// - Throws: `BenchFault` where there is no temporary folder to be had.
    init() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        var template = Array("\(parent)/aasa-monitor-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchFault("no temporary folder in \(parent): \(String(cString: strerror(errno)))")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// - Returns: the file's path.
    func write(_ data: Data, to name: String) throws -> String {
        do {
            try data.write(to: URL(filePath: path(name)))
        } catch {
            throw BenchFault("\(path(name)) cannot be written: \(error)")
        }
        return path(name)
    }

    /// Starts a program that runs on.
    func start(_ program: String, _ arguments: [String]) throws -> pid_t {
        try state.withLock { state in
            // A signal came: nothing new may be started behind the back of `clear`.
            guard !state.cleared else { throw BenchFault("interrupted") }
            let child = try spawn(program, arguments, output: outputPath(program), complaints: complaintsPath(program))
            state.children.insert(child)
            return child
        }
    }

    /// Runs a program to its end.
    func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        let clock = ContinuousClock()
        let began = clock.now
        let child = try start(program, arguments)
        // Waited for without reaping first: while it is in `children` its number must stay its own.
        var info = siginfo_t()
        while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let wall = clock.now - began
        var status: Int32 = 0
        var usage = rusage()
        let reaped = state.withLock { state in
            state.children.remove(child)
            return wait4(child, &status, 0, &usage)
        }
        guard reaped == child else { throw BenchFault("interrupted") }
        return Outcome(
            // As a shell tells it.
            code: status & 0x7f == 0 ? Int((status >> 8) & 0xff) : 128 + Int(status & 0x7f), wall: wall,
            cpu: Usage(usage).cpu, output: text(outputPath(program)),
            complaints: text(complaintsPath(program)))
    }

    /// Whether a child that was started is alive; one that ended is forgotten.
    func isRunning(_ child: pid_t) -> Bool {
        state.withLock { state in
            guard state.children.contains(child) else { return false }
            guard waitpid(child, nil, WNOHANG) == child else { return true }
            state.children.remove(child)
            return false
        }
    }

    /// Waits until a child ends; kills one that does not end in time.
    ///
    /// - Returns: its status as `waitpid` has it; nil where it had to be killed.
    func end(of child: pid_t, within limit: Duration) async -> Int32? {
        let begin = ContinuousClock.now
        while true {
            var status: Int32 = 0
            let isOver = state.withLock { state in
                guard state.children.contains(child), waitpid(child, &status, WNOHANG) == child else { return false }
                state.children.remove(child)
                return true
            }
            if isOver { return status }
            if ContinuousClock.now - begin > limit {
                state.withLock { state in
                    guard state.children.remove(child) != nil else { return }
                    kill(-child, SIGKILL)
                    waitpid(child, nil, 0)
                }
                return nil
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    /// May be called again, and from any thread.
    ///
    /// - Parameter exitCode: to end the process with. It ends before any other thread gets to tell of the failures that the
    ///   clearing itself brought about.
    func clear(exitCode: Int32? = nil) {
        state.withLock { state in
            state.cleared = true
            for child in state.children { kill(child, SIGTERM) }
            for child in state.children { reap(child) }
            state.children = []
            // AASA_BENCH_KEEP keeps the files of a run.
            if ProcessInfo.processInfo.environment["AASA_BENCH_KEEP"] == nil {
                try? FileManager.default.removeItem(atPath: folder)
            }
            if let exitCode { _exit(exitCode) }
        }
    }

    private func outputPath(_ program: String) -> String { path("\(URL(filePath: program).lastPathComponent).out") }

    private func complaintsPath(_ program: String) -> String { path("\(URL(filePath: program).lastPathComponent).err") }

    private func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    private func reap(_ child: pid_t) {
        for _ in 1...200 {
            if waitpid(child, nil, WNOHANG) != 0 { return }
            usleep(10_000)
        }
        // Its group: nginx's workers would outlive a master that is killed.
        kill(-child, SIGKILL)
        waitpid(child, nil, 0)
    }
}

/// What became of a program.
struct Outcome {
    let code: Int
    let wall: Duration
    /// User and system time of the process.
    let cpu: Duration
    let output: String
    let complaints: String

    var firstComplaint: String {
        complaints.split(whereSeparator: \.isNewline).first.map(String.init) ?? "no message"
    }
}
