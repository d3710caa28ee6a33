// Spreads requests over time.

/// Hands out turns, at most so many a second.
actor Pace {
    private let spacing: Duration
    private var next: ContinuousClock.Instant

    /// - Parameter perSecond: turns a second, above 0.
    init(perSecond: Double) {
        spacing = .seconds(1 / max(0.001, perSecond))
        next = .now
    }

    /// Waits for the caller's turn; turns are given in the order of the calls.
    /// - Throws: `CancellationError`.
    func turn() async throws {
        let mine = max(next, .now)
        next = mine + spacing
        try await Task.sleep(until: mine, clock: .continuous)
    }
}
