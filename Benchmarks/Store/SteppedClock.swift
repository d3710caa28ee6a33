// A clock that the bench moves: hours of checks pass in seconds, and each run takes the same time by that clock.

import Foundation
import Monitoring
import Synchronization

final class SteppedClock: Timekeeper {
    private let instant: Mutex<Date>

    init(start: Date) { instant = Mutex(start) }

    func now() -> Date { instant.withLock(\.self) }

    func advance(by seconds: TimeInterval) { instant.withLock { $0 += seconds } }

    func sleep(for duration: Duration) async throws {
        let due = now() + duration / .seconds(1)
        while now() < due { try await Task.sleep(for: .milliseconds(2)) }
    }
}
