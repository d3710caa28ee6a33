// How many messages each service takes in a time: token buckets, of a channel and of what it shares with others. They live in
// memory; after a restart one more burst may go out.

import Foundation
import Monitoring

/// So many messages at once, and one more each so often.
struct RateLimit: Equatable, Sendable {
    let burst: Double
    /// Seconds for one message.
    let every: TimeInterval
    /// Who shares it: what stands for a service, or nil for the channel alone. It may hold a secret.
    var shared: String?
}

/// What is left of all limits of a process. https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
struct RateLimiter: Sendable {
    /// By what a limit belongs to, when all its messages may go at once again.
    private var full: [String: Date] = [:]

    /// When the next message may go.
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
        "\(limit.shared.map { "of \($0)" } ?? "channel \(channel.name)") \(limit.every)"
    }
}

extension Channel {
    /// What the services' documents ask for, or less.
    var rateLimits: [RateLimit] {
        switch kind {
        // The operator's own receiver; it asks to wait by 429.
        case .webhook: return [RateLimit(burst: 20, every: 0.1)]
        case .slack, .mattermost, .googleChat: return [RateLimit(burst: 5, every: 1)]
        case .discord: return [RateLimit(burst: 5, every: 2)]
        case .teams: return [RateLimit(burst: 5, every: 1), RateLimit(burst: 60, every: 60)]
        case .telegram:
            let chat = RateLimit(burst: 5, every: 1)
            let bot = RateLimit(burst: 30, every: 1.0 / 30, shared: "telegram \(token ?? "")")
            // Groups and public channels are slower than people.
            let isGroup = destination.map { $0.hasPrefix("-") || $0.hasPrefix("@") } ?? false
            return isGroup ? [chat, RateLimit(burst: 20, every: 3), bot] : [chat, bot]
        case .line: return [RateLimit(burst: 10, every: 0.1)]
        case .chatwork:
            return [RateLimit(burst: 10, every: 1), RateLimit(burst: 300, every: 1, shared: "chatwork \(token ?? "")")]
        case .pagerduty: return [RateLimit(burst: 5, every: 0.5, shared: "pagerduty \(token ?? "")")]
        // It gets the present incidents each minute, however many there are.
        case .alertmanager: return []
        // Mail servers count messages by the minute or by the hour.
        case .email: return [RateLimit(burst: 10, every: 2)]
        case .ntfy: return [RateLimit(burst: 60, every: 5, shared: "ntfy \(baseURL)")]
        }
    }
}
