// Sends one stored message and writes down what came of it: what the channel knows now, how it stands, and a line of the log.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

struct Sender: Sendable {
    let delivery: Delivery
    let channel: Channel
    /// As it stands.
    let record: ChannelRecord

    /// A refused certificate may be in the middle of a renewal; so many attempts are no accident.
    private static let certificatePatience = 3
    /// Of a digest so many first messages are updated at the receiver: each is a request.
    private static let mostFollowed = 10

    /// - Returns: the channel as it stands afterwards.
    func send(_ outgoing: OutgoingMessage) async throws -> ChannelRecord {
        let message = outgoing.message
        let request = try delivery.request(
            body: message.body, key: message.key, channel: channel.only(to: message.recipient))
        let answer = try await delivery.post(request, to: channel)
        let now = delivery.time.now()
        if let place = channel.format.newDestination(in: answer), place != channel.destination {
            delivery.move(channel, to: place)
            return try await settled { [record] store in
                var next = message
                next.isUnclear = outgoing.wasUnclear
                try store.update(next)
                return try store.record() ?? record
            }
        }
        let outcome = judged(answer, message)
        delivery.count(outcome, channel: channel.name)
        let words = Delivery.words(answer, channel: channel)
        let result = Settlement(
            inputs: delivery.inputs, channel: channel, outgoing: outgoing, outcome: outcome, status: answer.status,
            words: words, mayHaveArrived: answer.mayHaveArrived,
            isUnanswered: answer.status == nil && answer.fault?.kind == .network && answer.mayHaveArrived,
            deferred: answer.deferred,
            jitter: delivery.settings.jitter(), reference: channel.format.reference(in: answer), now: now,
            wall: delivery.time.wall(), channelRecord: record)
        let (before, after, about) = try await settled { store in
            let (before, after) = try result.write(store)
            let incidents = try message.members.prefix(LoggedSubjects.shown).compactMap {
                try store.incident($0.incidentID)?.incident
            }
            return (before, after, LoggedSubjects(incidents, of: message.members.count))
        }
        report(message, about, outcome, answer.status, words, before, after, isGivenUp: result.isGivenUp)
        if case .throttled = outcome, channel.format.isServiceWide(answer), let hold = after.hold {
            delivery.hold(service: channel.kind, until: hold.until)
        }
        if outcome == .delivered { try await follow(message) }
        return after
    }

    private func judged(_ answer: TransportAnswer, _ message: MessageRecord) -> Outcome {
        if answer.fault?.kind == .certificate, answer.status == nil {
            return message.attempts >= Self.certificatePatience ? .permanentChannel(gone: false) : .transient
        }
        return channel.format.judge(answer, now: delivery.time.wall())
    }

    /// Writes the result down, and tries until that works: on a full disk a message that went out would else go out again and
    /// again.
    private func settled<Value: Sendable>(
        _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        let failures = LogDeduplicator()
        while true {
            do {
                return try await delivery.store.transact(channel: channel.name, body)
            } catch {
                guard !Task.isCancelled else { throw error }
                if failures.isNews("\(error)") {
                    delivery.logger.error(
                        "the result of a delivery cannot be stored; trying again",
                        metadata: ["channel": "\(channel.name)", "error": "\(error)"])
                }
                try await delivery.time.sleep(for: ChannelLoop.storePause)
            }
        }
    }

    /// Updates what the receivers show as first messages of incidents that this one is about.
    private func follow(_ message: MessageRecord) async throws {
        guard message.reason.type == .resolved, !message.isRepeat else { return }
        let (inputs, channel, time) = (delivery.inputs, channel, delivery.time)
        let alerts = try await delivery.store.inspect(channel: channel.name) { store in
            let freezer = Freezer(
                asker: try Asker(inputs, channel, store, now: time.now(), wall: time.wall()))
            return try message.members.prefix(Self.mostFollowed).compactMap { member -> (Alert, String)? in
                guard let record = try store.incident(member.incidentID),
                    let reference = try store.notification(member.incidentID)?.reference
                else { return nil }
                return (try freezer.alert(about: [record], message.reason, key: message.key, store), reference)
            }
        }
        // A receiver that hangs must not hold up the next message once for each of them.
        for (alert, reference) in alerts {
            guard await delivery.follow(alert, reference: reference, channel: channel) else { break }
        }
    }

    private func report(
        _ message: MessageRecord, _ about: LoggedSubjects, _ outcome: Outcome, _ status: Int?, _ words: String?,
        _ before: ChannelRecord, _ after: ChannelRecord, isGivenUp: Bool
    ) {
        var metadata: Logger.Metadata = [
            "channel": "\(channel.name)", "message_key": "\(message.key)", "kind": "\(message.kind.rawValue)",
            "reason": "\(message.reason.rawValue)", "attempt": .stringConvertible(message.attempts + 1),
        ]
        metadata.merge(about.metadata) { $1 }
        if let status { metadata["status"] = .stringConvertible(status) }
        let level: Logger.Level
        let text: Logger.Message
        switch outcome {
        case .delivered: (level, text) = (.info, "delivered")
        case .throttled: (level, text) = (.warning, "the channel asked to wait")
        case .transient where isGivenUp:
            (level, text) = (.warning, "no answer came to any attempt; the receiver counts as knowing")
        case .transient: (level, text) = (.warning, "not delivered; trying again later")
        case .permanentMessage: (level, text) = (.error, "the receiver refused the message")
        case .permanentChannel:
            (level, text) = (
                before.refusals > 0 ? .debug : .warning, "the receiver refused the channel; its messages wait"
            )
        }
        if level >= .warning, let words { metadata["error"] = "\(words)" }
        // A mail that arrived may have been refused for some of its recipients.
        if outcome == .delivered, channel.kind == .email, let words { metadata["answer"] = "\(words)" }
        delivery.logger.log(level: level, text, metadata: metadata)
        guard before.trouble?.state != after.trouble?.state else { return }
        let about: Logger.Metadata = [
            "channel": "\(channel.name)", "since": "\((after.trouble ?? before.trouble)?.since ?? Date())",
            "next_attempt": "\(after.hold?.until ?? Date())",
        ]
        switch after.trouble?.state {
        case .degraded:
            delivery.logger.error("the channel is degraded; one message at a time is tried", metadata: about)
        case .disabled: delivery.logger.error("the channel is disabled; it is tried seldom", metadata: about)
        case nil: delivery.logger.notice("the channel takes messages again", metadata: about)
        }
    }
}

/// Which domains and incidents a line of the log is about: the first few of a message's incidents, and how many there are.
struct LoggedSubjects: Equatable, Sendable {
    /// So many are named.
    static let shown = 3

    private let domains: [String]
    private let ids: [String]

    /// `incidents`: the first ones; `shown` are enough. `count`: how many there are.
    init(_ incidents: [Incident], of count: Int) {
        func listed(_ names: [String]) -> [String] {
            var seen: Set<String> = []
            let first = names.filter { seen.insert($0).inserted }.prefix(Self.shown)
            return first + (count > Self.shown ? ["and \(count - Self.shown) more"] : [])
        }
        domains = incidents.allSatisfy { $0.domain == nil } ? [] : listed(incidents.map(\.subjectName))
        ids = listed(incidents.map(\.id))
    }

    var metadata: Logger.Metadata {
        let pairs = [("domain", domains), ("incident", ids)].filter { !$1.isEmpty }
        return Logger.Metadata(uniqueKeysWithValues: pairs.map { ($0, "\($1.joined(separator: ", "))") })
    }
}
