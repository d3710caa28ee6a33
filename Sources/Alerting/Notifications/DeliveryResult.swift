// Applies an answer to a message, its incidents and its channel, in one transaction.

import Evidence
import Foundation
import Monitoring
import Storage

/// The result of one attempt.
struct DeliveryResult: Sendable {
    let channel: Channel
    /// The message before the attempt: `isUnclear` concerns earlier attempts only.
    let message: MessageRecord
    let answer: TransportAnswer
    let outcome: Outcome
    /// An error of the receiver or of the network, without secrets.
    let words: String?
    /// Random, from -1 to 1.
    let jitter: Double

    /// In seconds. The gap before the end is repeated, if the trigger had no clear answer.
    private static let repeatPause: TimeInterval = 60
    private static let mostRepeats = 5
    /// Attempts for one deferred recipient of a mail: about an hour, which greylisting needs.
    private static let mostTriesOfRecipient = 10
    /// The pauses after attempts without an answer. After the last one the message counts as delivered, so that a slow
    /// receiver gets a message a few times and not forever.
    private static let unansweredPauses: [Duration] = [.seconds(30), .seconds(120), .seconds(600)]

    /// The message was sent but got no answer. The receiver may have it and be slow.
    private var isUnanswered: Bool {
        answer.status == nil && answer.fault?.kind == .network && answer.mayHaveArrived
    }

    /// This attempt got no answer, and it was the last one.
    var isGivenUp: Bool { isUnanswered && message.unanswered >= Self.unansweredPauses.count }

    /// `before`: the record of the channel before the answer.
    /// - Returns: the record after it.
    func apply(_ planner: NotificationPlanner, to before: ChannelRecord) throws -> ChannelRecord {
        let (store, now) = (planner.store, planner.now)
        var wait: Duration?
        var isFinal = false
        // The mail server may have refused some recipients of a delivered mail.
        let hasError = outcome != .delivered || channel.kind == .email
        // The attempt log is for people only. A failed write must not roll back the result.
        try? store.log(
            DeliveryAttempt(
                at: now, outcome: outcome.label, status: answer.status, error: hasError ? words : nil),
            of: message.key)
        if message.recipient != nil {
            // The result for one recipient says nothing about the channel.
            try settleRecipient(planner)
            return before
        }
        switch outcome {
        case .delivered: try deliver(.delivered, planner)
        case .throttled(let wanted):
            wait = wanted ?? before.throttlePause(at: now, jitter: jitter)
            try retry(after: wait ?? .zero, isCounted: false, planner)
        case .transient where isGivenUp: try deliver(.unanswered, planner)
        case .transient where isUnanswered:
            try retry(after: Self.unansweredPauses[message.unanswered] * RetrySchedule.spread(jitter), planner)
        // The hold is the only delay in a channel in trouble. When the channel works again, all its messages are due.
        case .transient where before.trouble != nil: try retry(after: .zero, planner)
        case .transient:
            try retry(after: RetrySchedule.delay(afterAttempts: message.attempts + 1, jitter: jitter), planner)
        case .permanentChannel: try retry(after: .zero, planner)
        case .permanentMessage: isFinal = try refuse(planner)
        }
        let after = ChannelHealth.after(outcome, before, wait: wait, isFinal: isFinal, error: words, now: now)
        if after != before { try store.save(after) }
        return after
    }

    private func retry(after wait: Duration, isCounted: Bool = true, _ planner: NotificationPlanner) throws {
        var next = message
        next.isUnclear = message.isUnclear || outcome == .transient && answer.mayHaveArrived
        next.attempts += isCounted ? 1 : 0
        next.unanswered += isUnanswered ? 1 : 0
        next.retryAt = planner.now + wait.inSeconds
        if message.isRepeat, message.recipient == nil, next.attempts >= Self.mostRepeats {
            return try planner.store.delete(message)
        }
        try planner.store.update(next)
    }

    /// Applies the result for one deferred recipient of a mail.
    private func settleRecipient(_ planner: NotificationPlanner) throws {
        switch outcome {
        case .transient, .throttled:
            guard message.attempts + 1 < Self.mostTriesOfRecipient else { break }
            return try retry(
                after: RetrySchedule.delay(afterAttempts: message.attempts + 2, jitter: jitter), planner)
        case .delivered, .permanentMessage, .permanentChannel: break
        }
        try planner.store.delete(message)
        log(outcome == .delivered ? .delivered : .refused, planner)
    }

    /// Copies what the bytes state into the rows, and asks `decide` again.
    private func deliver(_ outcome: DeliveryRecord.Outcome, _ planner: NotificationPlanner) throws {
        defer { log(outcome, planner) }
        let store = planner.store
        try store.delete(message)
        guard !message.isRepeat else { return }
        // One message per deferred recipient, so that one refusal affects no other.
        for recipient in answer.deferred {
            let wait = RetrySchedule.delay(afterAttempts: 1, jitter: jitter).inSeconds
            try sendAgain(message.members, after: wait, to: recipient, planner)
        }
        for member in message.members {
            guard let record = try store.incident(member.incidentID) else { continue }
            var known = try planner.known(member.incidentID)
            let isBehindUnclearTrigger = known.maybeDelivered && member.state == .resolved && channel.kind.isPager
            known.messageID = nil
            // What happened while the message was under way is pending, even if it is over by now.
            known.pendingSince = record.incident.version > member.version ? planner.now : nil
            known.reason = nil
            known.notifiedAt = planner.now
            // The message states only an acknowledgement. A later trigger may require stating it again.
            if message.reason == .acknowledged {
                known.acknowledgedAt = member.acknowledgedAt
            } else {
                known.state = member.state == .resolved ? .resolved : .firing
                known.version = member.version
                known.maybeDelivered = false
                known.refused = nil
                if member.state != .resolved, message.members.count == 1 {
                    known.reference = known.reference ?? channel.format.reference(in: answer)
                }
            }
            try planner.settle(record, known)
            // A receiver may process messages out of order, so send the end once more, with the same key.
            if isBehindUnclearTrigger { try sendAgain([member], after: Self.repeatPause, planner) }
        }
    }

    /// Sends the same bytes once more. `recipient`: the only recipient of a mail.
    private func sendAgain(
        _ members: [MessageRecord.Member], after wait: TimeInterval, to recipient: String? = nil,
        _ planner: NotificationPlanner
    ) throws {
        var again = MessageRecord(
            key: message.key, reason: message.reason, kind: message.kind, body: message.body, members: members,
            createdAt: planner.now, retryAt: planner.now + wait)
        again.isRepeat = true
        again.recipient = recipient
        _ = try planner.store.insert(again)
    }

    /// Tries the plain form of the message. If that was refused too, the version counts as refused.
    /// - Returns: true if the message is given up.
    private func refuse(_ planner: NotificationPlanner) throws -> Bool {
        let store = planner.store
        let rows = try message.members.compactMap {
            member -> (member: MessageRecord.Member, record: IncidentRecord, known: NotificationRecord)? in
            guard let record = try store.incident(member.incidentID) else { return nil }
            var known = try planner.known(member.incidentID)
            known.messageID = nil
            return (member, record, known)
        }
        // The plain form must state the same versions. Otherwise it would be another message.
        let isAsStated =
            rows.count == message.members.count
            && rows.allSatisfy { statedVersion($0.record.incident) == $0.member.statedVersion }
        if !message.isPlain, !message.isRepeat, isAsStated {
            let alert = try planner.alert(about: rows.map(\.record), message.reason, key: message.key)
            if let plain = try? channel.format.body(alert, plain: true, reference: nil), plain != message.body {
                var next = message
                next.body = plain
                next.isPlain = true
                next.attempts += 1
                try store.update(next)
                return false
            }
        }
        try store.delete(message)
        guard !message.isRepeat else { return true }
        for var row in rows {
            row.known.pendingSince = nil
            // A refused acknowledgement is not sent again. It does not count as a refused version.
            guard message.reason != .acknowledged else {
                row.known.acknowledgedAt = row.member.acknowledgedAt
                try planner.settle(row.record, row.known)
                continue
            }
            row.known.maybeDelivered = row.known.maybeDelivered || message.mayHaveNotified
            row.known.refused = .init(version: row.member.statedVersion, at: planner.now)
            try planner.settle(row.record, row.known)
            // Another channel may have to send it.
            if row.member.statedVersion > 0 { try store.announce(row.record.incident.id) }
        }
        log(.refused, planner)
        return true
    }

    private func log(_ outcome: DeliveryRecord.Outcome, _ planner: NotificationPlanner) {
        for member in message.members {
            try? planner.log(
                outcome, member, of: message, attempts: message.attempts + 1, status: answer.status, error: words)
        }
    }
}

extension ChannelRecord {
    /// The pause if a throttling receiver gives no time: as long as it has throttled so far, so that the pauses
    /// double. From 5 s to 15 min, with jitter.
    fileprivate func throttlePause(at now: Date, jitter: Double) -> Duration {
        let gone = throttledSince.map { now.timeIntervalSince($0) } ?? 0
        return .seconds(min(max(gone, 5), 900)) * RetrySchedule.spread(jitter)
    }
}

/// How an answer changes the state of a channel: hold, trouble, recovery. Pure; the loop stores the result.
enum ChannelHealth {
    /// Consecutive failures until a channel is degraded.
    static let degradedAfter = 5
    /// The hold of a degraded channel after each failure.
    static let degradedPause = Duration.seconds(30)
    /// The hold after the first refusal, because a proxy or a deployment may cause a wrong 403 or 404.
    static let secondCheck = Duration.seconds(60)
    /// The holds after consecutive refusals of the channel or its messages; the last one repeats.
    static let refusedPauses: [Duration] = [.seconds(300), .seconds(900), .seconds(3600), .seconds(6 * 3600)]
    /// Consecutive refused messages until the channel is in trouble.
    static let refusedMessages = 3
    /// In seconds. A channel that throttles for this long is in trouble.
    static let longestThrottling: TimeInterval = 30 * 60

    /// The record after an answer.
    ///
    /// `wait`: the wait that a throttling receiver asked for.
    /// `isFinal`: the message is given up, because the plain form was refused too.
    /// `error`: an error of the receiver or of the network, without secrets.
    static func after(
        _ outcome: Outcome, _ record: ChannelRecord, wait: Duration? = nil, isFinal: Bool = false, error: String?,
        now: Date
    ) -> ChannelRecord {
        var next = record
        func hold(_ pause: Duration, _ reason: ChannelRecord.Hold.Reason) {
            next.hold = ChannelRecord.Hold(until: now + pause.inSeconds, reason: reason)
        }
        func trouble(_ state: ChannelRecord.Trouble.State) {
            next.trouble = ChannelRecord.Trouble(state: state, since: record.trouble?.since ?? now, error: error)
        }
        if case .throttled = outcome {} else { next.throttledSince = nil }
        switch outcome {
        case .delivered:
            next = ChannelRecord(name: record.name, type: record.type, destination: record.destination)
            next.cursor = record.cursor
            // After a trouble, send once more what the receiver refused meanwhile.
            next.refusalsLiftedAt = record.trouble == nil ? record.refusalsLiftedAt : now
        case .throttled:
            next.throttledSince = record.throttledSince ?? now
            hold(wait ?? .zero, .throttled)
            let free = now + (wait ?? .zero).inSeconds
            if free.timeIntervalSince(next.throttledSince ?? now) >= longestThrottling { trouble(.degraded) }
        case .transient:
            next.failures += 1
            next.refusals = 0
            guard record.trouble != nil || next.failures >= degradedAfter else { break }
            trouble(.degraded)
            hold(degradedPause, .failing)
        case .permanentMessage:
            guard isFinal else { break }
            next.refusedMessages += 1
            guard next.refusedMessages >= refusedMessages else { break }
            trouble(.degraded)
            hold(pause(next.refusedMessages - refusedMessages), .refused)
            // Retry refused messages after the hold: somebody may have fixed the receiver.
            next.refusalsLiftedAt = next.hold?.until
        case .permanentChannel(let gone):
            next.failures += 1
            next.refusals += 1
            guard gone || next.refusals > 1 || record.trouble?.state == .disabled else {
                hold(secondCheck, .refused)
                break
            }
            trouble(.disabled)
            hold(pause(next.refusals - (gone ? 1 : 2)), .refused)
        }
        return next
    }

    private static func pause(_ number: Int) -> Duration { refusedPauses[min(max(number, 0), refusedPauses.count - 1)] }
}

/// The wait after a failed attempt.
enum RetrySchedule {
    private static let steps: [Duration] = [
        .seconds(5), .seconds(15), .seconds(45), .seconds(120), .seconds(300), .seconds(600), .seconds(900),
    ]

    /// `attempts`: failed attempts so far, at least 1; beyond the table the last step repeats.
    /// `jitter`: from -1 to 1. Changes the wait by up to 20 %, so that many senders do not return at once.
    static func delay(afterAttempts attempts: Int, jitter: Double) -> Duration {
        steps[min(max(attempts, 1), steps.count) - 1] * spread(jitter)
    }

    static func spread(_ jitter: Double) -> Double { 1 + 0.2 * min(max(jitter, -1), 1) }
}
