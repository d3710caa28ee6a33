// Programs that tests run to their end. Nothing blocks meanwhile: a thread of Swift's pool that waits for a child is missing
// to all other tests, and Foundation's own wait needs a run loop, which a task has not.

import Foundation

/// How a program ended, and what it said.
package struct ChildProcess: Sendable {
    /// 128 and the number of the signal that ended it, as shells count.
    package let exitCode: Int32
    package let output: String
    package let errors: String

    /// Runs it to its end.
    /// - Parameters:
    ///   - executable: its file.
    ///   - arguments: without the program's name.
    ///   - environment: in place of this process's own.
    ///   - input: the file that is its standard input; none by default.
    /// - Returns: how it ended, whatever its exit code.
    /// - Throws: where it cannot be started, or its output not be kept.
    package static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String]? = nil, input: URL? = nil
    ) async throws -> ChildProcess {
        let folder = FileManager.default.temporaryDirectory.appending(path: "child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files and no pipes: nobody waits for the other.
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
