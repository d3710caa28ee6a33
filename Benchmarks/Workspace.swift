// A benchmark's temporary folder and child processes. `clear` removes them at the end, after a failure and after a
// signal.

import CSpawn
import Foundation
import Glibc
import Synchronization

/// The reason why a benchmark stopped without figures.
struct BenchFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

final class Workspace: Sendable {
    /// How a program ended.
    struct Outcome {
        /// The exit code; if a signal ended it, 128 plus the signal's number, as in a shell.
        let code: Int
        /// User and system time.
        let cpu: Duration
        let elapsed: Duration
        let output: String
        let errors: String

        var firstError: String { errors.split(whereSeparator: \.isNewline).first.map(String.init) ?? "no message" }
    }

    private struct State {
        var running: Set<pid_t> = []
        var codes: [pid_t: Int] = [:]
    }

    let folder: String
    private let state = Mutex(State())

    init() throws {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        var template = Array("\(parent)/aasa-monitor-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw BenchFault("no temporary folder in \(parent): \(String(cString: strerror(errno)))")
        }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: - Files

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// - Returns: the path of the file.
    func write(_ text: String, to name: String) throws -> String {
        do {
            try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        } catch {
            throw BenchFault("\(path(name)) cannot be written: \(error)")
        }
        return path(name)
    }

    /// The size of an SQLite database and its log, in bytes.
    func databaseSize(_ name: String) -> Int {
        [path(name), path(name) + "-wal"].reduce(0) { sum, path in
            sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    // MARK: - Programs

    /// The path of a program in `PATH`, or in Debian's folders for servers, which a user's `PATH` lacks.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    static func tool(_ name: String) throws -> String {
        guard let path = find(name) else { throw BenchFault("\(name) missing; run 'make setup', which installs it") }
        return path
    }

    /// Starts a program that runs in the background.
    func start(_ program: String, _ arguments: [String]) throws -> pid_t {
        try state.withLock { state in
            let child = try Self.spawn(
                program, arguments, output: output(program, "out"), errors: output(program, "err"))
            state.running.insert(child)
            return child
        }
    }

    /// Runs a program to its end.
    func run(_ program: String, _ arguments: [String]) throws -> Outcome {
        let begin = ContinuousClock.now
        let child = try start(program, arguments)
        // Waits without reaping: while `clear` may signal the id, no other process may get it.
        var info = siginfo_t()
        while waitid(P_PID, id_t(child), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let elapsed = ContinuousClock.now - begin
        var status: Int32 = 0
        var usage = rusage()
        state.withLock { state in
            state.running.remove(child)
            wait4(child, &status, 0, &usage)
        }
        return Outcome(
            code: Self.code(status), cpu: usage.cpu, elapsed: elapsed, output: text(output(program, "out")),
            errors: text(output(program, "err")))
    }

    /// The exit code of a background program; nil while it runs.
    func exitCode(of child: pid_t) -> Int? {
        state.withLock { state in
            var status: Int32 = 0
            if state.running.contains(child), waitpid(child, &status, WNOHANG) == child {
                state.running.remove(child)
                state.codes[child] = Self.code(status)
            }
            return state.codes[child]
        }
    }

    /// Sends SIGTERM and waits for the end.
    /// - Returns: the exit code; nil if the program still runs after a minute.
    func stop(_ child: pid_t) async -> Int? {
        let begin = ContinuousClock.now
        kill(child, SIGTERM)
        while ContinuousClock.now - begin < .seconds(60) {
            if let code = exitCode(of: child) { return code }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    /// The end of a program's log.
    func lastLines(of program: String) -> String {
        let log = text(output(program, "err")) + text(output(program, "out"))
        return log.split(separator: "\n").suffix(5).joined(separator: "\n")
    }

    /// Ends the children and this process, from any thread. Other threads wait for the lock, so they cannot report the
    /// failures that this causes.
    func clear(exitCode: Int32) -> Never {
        state.withLock { state -> Never in
            for child in state.running { kill(child, SIGTERM) }
            for child in state.running { Self.reap(child) }
            // AASA_BENCH_KEEP keeps the files.
            if ProcessInfo.processInfo.environment["AASA_BENCH_KEEP"] == nil {
                try? FileManager.default.removeItem(atPath: folder)
            }
            _exit(exitCode)
        }
    }

    private static func reap(_ child: pid_t) {
        for _ in 1...200 {
            if waitpid(child, nil, WNOHANG) != 0 { return }
            usleep(10_000)
        }
        // The whole group, because nginx's workers outlive a killed master.
        kill(-child, SIGKILL)
        waitpid(child, nil, 0)
    }

    private static func spawn(
        _ program: String, _ arguments: [String], output: String, errors: String
    ) throws -> pid_t {
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        // A user's proxy or CA settings must not affect only some of the programs.
        let environment = [strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), strdup("LC_ALL=C"), nil]
        defer { for text in words + environment { free(text) } }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let streams = [
            open("/dev/null", O_RDONLY | O_CLOEXEC), open(output, flags, 0o600), open(errors, flags, 0o600),
        ]
        defer { for stream in streams { close(stream) } }
        var child = pid_t()
        let number = aasa_spawn(&child, program, words, environment, nil, streams)
        guard number == 0 else {
            throw BenchFault("\(program) cannot be started: \(String(cString: strerror(number)))")
        }
        return child
    }

    private static func code(_ status: Int32) -> Int {
        status & 0x7f == 0 ? Int((status >> 8) & 0xff) : 128 + Int(status & 0x7f)
    }

    private func output(_ program: String, _ end: String) -> String {
        path("\(URL(filePath: program).lastPathComponent).\(end)")
    }

    private func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}
