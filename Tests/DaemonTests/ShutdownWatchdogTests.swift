import Foundation
import Synchronization
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("Shutdown")
    struct ShutdownTests {
        @Test("the watchdog ends a process that does not end by itself, with a line in the log")
        func late() async throws {
            let book = LogBook()
            let hasExited = Mutex(false)
            let watchdog = ShutdownWatchdog(limit: .milliseconds(20), logger: book.logger) {
                hasExited.withLock { $0 = true }
            }
            watchdog.start()
            try await eventually { hasExited.withLock(\.self) }
            #expect(book.lines == ["shutdown took too long: the process ends now"])
        }

        @Test("a process that ends in time is left alone")
        func early() async throws {
            let book = LogBook()
            let watchdog = ShutdownWatchdog(limit: .milliseconds(20), logger: book.logger) { Issue.record("exit") }
            watchdog.start()
            watchdog.stop()
            // Its limit is over then, as a rule. Where a slow machine comes to it later, a fault is missed, and none invented.
            try await Task.sleep(for: .milliseconds(100))
            #expect(book.lines.isEmpty)
        }
    }
}
