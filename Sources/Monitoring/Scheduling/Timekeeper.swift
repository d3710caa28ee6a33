// The seam of time. All that waits or dates something is given one of these, so that a test turns years in seconds.

import Foundation

/// Tells what time it is, and waits.
package protocol Timekeeper: Sendable {
    func now() -> Date
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func sleep(for duration: Duration) async throws

    /// Waits until an instant of this clock; not at all for one that has passed.
    /// - Throws: as `sleep(for:)`.
    func sleep(until instant: Date) async throws

    /// Seconds of this clock to a second of the machine's work: 1, but for a story that is told fast.
    var pace: Double { get }
}

extension Timekeeper {
    package var pace: Double { 1 }

    package func sleep(until instant: Date) async throws {
        try await sleep(for: max(.zero, .seconds(instant.timeIntervalSince(now()))))
    }
}

/// The time of this machine, proof against jumps: the wall clock is read once, then the monotonic clock counts on. A clock
/// that is set forward by an hour would else make every copy an hour staler, and every lease run out.
///
/// The monotonic clock of Linux stops neither for NTP's corrections nor, as `ContinuousClock`, for a suspended machine.
package struct SystemTime: Timekeeper {
    private let anchor: Date
    private let start: ContinuousClock.Instant

    package init(anchor: Date = Date()) {
        self.anchor = anchor
        start = ContinuousClock.now
    }

    package func now() -> Date { anchor + start.duration(to: .now) / .seconds(1) }

    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}

/// Time that runs faster by a factor, for demonstrations: a day of staleness passes while somebody watches.
package struct AcceleratedTime: Timekeeper {
    private let anchor: Date
    private let start: ContinuousClock.Instant
    private let factor: Double

    /// `factor`: seconds told per second passed; at least 0.001.
    package init(factor: Double, anchor: Date = Date()) {
        self.factor = max(0.001, factor)
        self.anchor = anchor
        start = ContinuousClock.now
    }

    package var pace: Double { factor }

    package func now() -> Date { anchor + start.duration(to: .now) / .seconds(1) * factor }

    package func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration / factor, clock: .continuous)
    }
}
