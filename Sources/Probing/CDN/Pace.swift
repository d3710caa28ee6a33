// Spreads requests over time.

/// Hands out turns, at most so many in any second. A group of requests after a pause goes at once: eight edges asked
/// together wait for nothing.
actor Pace {
    private let window: Duration
    private let capacity: Int
    /// When the last `capacity` turns were or will be, oldest at `next`.
    private var turns: [ContinuousClock.Instant] = []
    private var next = 0

    /// - Parameter perSecond: turns a second, above 0; below 1 it is one turn in 1 / `perSecond` seconds.
    init(perSecond: Double) {
        let rate = max(0.001, perSecond)
        capacity = min(100_000, max(1, Int(rate)))
        window = .seconds(Double(capacity) / rate)
    }

    /// Waits for the caller's turn; turns are given in the order of the calls.
    /// - Throws: `CancellationError`.
    func turn() async throws {
        let now = ContinuousClock.now
        var mine = now
        if turns.count < capacity {
            turns.append(mine)
        } else {
            mine = max(now, turns[next] + window)
            turns[next] = mine
            next = (next + 1) % capacity
        }
        if mine > now { try await Task.sleep(until: mine, clock: .continuous) }
    }
}
