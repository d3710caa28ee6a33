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

    /// Longer than a transfer may take: a lease that runs out means that its sender is dead.
    static let lease = Duration.seconds(120)
    static let storePause = Duration.seconds(5)
    /// Keeps a fault in the reckoning of due times from turning into a busy loop.
    private static let shortestNap: TimeInterval = 0.01
    private static let longestNap: TimeInterval = 3600

    enum Step {
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
        let now = delivery.time.now()
        let due = due.map { min(max($0, now + Self.shortestNap), now + Self.longestNap) }
        delivery.begins(Nap(rings: rings, due: due), of: name)
        defer { delivery.endsNap(of: name) }
        guard let due else { return await delivery.waitForWork(past: rings) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await delivery.time.sleep(until: due) }
            group.addTask { await delivery.waitForWork(past: rings) }
            await group.next()
            group.cancelAll()
        }
    }

    /// One claim, send and mark; or nothing, where nothing is due.
    /// `throttles`: how often in a row the receiver asked to wait.
    func step(_ channel: Channel, _ throttles: inout Int) async throws -> Step {
        let now = delivery.time.now()
        let expired = try await store.markExpired(channel: name, now: now)
        if expired > 0 {
            delivery.logger.error(
                "gave up messages whose time ran out", metadata: ["channel": "\(name)", "messages": "\(expired)"])
        }
        let rules = delivery.rules(for: channel)
        let turn = delivery.nextTurn(of: channel)
        guard turn <= now else {
            let due = try await store.nextDue(channel: name, after: now, groupWait: rules.groupWait)
            return .idle(until: due.map { max($0, turn) })
        }
        guard
            let row = try await store.claim(channel: name, owner: owner, now: now, lease: Self.lease, rules: rules)
        else {
            return .idle(until: try await store.nextDue(channel: name, after: now, groupWait: rules.groupWait))
        }
        guard let parcel = try await Parcel(row, store: store) else {
            report(.error, "a stored message cannot be read and was given up", row)
            try await settled { now in
                try await store.markDead(
                    row, owner: owner, now: now, attempt: Attempt(class: "unreadable", status: nil, error: nil))
            }
            return .sent
        }
        let isForOthers = row.type == .acknowledged && !channel.kind.hearsOfHand
        if isForOthers || channel.format.isPointless(parcel.facts, told: parcel.told) {
            report(.info, "the receiver knows it already or knows better; not sent", row)
            try await settled { now in try await store.markSuperseded(row, owner: owner, now: now) }
            return .sent
        }
        try await send(parcel, to: channel, &throttles)
        return .sent
    }

    private func send(_ parcel: Parcel, to channel: Channel, _ throttles: inout Int) async throws {
        let row = parcel.row
        let facts = parcel.facts
        let rendered = try row.frozen ?? channel.format.body(facts, minimal: false, reference: parcel.reference)
        let kept: Data?
        do { kept = try await store.freeze(row, owner: owner, bytes: rendered) } catch {
            // Nothing has left: whoever can have the lease need not wait until it runs out.
            try? await store.release(row, owner: owner, isRefused: true)
            throw error
        }
        guard let body = kept else { return }
        let answer: TransportAnswer
        do {
            answer = try await delivery.post(
                delivery.request(body: body, messageKey: row.sendingKey, channel: channel), channel: channel)
        } catch {
            try await store.release(row, owner: owner)
            throw error
        }
        if let place = channel.format.newDestination(in: answer), place != channel.destination {
            delivery.move(channel, to: place)
            try await store.release(row, owner: owner, isRefused: true)
            return
        }
        let outcome = judged(answer, row, channel)
        let wasRefusing = delivery.health()[name]?.isRefusing ?? false
        delivery.record(outcome, channel: name)
        throttles = if case .throttled = outcome { throttles + 1 } else { 0 }
        try await apply(outcome, answer, row, facts, channel, body, throttles, wasRefusing)
        guard outcome == .delivered else { return }
        for (facts, reference) in parcel.followed {
            await delivery.follow(facts, reference: reference, channel: channel)
        }
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
        let attempt = Attempt(
            class: outcome.label, status: answer.status, error: words,
            isUnclear: outcome == .transient && answer.mayHaveArrived)
        let failures = delivery.health()[name]?.failures ?? 0
        let known = delivery.trouble(of: name)
        let step = Breaker.step(
            outcome, channel: name, known: known, failures: failures, wasRefusing: wasRefusing, error: words,
            now: delivery.time.now())
        switch outcome {
        case .delivered:
            try await settled { now in
                try await store.markDelivered(
                    row, owner: owner, now: now, status: answer.status, reference: channel.format.reference(in: answer))
            }
            report(.info, "delivered", row, attempt)

        case .throttled(let wanted):
            let wait = wanted ?? RetrySchedule.delay(afterAttempts: throttles, jitter: delivery.settings.jitter())
            try await again(row, after: wait, counted: false, attempt, hold: .throttled)
            if channel.format.isServiceWide(answer) {
                for other in delivery.channels(like: channel) where other != name {
                    try await store.hold(
                        channel: other, until: delivery.time.now() + wait / .seconds(1), reason: .throttled)
                }
            }
            report(.warning, "the channel asked to wait", row, attempt)

        case .transient:
            let wait = RetrySchedule.delay(afterAttempts: row.attempts + 1, jitter: delivery.settings.jitter())
            try await again(row, after: wait, counted: true, attempt, hold: nil)
            if let pause = step.pause { try await hold(pause, .failing) }
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

        case .permanentChannel:
            // The hold alone makes it wait, so that the end of the hold is the end of the wait.
            try await again(row, after: .zero, counted: true, attempt, hold: nil)
            try await hold(step.pause ?? Breaker.disabledPause, .refused)
            report(
                wasRefusing ? .debug : .warning,
                "the channel refuses us; its messages wait until it is mended or they expire", row, attempt)
        }
        try await follow(step.trouble, after: known)
    }

    /// Writes down how the channel stands now, where that is news.
    private func follow(_ trouble: ChannelTrouble?, after known: ChannelTrouble?) async throws {
        guard trouble != known else { return }
        try await settled { _ in
            if let trouble { try await store.note(trouble) } else { try await store.endTrouble(channel: name) }
        }
        delivery.keep(trouble, of: name)
        guard trouble?.state != known?.state else { return }
        let metadata: Logger.Metadata = ["channel": "\(name)", "since": "\((trouble ?? known)?.since ?? Date())"]
        switch trouble?.state {
        case .degraded: delivery.logger.error("the channel fails; one message at a time is tried", metadata: metadata)
        case .disabled:
            delivery.logger.error("the channel is disabled; it is tried every six hours", metadata: metadata)
        case nil: delivery.logger.notice("the channel takes messages again", metadata: metadata)
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
            "channel": "\(name)", "message_key": "\(row.sendingKey)", "type": "\(row.type.rawValue)",
            "attempt": "\(row.attempts + 1)",
        ]
        if let status = attempt?.status { metadata["status"] = "\(status)" }
        if let error = attempt?.error, level >= .warning { metadata["error"] = "\(error)" }
        delivery.logger.log(level: level, message, metadata: metadata)
    }
}
