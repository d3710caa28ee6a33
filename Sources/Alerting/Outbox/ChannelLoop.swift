// The life of one channel: claim, freeze, send, mark; then the next one, or wait. Owns how a channel's failures slow it
// down; what an answer means is the format's business.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

struct ChannelLoop {
    let delivery: Delivery
    let name: String

    /// Failures in a row after which one message at a time is tried, and not every due one.
    static let degradedAfter = 5
    static let degradedPause = Duration.seconds(30)
    /// A proxy or a deployment may answer a false 403 or 404: look again soon, then seldom.
    static let secondLook = Duration.seconds(60)
    static let refusedPause = Duration.seconds(900)
    static let gonePause = Duration.seconds(6 * 3600)
    /// Longer than a transfer may take: a lease that runs out means that its sender is dead.
    static let lease = Duration.seconds(120)
    private static let storePause = Duration.seconds(5)
    /// Keeps a fault in the reckoning of due times from turning into a busy loop.
    private static let shortestNap = Duration.milliseconds(10)
    private static let longestNap = Duration.seconds(3600)

    private enum Step {
        case sent
        case idle(until: Date?)
    }

    private var store: Store { delivery.store }
    private var owner: String { delivery.owner }

    /// Runs until the task is cancelled or the channel is removed.
    func run() async {
        var throttles = 0
        while !Task.isCancelled {
            // Read before looking: a message that is committed while we look rings past this count.
            let rings = delivery.workRings
            guard let channel = delivery.channel(named: name) else { return }
            do {
                if case .idle(let due) = try await step(channel, &throttles) { await nap(until: due, rings: rings) }
            } catch {
                if Task.isCancelled { return }
                delivery.logger.error(
                    "a step of the delivery failed; trying again",
                    metadata: ["channel": "\(name)", "error": "\(error)"])
                try? await delivery.time.sleep(for: Self.storePause)
            }
        }
    }

    private func nap(until due: Date?, rings: UInt64) async {
        guard let due else { return await delivery.waitForWork(past: rings) }
        let wait = Duration.seconds(due.timeIntervalSince(delivery.time.now()))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await delivery.time.sleep(for: min(max(wait, Self.shortestNap), Self.longestNap)) }
            group.addTask { await delivery.waitForWork(past: rings) }
            await group.next()
            group.cancelAll()
        }
    }

    private func step(_ channel: Channel, _ throttles: inout Int) async throws -> Step {
        let now = delivery.time.now()
        let expired = try await store.markExpired(channel: name, now: now)
        if expired > 0 {
            delivery.logger.error(
                "gave up messages whose time ran out", metadata: ["channel": "\(name)", "messages": "\(expired)"])
        }
        guard let row = try await store.claim(channel: name, owner: owner, now: now, lease: Self.lease) else {
            return .idle(until: try await store.nextDue(channel: name, after: now))
        }
        guard let facts = try? JSONDecoder().decode(AlertFacts.self, from: row.facts) else {
            report(.error, "a stored message cannot be read and was given up", row)
            try await settled { now in
                try await store.markDead(
                    row, owner: owner, now: now, attempt: Attempt(class: "unreadable", status: nil, error: nil))
            }
            return .sent
        }
        let rendered = try row.frozen ?? channel.format.body(facts, minimal: false)
        guard let body = try await store.freeze(row, owner: owner, bytes: rendered) else { return .sent }
        let answer: TransportAnswer
        do {
            answer = try await delivery.transport.post(
                delivery.request(body: body, messageKey: row.messageKey, channel: channel))
        } catch {
            try await store.release(row, owner: owner)
            throw error
        }
        let outcome = judged(answer, row, channel)
        let wasRefusing = delivery.health()[name]?.isRefusing ?? false
        delivery.record(outcome, channel: name)
        throttles = if case .throttled = outcome { throttles + 1 } else { 0 }
        try await apply(outcome, answer, row, facts, channel, body, throttles, wasRefusing)
        return .sent
    }

    /// A receiver whose certificate is refused may be in the middle of renewing it; three times is no accident.
    private func judged(_ answer: TransportAnswer, _ row: OutboxRow, _ channel: Channel) -> Outcome {
        if answer.fault?.kind == .certificate, answer.status == nil {
            return row.attempts >= 3 ? .permanentChannel(gone: false) : .transient
        }
        return channel.format.judge(answer, now: delivery.settings.wallClock())
    }

    private func apply(
        _ outcome: Outcome, _ answer: TransportAnswer, _ row: OutboxRow, _ facts: AlertFacts, _ channel: Channel,
        _ body: Data, _ throttles: Int, _ wasRefusing: Bool
    ) async throws {
        let words = Delivery.words(answer, channel: channel)
        let attempt = Attempt(class: outcome.label, status: answer.status, error: words)
        let failures = delivery.health()[name]?.failures ?? 0
        switch outcome {
        case .delivered:
            try await settled { now in
                try await store.markDelivered(row, owner: owner, now: now, status: answer.status)
            }
            report(.info, "delivered", row, attempt)

        case .throttled(let wanted):
            let wait = wanted ?? RetrySchedule.delay(afterAttempts: throttles, jitter: delivery.settings.jitter())
            try await again(row, after: wait, counted: false, attempt, hold: .throttled)
            report(.warning, "the channel asked to wait", row, attempt)

        case .transient:
            let wait = RetrySchedule.delay(afterAttempts: row.attempts + 1, jitter: delivery.settings.jitter())
            try await again(row, after: wait, counted: true, attempt, hold: nil)
            if failures >= Self.degradedAfter { try await hold(Self.degradedPause, .failing) }
            report(.warning, "not delivered; trying again later", row, attempt)

        case .permanentMessage:
            let minimal = try channel.format.body(facts, minimal: true)
            if body == minimal || row.lastClass == outcome.label {
                try await settled { now in
                    try await store.markDead(row, owner: owner, now: now, attempt: attempt)
                }
                report(.error, "the receiver refuses the message; it was given up", row, attempt)
            } else {
                try await store.replaceFrozen(row, owner: owner, bytes: minimal)
                try await again(row, after: .zero, counted: true, attempt, hold: nil)
                report(.warning, "the receiver refuses the message; trying its plainest form", row, attempt)
            }

        case .permanentChannel(let gone):
            let wait = gone ? Self.gonePause : wasRefusing ? Self.refusedPause : Self.secondLook
            try await again(row, after: wait, counted: true, attempt, hold: .refused)
            report(
                wasRefusing ? .debug : .error,
                "the channel refuses us; its messages wait until it is mended or they expire", row, attempt)
        }
    }

    /// Puts the message back, and where asked holds the channel as long.
    private func again(
        _ row: OutboxRow, after wait: Duration, counted: Bool, _ attempt: Attempt, hold reason: ChannelHold?
    ) async throws {
        try await settled { now in
            try await store.markRetry(
                row, owner: owner, notBefore: now + wait / .seconds(1), counted: counted, attempt: attempt)
        }
        if let reason { try await hold(wait, reason) }
    }

    private func hold(_ wait: Duration, _ reason: ChannelHold) async throws {
        try await store.hold(channel: name, until: delivery.time.now() + wait / .seconds(1), reason: reason)
    }

    /// Writes the result down, and tries until that works: with a full disk a message that went out would else go out
    /// again and again.
    private func settled(_ mark: (Date) async throws -> Void) async throws {
        while true {
            do {
                return try await mark(delivery.time.now())
            } catch {
                guard !Task.isCancelled else { throw error }
                delivery.logger.error(
                    "the result of a delivery cannot be stored; trying again",
                    metadata: ["channel": "\(name)", "error": "\(error)"])
                try await delivery.time.sleep(for: Self.storePause)
            }
        }
    }

    private func report(_ level: Logger.Level, _ message: Logger.Message, _ row: OutboxRow, _ attempt: Attempt? = nil) {
        var metadata: Logger.Metadata = [
            "channel": "\(name)", "message_key": "\(row.messageKey)", "type": "\(row.type.rawValue)",
            "attempt": "\(row.attempts + 1)",
        ]
        if let status = attempt?.status { metadata["status"] = "\(status)" }
        if let error = attempt?.error, level >= .warning { metadata["error"] = "\(error)" }
        delivery.logger.log(level: level, message, metadata: metadata)
    }
}
