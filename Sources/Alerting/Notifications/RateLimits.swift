// The rate limits of the services: token buckets for each channel. They are in memory only, so one more burst is possible
// after a restart. Channels of one bot or key together may exceed its limit: then the service asks to wait.

import Foundation
import Monitoring

/// A burst of messages, and then one message per period.
struct RateLimit: Equatable, Sendable {
    let burst: Double
    /// In seconds per message.
    let every: TimeInterval
}

/// The state of all limits. https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
struct RateLimiter: Sendable {
    /// When the bucket of a limit is full again, by the key of the limit.
    private var full: [String: Date] = [:]

    /// When the next message may be sent.
    func next(_ channel: Channel) -> Date {
        channel.rateLimits.map { limit in
            full[Self.key(limit, channel), default: .distantPast] - (limit.burst - 1) * limit.every
        }.max() ?? .distantPast
    }

    mutating func spend(_ channel: Channel, at now: Date) {
        for limit in channel.rateLimits {
            let key = Self.key(limit, channel)
            full[key] = max(full[key] ?? now, now) + limit.every
        }
    }

    private static func key(_ limit: RateLimit, _ channel: Channel) -> String {
        "\(channel.name) \(limit.every)"
    }
}

extension Channel {
    /// At or below the limits in the services' documents.
    var rateLimits: [RateLimit] {
        switch kind {
        // The operator's own receiver can ask to wait with 429.
        case .webhook: return [RateLimit(burst: 20, every: 0.1)]
        case .slack, .mattermost, .googleChat: return [RateLimit(burst: 5, every: 1)]
        case .discord: return [RateLimit(burst: 5, every: 2)]
        case .teams: return [RateLimit(burst: 5, every: 1), RateLimit(burst: 60, every: 60)]
        case .telegram:
            let chat = RateLimit(burst: 5, every: 1)
            // Groups and public channels have a lower limit than private chats.
            let isGroup = destination.map { $0.hasPrefix("-") || $0.hasPrefix("@") } ?? false
            return isGroup ? [chat, RateLimit(burst: 20, every: 3)] : [chat]
        case .line: return [RateLimit(burst: 10, every: 0.1)]
        case .chatwork: return [RateLimit(burst: 10, every: 1)]
        case .pagerduty: return [RateLimit(burst: 5, every: 0.5)]
        // The limit of an account with few users. https://docs.opsgenie.com/docs/api-rate-limiting
        case .opsgenie: return [RateLimit(burst: 5, every: 1)]
        // A feed sends all current incidents once a minute.
        case .alertmanager: return []
        // Mail servers limit messages per minute or per hour.
        case .email: return [RateLimit(burst: 10, every: 2)]
        case .ntfy: return [RateLimit(burst: 60, every: 5)]
        // Synapse's default for a user: 10 messages, then one in 5 s.
        case .matrix: return [RateLimit(burst: 10, every: 5)]
        // Pushover limits messages a month, and connections to two at a time.
        case .gotify, .pushover: return [RateLimit(burst: 5, every: 1)]
        }
    }
}
