import Foundation
import Synchronization
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct ClockWatcherTests {
        @Test("a wall clock that moves by more than a second is noticed once, in either direction")
        func steps() {
            let time = MovedTime()
            let book = LogBook()
            let steps = Mutex(0)
            var watcher = ClockWatcher(time: time, logger: book.logger) { steps.withLock { $0 += 1 } }
            for move in [0, 0.9, 3600, 0, -7200, 0.5] {
                time.pass(30)
                time.moveWall(move)
                watcher.look()
            }
            #expect(steps.withLock(\.self) == 2)
            #expect(book.lines.count == 2)
        }
    }
}
