// Programs that tests run to their end. Nothing may block meanwhile: a thread of Swift's pool that waits for a child is
// missing for all other tests, and Foundation's own wait needs a run loop, which a task does not have.

import Foundation

/// How a program ended, and its output.
package struct ChildProcess: Sendable {
    /// As in shells, 128 plus the number of the signal that ended it.
    package let exitCode: Int32
    package let output: String
    package let errors: String

    /// Runs a program to its end.
    /// - Parameters:
    ///   - executable: its file.
    ///   - arguments: without the program's name.
    ///   - environment: replaces this process's own.
    ///   - input: the file that is its standard input; none by default.
    /// - Returns: the result, whatever the exit code.
    /// - Throws: if the program cannot be started, or its output cannot be stored.
    package static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String]? = nil, input: URL? = nil
    ) async throws -> ChildProcess {
        let folder = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files instead of pipes: a full pipe would block the child.
        let out = folder.appending(path: "out")
        let err = folder.appending(path: "err")
        try Data().write(to: out)
        try Data().write(to: err)
        let streams = try (
            input: FileHandle(forReadingFrom: input ?? URL(filePath: "/dev/null")),
            output: FileHandle(forWritingTo: out), errors: FileHandle(forWritingTo: err)
        )
        let child = try Child(
            executable, arguments, environment: environment ?? ProcessInfo.processInfo.environment,
            input: streams.input, output: streams.output, errors: streams.errors)
        let exitCode: Int32 =
            switch await child.ended() {
            case .exit(let code): code
            case .signal(let number): 128 + number
            }
        return ChildProcess(
            exitCode: exitCode, output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
    }
}
