import Foundation
import Synchronization
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct ClockWatcherTests {
        @Test("a wall clock that moves by more than a second is noticed once, in either direction")
        func steps() async {
            let time = MovedTime()
            let book = LogBook()
            let steps = Mutex<[TimeInterval]>([])
            var watcher = ClockWatcher(time: time, logger: book.logger) { ahead in
                steps.withLock { $0.append(ahead.rounded()) }
            }
            for move in [0, 0.9, 3600, 0, -7200, 0.5] {
                time.pass(30)
                time.moveWall(move)
                await watcher.look()
            }
            #expect(steps.withLock(\.self) == [3601, -3599])
            #expect(book.lines.count == 2)
        }
    }
}
