// What the delivery tells others: metrics, the status page.

import Foundation

/// Attempts of one channel that ended one way.
package struct DeliveryCount: Equatable, Sendable {
    package let channel: String
    /// A fixed word: `delivered`, `transient`, `throttled`, `message_refused`, `channel_refused`.
    package let outcome: String
    package let attempts: Int

    struct Key: Hashable {
        let channel: String
        let outcome: String
    }
}

/// How a channel fares.
package struct ChannelHealth: Equatable, Sendable {
    /// Attempts in a row that failed; being asked to wait is no failure.
    package var failures = 0
    /// When the last message was delivered, by this process.
    package var lastDelivered: Date?
    /// It refuses us altogether: something must be mended.
    package var isRefusing = false

    func after(_ outcome: Outcome, at now: Date) -> ChannelHealth {
        var health = self
        switch outcome {
        case .delivered: health = ChannelHealth(failures: 0, lastDelivered: now, isRefusing: false)
        // It took the trouble to read and judge the message: the channel works.
        case .permanentMessage:
            health.failures = 0
            health.isRefusing = false
        case .throttled: break
        case .transient: health.failures += 1
        case .permanentChannel:
            health.failures += 1
            health.isRefusing = true
        }
        return health
    }
}
