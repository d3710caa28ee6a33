// Three clocks: the time that really passes, the machine's wall clock, which somebody may set, and the time of one
// process, which is read off the wall once and then counts on, as `SystemTime` does.

import Foundation
import Monitoring
import Synchronization

final class SimulatedClock: Sendable {
    private struct State {
        var passed: Int64 = 0
        /// How far the wall clock was set from where it began, in milliseconds.
        var shift: Int64 = 0
    }

    private let start: Int64
    private let state = Mutex(State())

    /// `start`: milliseconds since 1970.
    init(start: Int64) { self.start = start }

    /// Milliseconds since the beginning.
    var passed: Int64 { state.withLock(\.passed) }
    /// What the wall clock shows, in milliseconds since 1970.
    var wall: Int64 { state.withLock { start + $0.passed + $0.shift } }
    var shift: Int64 { state.withLock(\.shift) }

    func pass(to instant: Int64) { state.withLock { $0.passed = max($0.passed, instant) } }

    /// Sets the wall clock forward or back.
    func set(by milliseconds: Int64) { state.withLock { $0.shift += milliseconds } }
}

/// The time of one life of the process.
struct ProcessTime: Timekeeper {
    let clock: SimulatedClock
    /// What the wall showed more than had passed, when the process began.
    private let offset: Int64
    private let pass: @Sendable (Duration) async throws -> Void

    init(clock: SimulatedClock, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.clock = clock
        offset = clock.wall - clock.passed
        pass = sleep
    }

    func now() -> Date { Date(timeIntervalSince1970: Double(clock.passed + offset) / 1000) }

    func sleep(for duration: Duration) async throws { try await pass(duration) }

    /// After how many milliseconds from the beginning of the simulation this clock shows an instant.
    func passed(at instant: Date) -> Int64 { Int64((instant.timeIntervalSince1970 * 1000).rounded(.up)) - offset }
}
