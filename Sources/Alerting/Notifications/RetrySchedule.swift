/// How long to wait after a failed attempt.
package enum RetrySchedule {
    private static let steps: [Duration] = [
        .seconds(5), .seconds(15), .seconds(45), .seconds(120), .seconds(300), .seconds(600), .seconds(900),
    ]

    /// `attempts`: failed attempts so far, at least 1; beyond the table its last step repeats.
    /// `jitter`: from -1 to 1; spreads the wait by a fifth either way, so that many senders do not come back at once.
    package static func delay(afterAttempts attempts: Int, jitter: Double) -> Duration {
        steps[min(max(attempts, 1), steps.count) - 1] * (1 + 0.2 * min(max(jitter, -1), 1))
    }
}
