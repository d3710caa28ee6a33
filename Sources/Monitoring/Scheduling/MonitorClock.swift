// The seam of time. All that waits or dates something is given one of these, so that a test turns years in seconds.

import Foundation

/// Tells what time it is, and waits.
package protocol MonitorClock: Sendable {
    /// The steady clock: it never jumps and never goes back. All ages, thresholds and stored instants are of this clock.
    func now() -> Date
    /// What clocks show now. For what people or other programs name by date: silences, windows, certificates, signatures.
    func systemTime() -> Date
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func sleep(for duration: Duration) async throws

    /// Waits until an instant of the steady clock; not at all for one that has passed.
    /// - Throws: as `sleep(for:)`.
    func sleep(until instant: Date) async throws

    /// How many times longer those wait who look at regular times whether there is something to do: 1, but for a
    /// demonstration, where a day is seconds of the machine.
    var intervalFactor: Double { get }
}

extension MonitorClock {
    package func systemTime() -> Date { now() }

    package var intervalFactor: Double { 1 }

    package func sleep(until instant: Date) async throws {
        try await sleep(for: max(.zero, .seconds(instant.timeIntervalSince(now()))))
    }

    /// An instant of the steady clock as clocks would have shown it.
    package func shown(_ instant: Date) -> Date { instant.shown(steady: now(), wall: systemTime()) }
}

extension Date {
    /// This instant of the steady clock as clocks would have shown it, where the two clocks stand now at `steady` and `wall`. In
    /// whole seconds: two clocks are never read at once, and what is left is the moment between, which would show one instant
    /// now as this second and now as the next.
    package func shown(steady: Date, wall: Date) -> Date { self + wall.timeIntervalSince(steady).rounded() }
}

/// The time of this machine. The steady clock begins at an anchor and counts on by the monotonic one, which stops neither for
/// NTP's corrections nor, as `ContinuousClock`, for a suspended machine.
package struct SystemTime: MonitorClock {
    private let anchor: Date
    private let start: ContinuousClock.Instant
    private let clock: @Sendable () -> Date

    /// `anchor`: where the steady clock begins; nil: at the wall clock. `wall`: the machine's own clock, or a test's.
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
