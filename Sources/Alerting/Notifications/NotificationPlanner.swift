// Calls `decide` with everything that it needs, and writes the result into the channel's rows. Also finds what
// suppresses notifications: silences, maintenance windows, inhibiting incidents, and stale evidence. No other code
// suppresses anything.

import Evidence
import Foundation
import Monitoring
import Storage

/// What the loops know beyond the store: a snapshot for one turn.
struct NotificationInputs: Equatable, Sendable {
    var routing: Routing
    var silences = Silences()
    /// When this process last evaluated all domains together; nil: not yet.
    var globalEvaluatedAt: Date?
    /// The names of the channels that accept no messages.
    var troubled: Set<String> = []
    /// As `MonitorClock.intervalFactor`.
    let intervalFactor: Double
}

/// One channel within one transaction. Valid only inside that transaction.
struct NotificationPlanner {
    let inputs: NotificationInputs
    let channel: Channel
    let store: ChannelTransaction
    let now: Date
    /// The wall clock.
    let wall: Date
    private let refusalsLiftedAt: Date?
    /// The channels for which this one is the replacement: it sends what their receivers refused.
    private let replacedChannels: Set<String>
    /// Global incidents that the channel knows as firing, or is about to be notified of.
    private var inhibitors: [(affected: AffectedDomains, inhibition: Suppression)] = []
    /// The last end of a global incident that can inhibit a kind, by kind.
    private var parentEnds: [IncidentKind: Date] = [:]

    /// In seconds. Inhibited notifications wait this long for a pending message about the global incident.
    private static let parentTimeout: TimeInterval = 60
    /// In seconds. A check counts as fresh if it is no older than this, or than two intervals.
    private static let freshness: TimeInterval = 600
    /// In seconds, before asking again whether a global evaluation has run.
    private static let evaluationPause: TimeInterval = 1

    init(
        _ inputs: NotificationInputs, _ channel: Channel, _ store: ChannelTransaction, now: Date, wall: Date
    ) throws {
        self.inputs = inputs
        self.channel = channel
        self.store = store
        self.now = now
        self.wall = wall
        refusalsLiftedAt = try store.record()?.refusalsLiftedAt
        replacedChannels = Set(inputs.routing.channels.map(\.name)).filter { other in
            other != channel.name
                && inputs.routing.globalChannels(of: .channel(other), troubled: inputs.troubled).contains(channel.name)
        }
        for cause in [GlobalCause.network, .cdn] {
            guard let end = try store.lastEnd(of: cause) else { continue }
            for kind in cause.inhibits { parentEnds[kind] = max(parentEnds[kind] ?? end, end) }
        }
        for parent in try store.globalIncidents() {
            guard let affected = try affected(by: parent.incident), !affected.kinds.isEmpty else { continue }
            if let inhibition = try inhibition(by: parent, timeout: Self.parentTimeout) {
                inhibitors.append((affected, inhibition))
            }
        }
    }

    // MARK: - Arguments of `decide`

    func decision(on record: IncidentRecord, _ known: NotificationRecord) throws -> Decision {
        try decision(on: record, known, route(of: record.incident), suppression(of: record))
    }

    private func decision(
        on record: IncidentRecord, _ known: NotificationRecord, _ route: Route, _ suppression: Suppression?
    ) throws -> Decision {
        if try isTakenOver(record.incident) { return .nothing }
        return decide(record, known, route, suppression, refusalsLiftedAt: refusalsLiftedAt, now: now)
    }

    /// The decision for a feed, which has no rows: `send` while an unresolved incident is present.
    func presence(of record: IncidentRecord) throws -> Decision {
        var firing = record
        // A recovering incident is not resolved.
        firing.incident.state = .firing
        return try decision(on: firing, NotificationRecord(incidentID: record.incident.id))
    }

    /// A pager has one key per domain and kind, so this end would resolve a newer incident too. Its end suffices.
    private func isTakenOver(_ incident: Incident) throws -> Bool {
        guard channel.kind.isPager, incident.state == .resolved, let domain = incident.domain,
            let newer = try store.unresolvedIncident(incident.kind, of: domain), newer.incident.id != incident.id
        else { return false }
        let known = try known(newer.incident.id)
        return known.state == .firing || known.maybeDelivered || known.messageID != nil
    }

    /// Whether the channel would be notified of this incident after it is confirmed.
    func isToBeNotified(of record: IncidentRecord) throws -> Bool {
        guard try route(of: record.incident).timing == .atOnce else { return false }
        return try suppression(of: record)?.isSuppressing != true
    }

    /// If another channel's receiver refused an incident, the replacement channel is notified at once.
    private func route(of incident: Incident) throws -> Route {
        var route = inputs.routing.route(of: incident, to: channel, troubled: inputs.troubled)
        if try !refusals(of: incident).isEmpty { route.timing = .atOnce }
        return route
    }

    /// The refusals of the current version by channels that this one replaces. Empty if this channel gets the incident
    /// at once anyway. Only the fallback gets incidents that its own filters reject.
    func refusals(of incident: Incident) throws -> [Alert.Refusal] {
        guard !replacedChannels.isEmpty, incident.state == .firing,
            channel.name == inputs.routing.fallback
                || channel.accepts(kind: incident.kind, severity: incident.severity),
            inputs.routing.route(of: incident, to: channel, troubled: inputs.troubled).timing != .atOnce
        else { return [] }
        return try store.refusals(of: incident.id, version: incident.version)
            .filter { replacedChannels.contains($0.channel) }.map {
                Alert.Refusal(channel: $0.channel, words: $0.words)
            }
    }

    /// What the channel knows of an incident; an empty record if there is no row.
    func known(_ id: String) throws -> NotificationRecord {
        try store.notification(id) ?? NotificationRecord(incidentID: id)
    }

    // MARK: - Pending notifications

    /// Asks `decide` about these incidents, and writes the rows that change.
    func ask(_ records: [IncidentRecord]) throws {
        let rows = try store.notifications(records.map(\.incident.id))
        for record in records {
            try ask(record, rows[record.incident.id] ?? NotificationRecord(incidentID: record.incident.id))
        }
    }

    /// - Returns: the number of rows whose incident could be read.
    @discardableResult
    func ask(_ rows: [NotificationRecord]) throws -> Int {
        var count = 0
        for row in rows {
            guard let record = try store.incident(row.incidentID) else { continue }
            try ask(record, row)
            count += 1
        }
        return count
    }

    /// Skips incidents in a message under way: the loop asks about the message before each attempt.
    private func ask(_ record: IncidentRecord, _ known: NotificationRecord) throws {
        guard known.messageID == nil else { return }
        let next = try asked(record, known)
        if next != known { try store.save(next, of: record.incident) }
    }

    /// Asks `decide`, and saves the row.
    func settle(_ record: IncidentRecord, _ known: NotificationRecord) throws {
        try store.save(asked(record, known), of: record.incident)
    }

    /// Asks `decide`, and returns the row with the result.
    private func asked(_ record: IncidentRecord, _ known: NotificationRecord) throws -> NotificationRecord {
        var next = known
        let suppression = try suppression(of: record)
        let route = try route(of: record.incident)
        // An escalation step counts from the time when people can acknowledge. Stale evidence does not prevent that.
        let isHeld = suppression?.isSuppressing == true && route.isStep && record.incident.state != .resolved
        if known.isHeld, !isHeld { next.releasedAt = now }
        next.isHeld = isHeld
        next.reason = nil
        next.dueAt = nil
        switch try decision(on: record, next, route, suppression) {
        // Keep `pendingSince`, but clear `reason`: the notification stays pending without being ready.
        case .undecided: break
        case .wait(let until): next.dueAt = until
        case .nothing: next.pendingSince = nil
        case .send(let reason):
            next.pendingSince = known.pendingSince ?? now
            next.reason = reason
        }
        return next
    }

    // MARK: - Suppression

    /// What suppresses notifications about an incident now; nil: nothing.
    private func suppression(of record: IncidentRecord) throws -> Suppression? {
        let incident = record.incident
        if let end = try endOfSilence(incident) {
            // Silences use the wall clock, but the loops sleep by the steady clock.
            return Suppression(until: now + max(1, end.timeIntervalSince(wall)))
        }
        if let domain = incident.domain {
            if let parent = inhibitors.first(where: { $0.affected.explains(incident.kind, of: domain) }) {
                return parent.inhibition
            }
            // No timeout: if the channel cannot deliver the message about the cause, it cannot deliver this one either.
            if let kind = incident.inhibitedBy, let cause = try store.unresolvedIncident(kind, of: domain),
                let inhibition = try inhibition(by: cause, timeout: .infinity)
            {
                return inhibition
            }
        }
        return evidence(record).map { Suppression(until: $0, isSuppressing: false) }
    }

    /// How an incident inhibits others at this channel: while the channel knows it as firing, or while a message about
    /// it is pending.
    /// `timeout`: in seconds, the longest wait for a pending message.
    private func inhibition(by parent: IncidentRecord, timeout: TimeInterval) throws -> Suppression? {
        let speaks = Suppression(until: nil)
        if channel.kind.isFeed { return try presence(of: parent) == .send(.firing) ? speaks : nil }
        let incident = parent.incident
        let known = try known(incident.id)
        let route = try route(of: incident)
        // A channel that gets no more messages about the inhibiting incident still gets those about this one.
        if known.state == .firing, route.timing != .none { return speaks }
        // Only the inhibiting incident escalates. The person who acknowledges it handles the inhibited ones too.
        if route.isStep { return speaks }
        guard incident.state == .firing,
            case .send = try decision(on: parent, known)
        else { return nil }
        let last = (known.pendingSince ?? incident.remindsFrom ?? now) + timeout
        guard last > now else { return nil }
        return Suppression(until: min(last, now + Self.parentTimeout))
    }

    private func affected(by incident: Incident) throws -> AffectedDomains? {
        guard let cause = incident.cause, cause == .blind || !cause.inhibits.isEmpty else { return nil }
        return try store.account(incident.id)?.facts.affected
    }

    /// A silence for all domains covers a global incident. So do silences for each of its domains.
    private func endOfSilence(_ incident: Incident) throws -> Date? {
        let labels = inputs.routing.labels(of: incident)
        if let own = inputs.silences.end(domain: incident.domain, labels: labels, kind: incident.kind, at: wall) {
            return own
        }
        guard inputs.silences != Silences(), let affected = try affected(by: incident), !affected.domains.isEmpty
        else { return nil }
        let inhibited = incident.cause?.inhibits.sorted() ?? []
        let kinds = !affected.kinds.isEmpty ? affected.kinds : inhibited.isEmpty ? [incident.kind] : inhibited
        var first: Date?
        for domain in affected.domains {
            let labels = inputs.routing.domains[domain]?.labels ?? [:]
            let ends = kinds.compactMap { inputs.silences.end(domain: domain, labels: labels, kind: $0, at: wall) }
            guard ends.count == kinds.count, let soonest = ends.min() else { return nil }
            first = min(soonest, first ?? soonest)
        }
        return first
    }

    /// When to ask again because the evidence is stale; nil: it is fresh.
    private func evidence(_ record: IncidentRecord) -> Date? {
        let changed = [
            record.incident.firedAt, record.incident.worse?.at, record.incident.again?.at, record.incident.flapping?.at,
        ].compactMap(\.self).max()
        let soon = now + Self.evaluationPause * inputs.intervalFactor
        guard let evaluated = inputs.globalEvaluatedAt else { return soon }
        guard let domain = record.incident.domain else { return nil }
        // Wait for a global evaluation after the firing, so that a global incident is notified first.
        guard evaluated >= changed ?? .distantPast else { return soon }
        let interval = (inputs.routing.domains[domain]?.checks.interval ?? .seconds(60)).inSeconds
        guard let checked = record.checkedAt else { return max(now + interval, soon) }
        let isFresh =
            checked > parentEnds[record.incident.kind] ?? .distantPast
            && now.timeIntervalSince(checked) <= max(2 * interval, Self.freshness)
        if isFresh { return nil }
        // A check without changes wakes no loop, so ask again when the next check should be finished.
        let next = checked + interval * 1.1
        return max(next > now ? next : now + interval, soon)
    }

    // MARK: - Messages under way

    /// Decides about a message under way. `send`: at least one of its incidents still has the message's reason. `wait`:
    /// ask again. `nothing`: the message is no longer needed.
    func decision(on message: MessageRecord) throws -> Decision {
        var waiting: Decision?
        var hasOtherNews = false
        for member in message.members {
            guard let record = try store.incident(member.incidentID) else { continue }
            if message.isRepeat {
                if statedVersion(record.incident) == member.statedVersion, try !isTakenOver(record.incident) {
                    return .send(message.reason)
                }
                continue
            }
            var known = try known(member.incidentID)
            known.maybeDelivered = known.maybeDelivered || message.mayHaveNotified
            switch try decision(on: record, known) {
            case .send(message.reason): return .send(message.reason)
            case .undecided: waiting = waiting ?? .wait(until: nil)
            case .wait(let until): waiting = .wait(until: until)
            case .send: hasOtherNews = true
            case .nothing: break
            }
        }
        // If one incident waits and another has different news, the news must not wait.
        return hasOtherNews ? .nothing : waiting ?? .nothing
    }

    /// Abandons a message. It may have arrived if an attempt had no clear answer.
    func abandon(_ message: MessageRecord) throws {
        for member in message.members where !message.isRepeat {
            guard let record = try store.incident(member.incidentID) else { continue }
            var known = try known(member.incidentID)
            known.messageID = nil
            known.maybeDelivered = known.maybeDelivered || message.mayHaveNotified
            try settle(record, known)
            try log(.abandoned, member, of: message, attempts: message.attempts)
        }
        try store.delete(message)
    }

    /// Adds a line to the delivery log.
    func log(
        _ outcome: DeliveryRecord.Outcome, _ member: MessageRecord.Member, of message: MessageRecord, attempts: Int,
        status: Int? = nil, error: String? = nil
    ) throws {
        try store.log(
            DeliveryRecord(
                channel: channel.name, incidentID: member.incidentID, type: message.reason.type(of: message.kind),
                reason: message.reason, version: member.version, key: message.key, at: now, attempts: attempts,
                outcome: outcome, status: status, error: error))
    }
}
