// One run of a program from outside. Its output goes to files: nobody has to drain a pipe, and no other child can hold
// a pipe open.

import Foundation
import TestSupport
import TestTraits

/// A child process with a clean environment, without this machine's proxy and CA bundle.
final class MonitorProcess: Sendable {
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    struct StillRunning: Error, CustomStringConvertible {
        let errors: String
        var description: String { "the process did not end in time; standard error: \(errors.suffix(2000))" }
    }

    struct NoJSON: Error, CustomStringConvertible {
        let process: MonitorProcess
        var description: String {
            let end = process.end.map { "\($0)" } ?? "still running"
            return
                "no JSON on standard output (\(end)): \(process.output.prefix(500)); standard error: \(process.errors.suffix(2000))"
        }
    }

    private let child: Child
    private let out: URL
    private let err: URL

    /// The built program, next to the bundle that runs these tests.
    static let binary: URL = {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: running).deletingLastPathComponent().appending(path: "aasa-monitor")
    }()

    /// The few variables that every program in a test gets.
    static let environment = [
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "LC_ALL": "C.UTF-8", "TERM": "xterm",
    ]

    /// - Parameters:
    ///   - arguments: as on a command line, without the program's name.
    ///   - executable: the program under test by default.
    ///   - folder: the working directory, which also takes the output.
    ///   - input: what standard input holds; empty by default.
    ///   - environment: in addition to the few variables that it always has.
    ///   - output: where standard output goes in place of a file.
    ///   - errors: where standard error goes in place of a file.
    /// - Throws: if it cannot be started.
    init(
        _ arguments: [String], executable: URL = MonitorProcess.binary, folder: URL, input: String = "",
        environment: [String: String] = [:], output: FileHandle? = nil, errors: FileHandle? = nil
    ) throws {
        let name = UUID().uuidString
        out = folder.appending(path: "\(name).out")
        err = folder.appending(path: "\(name).err")
        let source = folder.appending(path: "\(name).in")
        try Data(input.utf8).write(to: source)
        try Data().write(to: out)
        try Data().write(to: err)
        // Close our copies when the child has its own.
        var own: [FileHandle] = []
        defer { for handle in own { try? handle.close() } }
        func keep(_ handle: FileHandle) -> FileHandle {
            own.append(handle)
            return handle
        }
        child = try Child(
            executable, arguments, environment: Self.environment.merging(environment) { $1 },
            folder: folder, input: keep(FileHandle(forReadingFrom: source)),
            output: output ?? keep(FileHandle(forWritingTo: out)),
            errors: errors ?? keep(FileHandle(forWritingTo: err)))
    }

    var pid: pid_t { child.pid }
    var end: End? {
        child.end.map { end in
            switch end {
            case .exit(let code): .exit(code)
            case .signal(let number): .signal(number)
            }
        }
    }
    var output: String { Self.text(out) }
    var errors: String { Self.text(err) }

    /// Standard output as JSON.
    /// - Throws: `NoJSON`, which shows the output.
    func json() throws -> JSONValue {
        guard let value = try? JSONValue(output) else { throw NoJSON(process: self) }
        return value
    }

    func signal(_ number: Int32) { child.signal(number) }

    /// Waits for the end, at most for the timeout of a test; then kills the process and throws `StillRunning`.
    @discardableResult
    func ended() async throws -> End {
        let child = child
        let isInTime = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = await child.ended()
                return true
            }
            group.addTask {
                try? await Task.sleep(for: Stage.timeout)
                return false
            }
            let isInTime = await group.next() ?? false
            // This ends both tasks.
            if !isInTime { child.signal(SIGKILL) }
            group.cancelAll()
            return isInTime
        }
        guard isInTime, let end else { throw StillRunning(errors: errors) }
        return end
    }

    /// Kills the process without a chance to clean up, and waits for its end.
    func kill9() async throws {
        signal(SIGKILL)
        try await ended()
    }

    private static func text(_ file: URL) -> String {
        String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
    }
}
