// Compares each request that leaves the machine with what is committed and with what its receiver got before.

import Alerting
import Evidence
import Foundation
import Monitoring

extension Audit {
    /// Looks at a request before it leaves.
    /// `id`: the key in the request itself, if its form has one.
    mutating func examine(
        _ message: StoredMessage, _ body: Data, id: String?, to channel: SimulatedChannel, _ present: Present
    ) throws {
        let name = "\(message.reason.rawValue) \(message.key.prefix(8)) to \(channel.name)"
        guard id == nil || id == message.key else {
            throw Violation(rule: .keys, detail: "\(name) is sent with another key")
        }
        guard !formerKeys.contains(message.key) else {
            throw Violation(rule: .keys, detail: "\(name) has the key of a message to a former address")
        }
        let former = keys[message.key]
        if let former {
            guard former.channel == channel.name, former.reason == message.reason, former.members == message.members
            else { throw Violation(rule: .keys, detail: "\(name) had another content before") }
            guard former.bytes == body || former.refusedBytes.contains(former.bytes) else {
                throw Violation(rule: .sameBytes, detail: "\(name) is sent with other bytes than before")
            }
            guard !former.isSettled else {
                throw Violation(rule: .repeats, detail: "\(name) got a clear answer, but is sent again")
            }
        }
        guard !message.members.isEmpty, Set(message.members.map(\.incident)).count == message.members.count,
            message.members.count == 1 || !channel.isPager
        else { throw Violation(rule: .keys, detail: "\(name) is about \(message.members.count) incidents") }
        if former == nil { try examineGrouping(message, name, channel, present) }
        var objections: [Violation] = []
        for member in message.members {
            guard let incident = ledger[member.incident], (1...incident.version).contains(member.version) else {
                throw Violation(
                    rule: .committed, detail: "\(name) states version \(member.version) of \(member.incident)")
            }
            guard member.isEnd == (message.reason.type == .resolved) else {
                throw Violation(
                    rule: .present,
                    detail: "\(name) states that \(member.incident) is \(member.isEnd ? "" : "not ")over")
            }
            do {
                try examine(member, message.reason, incident, channel, isFirst: former == nil, present)
            } catch let violation as Violation {
                objections.append(
                    Violation(
                        rule: violation.rule,
                        detail:
                            "\(name), \(incident.kind.rawValue) of \(incident.domain)\(incident.cause): \(violation.detail)"
                    ))
            }
        }
        // Retries continue while one of the incidents would still be notified in the same way.
        if let objection = objections.first, former == nil || objections.count == message.members.count {
            throw objection
        }
        let incidents = message.members.compactMap { ledger[$0.incident] }
        try BodyAudit.examine(body, message, incidents, channel.kind, former == nil ? present : nil)
    }

    /// Firing messages, and messages with beginning and end in one, come in digests with a minimum distance.
    private mutating func examineGrouping(
        _ message: StoredMessage, _ name: String, _ channel: SimulatedChannel, _ present: Present
    ) throws {
        let setup = present.setup
        guard setup.groupWait > .zero, !channel.isPager, [.firing, .wasFiring].contains(message.reason),
            let first = message.members.first.flatMap({ ledger[$0.incident] }), !first.isGlobal
        else { return }
        let group = "\(channel.name) \(first.kind.rawValue) \(message.reason.rawValue)"
        let distance = Int64(setup.groupInterval / .milliseconds(1)) - 1000
        if let last = groups[group], present.passed - last < distance,
            present.passed - present.lastUpheaval > 3_600_000
        {
            throw Violation(
                rule: .grouping, detail: "\(name) follows the last one after \((present.passed - last) / 1000) s")
        }
        groups[group] = present.passed
    }

    private func examine(
        _ member: StoredMessage.Member, _ reason: NotificationReason, _ incident: CommittedIncident,
        _ channel: SimulatedChannel, isFirst: Bool, _ present: Present
    ) throws {
        let story = story(incident.id, channel.name)
        if member.isEnd { return try examineEnd(member, reason, incident, channel, story) }
        guard !incident.isOver else { throw Violation(rule: .present, detail: "it is over") }
        if reason == .acknowledged {
            guard channel.kind == .pagerduty, incident.isAcknowledged || !isFirst else {
                throw Violation(rule: .acknowledgement, detail: "nobody has acknowledged it")
            }
            guard
                !isFirst
                    || !story.words.contains(where: {
                        $0.acknowledgedAt == member.acknowledgedAt && $0.isSettled && !$0.isAboutTrouble
                    })
            else { throw Violation(rule: .acknowledgement, detail: "this acknowledgement was sent before") }
            return
        }
        guard incident.state == .firing else {
            throw Violation(rule: .present, detail: "it is \(incident.state.rawValue)")
        }
        guard !present.isSurelySilent(incident) else { throw Violation(rule: .silence, detail: "it is silenced") }
        guard incident.isGlobal || present.isFresh(incident.domain, after: .distantPast, slack: 60) else {
            throw Violation(rule: .evidence, detail: "the last check is too old")
        }
        if let parent = parent(of: incident, channel.name, isSettled: true) {
            throw Violation(rule: .inhibition, detail: "the channel knows \(parent.kind.rawValue) \(parent.cause)")
        }
        if isFirst { try examineNews(member, reason, incident, story) }
        try examineConcern(reason, incident, channel, story, isFirst: isFirst, present)
    }

    /// An end goes to channels that may know of the beginning. A chat that knows nothing gets both in one message that
    /// says so.
    private func examineEnd(
        _ member: StoredMessage.Member, _ reason: NotificationReason, _ incident: CommittedIncident,
        _ channel: SimulatedChannel, _ story: Story
    ) throws {
        guard incident.isOver else { throw Violation(rule: .present, detail: "it is not over") }
        let known = story.knowledge
        let isFair =
            switch known {
            case .nothing, .refused: reason == .wasFiring && !channel.isPager
            case .notified: reason == .resolved
            case .unclear: reason == .resolved || !channel.isPager
            }
        guard isFair else {
            throw Violation(
                rule: .endOnlyToNotified, detail: "\(reason.rawValue) goes to a channel that knows: \(known)")
        }
    }

    /// A new message says something that the receiver has not clearly received.
    private func examineNews(
        _ member: StoredMessage.Member, _ reason: NotificationReason, _ incident: CommittedIncident, _ story: Story
    ) throws {
        let isFirst = reason == .firing || reason == .escalated
        guard let known = story.settled else {
            guard isFirst else { throw Violation(rule: .order, detail: "the channel does not know the incident") }
            return
        }
        guard reason != .reminder else {
            guard !known.isEnd else { throw Violation(rule: .order, detail: "the channel knows its end") }
            return
        }
        guard member.version > known.version, known.isEnd || !isFirst else {
            throw Violation(
                rule: .repeats,
                detail: "version \(member.version) is sent as new, but version \(known.version) was received")
        }
    }

    private func examineConcern(
        _ reason: NotificationReason, _ incident: CommittedIncident, _ channel: SimulatedChannel, _ story: Story,
        isFirst: Bool, _ present: Present
    ) throws {
        let concern = concern(of: incident, to: channel, present)
        switch (reason, concern) {
        case (_, .none): throw Violation(rule: .routing, detail: "it does not concern the channel")
        case (.escalated, .later(let after)):
            guard incident.isError, !incident.isFlapping, !incident.isAcknowledged else {
                throw Violation(rule: .acknowledgement, detail: "it is no longer escalated")
            }
            // A message that may have arrived before a silence is retried after it.
            guard isFirst else { break }
            guard let start = incident.escalatesFrom, story.mayReach(after, from: start, present) else {
                throw Violation(rule: .routing, detail: "its escalation step is not reached")
            }
        case (_, .perhaps): break
        case (.firing, .later), (.escalated, .atOnce):
            throw Violation(rule: .routing, detail: "the channel is notified \(concern)")
        case (.reminder, _):
            guard !channel.isPager else { throw Violation(rule: .reminders, detail: "a pager sends its own reminders") }
            guard !incident.isAcknowledged, !incident.isFlapping else {
                throw Violation(rule: .acknowledgement, detail: "its reminders are suppressed now")
            }
            // A message without a clear answer counts as not received.
            guard let last = story.settled, let due = present.nextReminder(of: incident, after: last.at),
                due <= present.now + 1
            else { throw Violation(rule: .reminders, detail: "a reminder comes too early") }
        default: break
        }
    }

    /// The incident that inhibits one of a domain at a channel.
    /// `isSettled`: only if the sender also knows that the channel knows it.
    func parent(of incident: CommittedIncident, _ channel: String, isSettled: Bool = false) -> CommittedIncident? {
        guard !incident.isGlobal else { return nil }
        return active.lazy.compactMap { ledger[$0] }.first { parent in
            guard !parent.isOver, parent.explains(incident) else { return false }
            let story = story(parent.id, channel)
            return isSettled ? story.settled.map { !$0.isEnd } ?? false : story.knowsFiring
        }
    }
}

extension CommittedIncident {
    /// Whether a message about this one says what a message about the other would say.
    func explains(_ other: CommittedIncident) -> Bool {
        isGlobal
            ? explains.contains(other.kind) && affected.contains(other.domain)
            : domain == other.domain && kind == other.inhibitedBy
    }

    /// The instant from which escalation steps count.
    var escalatesFrom: Date? { [firedAt, worse?.at, again?.at].compactMap(\.self).max() }
}
