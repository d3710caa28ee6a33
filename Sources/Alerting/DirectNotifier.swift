// Sends messages without the store: test messages next to a running daemon, and alerts that the store accepts no
// writes. They have the same form, destination, headers and signature as every message. Answers are read the same way.

import Evidence
import Foundation
import Logging
import Monitoring

package struct DirectNotifier: Sendable {
    private let transport: any MessageTransport
    private let userAgent: String
    private let wallClock: @Sendable () -> Date
    private let logger: Logger

    /// `userAgent`: for example `aasa-monitor/1.2.3 (+https://…)`.
    package init(
        transport: any MessageTransport, userAgent: String, wallClock: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) {
        self.transport = transport
        self.userAgent = userAgent
        self.wallClock = wallClock
        self.logger = logger
    }

    /// Sends an alert once to each of these channels, concurrently. Equal alerts have equal message keys, so a receiver
    /// that removes duplicates shows a repetition once.
    /// - Returns: the names of the channels that accepted it.
    package func send(_ alert: Alert, to channels: [Channel]) async -> Set<String> {
        await withTaskGroup(of: String?.self) { group in
            for channel in channels {
                group.addTask { await isTaken(alert, by: channel) ? channel.name : nil }
            }
            return await group.reduce(into: []) { taken, name in if let name { taken.insert(name) } }
        }
    }

    /// Sends an alert about the monitor itself: to the fallback channel; if that fails, to the other channels; then to
    /// the escalation channels. Never to pagers, because nothing would resolve the alert there.
    /// - Returns: the names of the channels that accepted it.
    package func send(_ alert: Alert, by routing: Routing) async -> Set<String> {
        let channels = routing.channels.filter {
            !$0.kind.isPager && $0.accepts(kind: alert.incident.kind, severity: alert.incident.severity)
        }
        let later = routing.escalation.names
        let others = channels.filter { $0.name != routing.fallback }
        let rounds = [
            channels.filter { $0.name == routing.fallback },
            others.filter { !later.contains($0.name) }, others.filter { later.contains($0.name) },
        ]
        for round in rounds {
            let taken = await send(alert, to: round)
            if !taken.isEmpty { return taken }
        }
        return []
    }

    private func isTaken(_ alert: Alert, by channel: Channel) async -> Bool {
        let key = MessageIdentity.key(ofMessages: [
            "direct", channel.name, channel.destinationHash, alert.incident.id, alert.typeName,
        ])
        let attempt = try? await attempt(alert, key: key, channel)
        logger.log(
            level: attempt?.outcome == .delivered ? .notice : .warning, "direct notification attempted",
            metadata: ["channel": "\(channel.name)", "outcome": "\(attempt?.outcome.label ?? "no answer")"])
        return attempt?.outcome == .delivered
    }

    /// Sends a test message once. Resolves it if the channel is a pager, because a pager would keep it open.
    /// - Throws: `CancellationError`, or an error if the message cannot be encoded.
    package func test(_ alert: Alert, on channel: Channel) async throws -> TestReport {
        let start = ContinuousClock.now
        let key = "test-\(UUID().uuidString.lowercased())"
        let attempt = try await attempt(alert, key: key, channel)
        let took = ContinuousClock.now - start
        let (answer, place) = (attempt.answer, attempt.place)
        var isLeftOpen = false
        // An alert in a feed ends by itself.
        if attempt.outcome == .delivered, channel.kind.isPager, !channel.kind.isFeed {
            var end = alert
            end.reason = .resolved
            isLeftOpen = try await self.attempt(end, key: "\(key)-end", place).outcome != .delivered
        }
        return TestReport(
            channel: channel.name, outcome: attempt.outcome, status: answer.status,
            words: place.words(of: answer), took: took,
            movedTo: place.destination == channel.destination ? nil : place.destination, isLeftOpen: isLeftOpen)
    }

    private struct Attempt {
        /// The channel, with its new destination if it has moved.
        var place: Channel
        let answer: TransportAnswer
        let outcome: Outcome
    }

    /// Sends a message once, and a second time if the channel has moved.
    private func attempt(_ alert: Alert, key: String, _ channel: Channel) async throws -> Attempt {
        let format = channel.format
        let body = try format.body(alert, plain: false)
        var place = channel
        func post() async throws -> TransportAnswer {
            try await transport.post(
                format.request(
                    body: body, messageKey: key, timestamp: wallClock(), userAgent: userAgent, channel: place))
        }
        var answer = try await post()
        if let destination = format.newDestination(in: answer) {
            place.destination = destination
            answer = try await post()
        }
        return Attempt(place: place, answer: answer, outcome: format.judge(answer, now: wallClock()))
    }
}

/// The result of a test message.
package struct TestReport: Equatable, Sendable {
    package let channel: String
    package let outcome: Outcome
    /// nil: no answer.
    package let status: Int?
    /// An error of the receiver or of the network, without secrets; at most 300 characters.
    package let words: String?
    /// The duration of the attempt.
    package let took: Duration
    /// The new destination, if the receiver says that the channel has moved; nil otherwise.
    package let movedTo: String?
    /// The receiver accepted the test but not its end, so somebody has to close it there.
    package let isLeftOpen: Bool
}
