// Three clocks. The time that really passes; the machine's wall clock, which somebody may set; and the steady clock of
// one process. The steady clock reads the wall clock once, starts no earlier than the last stored instant, and then
// counts on.

import Foundation
import Monitoring
import Synchronization

final class SimulatedClock: Sendable {
    private struct State {
        var passed: Int64 = 0
        /// How far the wall clock was set away from its start, in milliseconds.
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

    func pass(to instant: Int64) { state.withLock { $0.passed = max($0.passed, instant) } }

    /// Sets the wall clock forward or back.
    func set(by milliseconds: Int64) { state.withLock { $0.shift += milliseconds } }

    /// How many milliseconds after the beginning the wall clock shows an instant, if nobody sets it before.
    func passed(atWall instant: Date) -> Int64 {
        Int64((instant.timeIntervalSince1970 * 1000).rounded(.up)) - wall + passed
    }
}

/// The time of one life of the process.
final class ProcessTime: MonitorClock {
    private let clock: SimulatedClock
    /// How far the steady clock is ahead of the time passed since the beginning.
    private let offset: Mutex<Int64>
    private let pass: @Sendable (Duration) async throws -> Void

    init(clock: SimulatedClock, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.clock = clock
        offset = Mutex(clock.wall - clock.passed)
        pass = sleep
    }

    /// Does not go back before what an earlier process stored, like the daemon's clock at its start.
    func anchor(notBefore instant: Date) {
        let least = Int64((instant.timeIntervalSince1970 * 1000).rounded(.up)) - clock.passed
        offset.withLock { $0 = max($0, least) }
    }

    /// How far it is behind the clock of an earlier process, in milliseconds.
    func isBehind(_ other: ProcessTime) -> Int64 { max(0, other.offset.withLock(\.self) - offset.withLock(\.self)) }

    func now() -> Date { Date(timeIntervalSince1970: Double(clock.passed + offset.withLock(\.self)) / 1000) }

    func systemTime() -> Date { Date(timeIntervalSince1970: Double(clock.wall) / 1000) }

    func sleep(for duration: Duration) async throws { try await pass(duration) }

    /// How many milliseconds after the beginning of the simulation the steady clock shows an instant.
    func passed(at instant: Date) -> Int64 {
        Int64((instant.timeIntervalSince1970 * 1000).rounded(.up)) - offset.withLock(\.self)
    }
}
