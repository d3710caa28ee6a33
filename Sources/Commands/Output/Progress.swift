import Foundation
import Synchronization

/// A line on a terminal that shows the progress of a long command. Silent if standard error is not a terminal.
final class Progress: Sendable {
    private let isShown: Bool
    private let total: Int
    private let done = Mutex(0)

    init(total: Int, isQuiet: Bool) {
        self.total = total
        let canErase = ProcessInfo.processInfo.environment["TERM"] != "dumb"
        isShown = !isQuiet && canErase && isatty(STDERR_FILENO) == 1
        show(0)
    }

    func advance() {
        let count = done.withLock { count in
            count += 1
            return count
        }
        show(count)
    }

    /// Erases the line before results are printed.
    func clear() {
        if isShown { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }

    private func show(_ count: Int) {
        guard isShown else { return }
        Console.write("\r\u{1B}[Kchecking: \(count) of \(total) done", to: STDERR_FILENO)
    }
}
