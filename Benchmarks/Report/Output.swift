import Foundation
import Glibc

/// Written at once, so that nothing is lost when a signal ends the bench.
enum Output {
    static func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    static func error(_ text: String) { FileHandle.standardError.write(Data("aasa-monitor-bench: \(text)\n".utf8)) }

    /// On a terminal only; each takes the place of the one before.
    static func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }
}
