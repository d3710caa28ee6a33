// Programs that tests run to their end. Nothing blocks meanwhile: a thread of Swift's pool that waits for a child is missing
// to all other tests, and Foundation's own wait needs a run loop, which a task has not.

import Foundation

/// How a program ended, and what it said.
package struct ChildProcess: Sendable {
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
        // `Process` holds on to them for longer than it lives.
        var own: [FileHandle] = []
        defer { for handle in own { try? handle.close() } }
        func keep(_ handle: FileHandle) -> FileHandle {
            own.append(handle)
            return handle
        }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let environment { process.environment = environment }
        process.standardInput = try input.map { keep(try FileHandle(forReadingFrom: $0)) } ?? FileHandle.nullDevice
        process.standardOutput = keep(try FileHandle(forWritingTo: out))
        process.standardError = keep(try FileHandle(forWritingTo: err))
        let exitCode: Int32 = try await withCheckedThrowingContinuation { ended in
            process.terminationHandler = { ended.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                ended.resume(throwing: error)
            }
        }
        return ChildProcess(
            exitCode: exitCode, output: String(decoding: try Data(contentsOf: out), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: err), as: UTF8.self))
    }
}
