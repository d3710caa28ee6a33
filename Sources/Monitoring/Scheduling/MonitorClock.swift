// The clock. Everything that waits or needs the time gets one of these, so that a test can simulate years in seconds.

import Foundation

/// Returns the time, and waits.
package protocol MonitorClock: Sendable {
    /// The steady clock: it never jumps and never goes back. All ages, thresholds and stored times use it.
    func now() -> Date
    /// The wall clock, for dates that people or other programs set: silences, windows, certificates, signatures.
    func systemTime() -> Date
    /// - Throws: `CancellationError`, immediately when the task is cancelled.
    func sleep(for duration: Duration) async throws

    /// Waits until a time of the steady clock; returns immediately if it has passed.
    /// - Throws: like `sleep(for:)`.
    func sleep(until instant: Date) async throws

    /// The factor for the intervals of periodic work: 1, except in a demonstration, where a day takes seconds.
    var intervalFactor: Double { get }
}

extension MonitorClock {
    package func systemTime() -> Date { now() }

    package var intervalFactor: Double { 1 }

    package func sleep(until instant: Date) async throws {
        try await sleep(for: max(.zero, .seconds(instant.timeIntervalSince(now()))))
    }

    /// The wall-clock time of an instant of the steady clock.
    package func shown(_ instant: Date) -> Date { instant.shown(steady: now(), wall: systemTime()) }
}

extension Date {
    /// The wall-clock time of this instant of the steady clock, if the two clocks now show `steady` and `wall`.
    package func shown(steady: Date, wall: Date) -> Date { self + wall.ahead(of: steady) }

    /// How far this instant of the wall clock is ahead of `steady`, in whole seconds: the clocks are never read at
    /// exactly the same moment, so one instant would otherwise be shown with changing seconds. Every conversion uses
    /// this value: midnight, converted back and forth by two values, is shown as the day before.
    package func ahead(of steady: Date) -> TimeInterval { timeIntervalSince(steady).rounded() }
}

/// The time of this machine. The steady clock starts at an anchor and follows `ContinuousClock`, which ignores NTP
/// corrections and also counts while the machine is suspended.
package struct SystemTime: MonitorClock {
    private let anchor: Date
    private let start: ContinuousClock.Instant
    private let clock: @Sendable () -> Date

    /// `anchor`: the start of the steady clock; nil: the wall clock's time. `wall`: the machine's clock, or a test's.
    package init(anchor: Date? = nil, wall clock: @escaping @Sendable () -> Date = { Date() }) {
        self.anchor = anchor ?? clock()
        self.clock = clock
        start = ContinuousClock.now
    }

    package func now() -> Date { anchor + start.duration(to: .now) / .seconds(1) }

    package func systemTime() -> Date { clock() }

    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
