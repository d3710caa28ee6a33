// How long tests take, without the time in which they wait for their turn. `make test` lists the slowest of them
// (`.ci/test`).

import Foundation
import Glibc
import Testing

/// Appends a line for each case to the file that `AASA_TEST_TIMES` names: seconds, file, test. At its end, the process
/// appends `cpu`: its own CPU seconds and those of the programs that it started.
enum TestTimes {
    private static let file: Int32? = {
        guard let path = ProcessInfo.processInfo.environment["AASA_TEST_TIMES"] else { return nil }
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard file >= 0 else { return nil }
        atexit { TestTimes.writeUsage() }
        return file
    }()

    static func measure(_ test: Test, _ function: () async throws -> Void) async throws {
        let begin = ContinuousClock.now
        defer {
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            let name = (test.displayName ?? test.name).replacing("\n", with: " ")
            write(String(format: "%.3f", seconds) + "\t\(test.sourceLocation.fileID)\t\(name)\n")
        }
        try await function()
    }

    private static func writeUsage() {
        let seconds = [RUSAGE_SELF.rawValue, RUSAGE_CHILDREN.rawValue].map { who in
            var usage = rusage()
            getrusage(who, &usage)
            let times = [usage.ru_utime, usage.ru_stime]
            return times.map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
        }
        write("cpu\t\(seconds[0])\t\(seconds[1])\n")
    }

    /// A single call for each line, because tests end concurrently.
    private static func write(_ line: String) {
        guard let file else { return }
        let bytes = Array(line.utf8)
        _ = Glibc.write(file, bytes, bytes.count)
    }
}
