// How fast a service may be spoken to, so that it need not refuse us: token buckets, of a channel and of what it shares
// with others. They live in memory; after a restart one burst more may go out.

import Foundation

/// So many messages at once, and one more each so often.
struct Pace: Equatable, Sendable {
    let burst: Double
    /// Seconds for one message.
    let every: TimeInterval
    /// Who shares it: what stands for a service, or nil for the channel alone. It may hold a secret.
    var shared: String?
}

/// What is left of a pace. https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
struct TokenBucket: Equatable, Sendable {
    /// When all tokens are back.
    private var full = Date.distantPast

    /// When the next message may go.
    func next(_ pace: Pace) -> Date { full - (pace.burst - 1) * pace.every }

    mutating func spend(_ pace: Pace, at now: Date) { full = max(full, now) + pace.every }
}

/// All buckets of a process, by what they belong to.
struct Pacer: Sendable {
    private var buckets: [String: TokenBucket] = [:]

    func next(_ channel: Channel) -> Date {
        channel.paces.map { buckets[Self.key($0, channel), default: TokenBucket()].next($0) }.max() ?? .distantPast
    }

    mutating func spend(_ channel: Channel, at now: Date) {
        for pace in channel.paces { buckets[Self.key(pace, channel), default: TokenBucket()].spend(pace, at: now) }
    }

    private static func key(_ pace: Pace, _ channel: Channel) -> String {
        "\(pace.shared.map { "of \($0)" } ?? "channel \(channel.name)") \(pace.every)"
    }
}

extension Channel {
    /// What the services' documents ask for, or less.
    var paces: [Pace] {
        switch kind {
        // The receiver is one's own; what it can bear it says by 429.
        case .webhook: return [Pace(burst: 20, every: 0.1)]
        case .slack, .mattermost, .googleChat: return [Pace(burst: 5, every: 1)]
        case .discord: return [Pace(burst: 5, every: 2)]
        case .teams: return [Pace(burst: 5, every: 1), Pace(burst: 60, every: 60)]
        case .telegram:
            let chat = Pace(burst: 5, every: 1)
            let bot = Pace(burst: 30, every: 1.0 / 30, shared: "telegram \(token ?? "")")
            // Groups and public channels are slower than people.
            let isGroup = destination.map { $0.hasPrefix("-") || $0.hasPrefix("@") } ?? false
            return isGroup ? [chat, Pace(burst: 20, every: 3), bot] : [chat, bot]
        case .line: return [Pace(burst: 10, every: 0.1)]
        case .chatwork:
            return [Pace(burst: 10, every: 1), Pace(burst: 300, every: 1, shared: "chatwork \(token ?? "")")]
        case .pagerduty: return [Pace(burst: 5, every: 0.5, shared: "pagerduty \(token ?? "")")]
        // Told every minute, whatever there is to tell.
        case .alertmanager: return []
        case .ntfy: return [Pace(burst: 60, every: 5, shared: "ntfy \(url)")]
        }
    }
}
