// Asks `decide` what a channel is to be told, with all that it needs at hand, and writes that into the channel's rows. What stops
// notifications for now is found out here, too: silences, windows, a global incident, and evidence that is too old. Nothing
// else does.

import Evidence
import Foundation
import Monitoring
import Storage

/// What the loops know beside the store. A snapshot: it does not change while a turn lasts.
struct NotificationInputs: Equatable, Sendable {
    var routing: Routing
    var silences = Silences()
    /// When all domains were last evaluated together by this process; nil: not yet.
    var globalEvaluatedAt: Date?
    /// The channels that take no messages, by name.
    var troubled: Set<String> = []
    /// As `MonitorClock.intervalFactor`.
    let intervalFactor: Double
}

/// One channel within one transaction. It is valid as long as that is.
struct NotificationPlanner {
    let inputs: NotificationInputs
    let channel: Channel
    let store: ChannelTransaction
    let now: Date
    /// What clocks show now.
    let wall: Date
    private let refusalsLiftedAt: Date?
    /// The channels whose refused messages go to this one.
    private let standsInFor: Set<String>
    /// Global incidents that the channel knows as firing, or is about to be notified of.
    private var parents: [(affected: AffectedDomains, inhibition: Suppression)] = []
    /// By kind, when the last global incident that may explain it ended.
    private var parentEnds: [IncidentKind: Date] = [:]

    /// What an incident explains waits so long for a message about that one which is due and not delivered.
    private static let parentTimeout: TimeInterval = 60
    /// A check may be so old, or two intervals, and still count.
    private static let freshness: TimeInterval = 600
    /// Between two looks for a global evaluation.
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
        standsInFor = Set(inputs.routing.channels.map(\.name)).filter { other in
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
                parents.append((affected, inhibition))
            }
        }
    }

    // MARK: - What decide is asked

    func decision(on record: IncidentRecord, _ known: NotificationRecord) throws -> Decision {
        try decision(on: record, known, route(of: record.incident), suppression(of: record))
    }

    private func decision(
        on record: IncidentRecord, _ known: NotificationRecord, _ route: Route, _ suppression: Suppression?
    ) throws -> Decision {
        if try isTakenOver(record.incident) { return .nothing }
        return decide(record, known, route, suppression, refusalsLiftedAt: refusalsLiftedAt, now: now)
    }

    /// What is said of an unresolved incident to a feed, which keeps no rows: to send it as long as it is present.
    func presence(of record: IncidentRecord) throws -> Decision {
        var firing = record
        // One that recovers is not over.
        firing.incident.state = .firing
        return try decision(on: firing, NotificationRecord(incidentID: record.incident.id))
    }

    /// Whether its end would close a newer incident: a pager has one key for each domain and kind. The newer one's end closes both.
    private func isTakenOver(_ incident: Incident) throws -> Bool {
        guard channel.kind.isPager, incident.state == .resolved, let domain = incident.domain,
            let newer = try store.unresolvedIncident(incident.kind, of: domain), newer.incident.id != incident.id
        else { return false }
        let known = try known(newer.incident.id)
        return known.state == .firing || known.maybeDelivered || known.messageID != nil
    }

    /// Whether the channel would be notified of an incident, once it is confirmed.
    func isToBeNotified(of record: IncidentRecord) throws -> Bool {
        guard try route(of: record.incident).timing == .atOnce else { return false }
        return try suppression(of: record)?.withholds != true
    }

    /// What a channel refused for good goes at once to the one that hears of channels in trouble.
    private func route(of incident: Incident) throws -> Route {
        var route = inputs.routing.route(of: incident, to: channel, troubled: inputs.troubled)
        if try !refusals(of: incident).isEmpty { route.timing = .atOnce }
        return route
    }

    /// Who refused it as it is now, where this channel stands in: it would not get it at once by itself. What a channel filters out it
    /// gets as the fallback alone.
    func refusals(of incident: Incident) throws -> [Alert.Refusal] {
        guard !standsInFor.isEmpty, incident.state == .firing,
            channel.name == inputs.routing.fallback
                || channel.accepts(kind: incident.kind, severity: incident.severity),
            inputs.routing.route(of: incident, to: channel, troubled: inputs.troubled).timing != .atOnce
        else { return [] }
        return try store.refusals(of: incident.id, version: incident.version)
            .filter { standsInFor.contains($0.channel) }.map { Alert.Refusal(channel: $0.channel, words: $0.words) }
    }

    /// What the channel knows of an incident; nothing where there is no row.
    func known(_ id: String) throws -> NotificationRecord {
        try store.notification(id) ?? NotificationRecord(incidentID: id)
    }

    // MARK: - What is pending

    /// Writes down what is pending about each of these incidents, where that differs from what is written.
    func ask(_ records: [IncidentRecord]) throws {
        let rows = try store.notifications(records.map(\.incident.id))
        for record in records {
            try ask(record, rows[record.incident.id] ?? NotificationRecord(incidentID: record.incident.id))
        }
    }

    /// - Returns: how many of them could be read.
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

    /// A message under way speaks for its rows: it asks before each of its attempts.
    private func ask(_ record: IncidentRecord, _ known: NotificationRecord) throws {
        guard known.messageID == nil else { return }
        let next = try asked(record, known)
        if next != known { try store.save(next, of: record.incident) }
    }

    /// Saves a row as it is after `decide` was asked.
    func settle(_ record: IncidentRecord, _ known: NotificationRecord) throws {
        try store.save(asked(record, known), of: record.incident)
    }

    /// The row with what the answer of `decide` makes pending.
    private func asked(_ record: IncidentRecord, _ known: NotificationRecord) throws -> NotificationRecord {
        var next = known
        let suppression = try suppression(of: record)
        let route = try route(of: record.incident)
        // A step of the escalation counts from when somebody could acknowledge. Old evidence keeps nobody from that.
        let isHeld = suppression?.withholds == true && route.isStep && record.incident.state != .resolved
        if known.isHeld, !isHeld { next.releasedAt = now }
        next.isHeld = isHeld
        next.reason = nil
        next.dueAt = nil
        switch try decision(on: record, next, route, suppression) {
        // What was due stays due, and is not ready for now.
        case .undecided: break
        case .wait(let until): next.dueAt = until
        case .nothing: next.pendingSince = nil
        case .send(let reason):
            next.pendingSince = known.pendingSince ?? now
            next.reason = reason
        }
        return next
    }

    // MARK: - What stops notifications for now

    /// What stops notifications about an incident now; nil: nothing.
    private func suppression(of record: IncidentRecord) throws -> Suppression? {
        let incident = record.incident
        if let end = try endOfSilence(incident) {
            // Silences follow the wall clock, the loops sleep by the steady one.
            return Suppression(until: now + max(1, end.timeIntervalSince(wall)), reason: .silenced)
        }
        if let domain = incident.domain {
            if let parent = parents.first(where: { $0.affected.explains(incident.kind, of: domain) }) {
                return parent.inhibition
            }
            // Whatever keeps the one message from the channel keeps the other, too.
            if let kind = incident.inhibitedBy, let cause = try store.unresolvedIncident(kind, of: domain),
                let inhibition = try inhibition(by: cause, timeout: .infinity)
            {
                return inhibition
            }
        }
        return evidence(record).map { Suppression(until: $0, reason: .staleEvidence) }
    }

    /// What an incident does at the channel to those that it explains: where the channel knows it, it speaks for them as long as it
    /// fires; where a message about it is on its way, they wait until then.
    /// `timeout`: how long it may be due, in seconds.
    private func inhibition(by parent: IncidentRecord, timeout: TimeInterval) throws -> Suppression? {
        let speaks = Suppression(until: nil, reason: .inhibited)
        if channel.kind.isFeed { return try presence(of: parent) == .send(.firing) ? speaks : nil }
        let incident = parent.incident
        let known = try known(incident.id)
        let route = try route(of: incident)
        // Who gets no more messages about it is not spared any of this one.
        if known.state == .firing, route.timing != .none { return speaks }
        // A step of the escalation is for the cause alone: who acknowledged that looks after what follows from it, too.
        if route.isStep { return speaks }
        guard incident.state == .firing,
            case .send = try decision(on: parent, known)
        else { return nil }
        let last = (known.pendingSince ?? incident.remindsFrom ?? now) + timeout
        guard last > now else { return nil }
        return Suppression(until: min(last, now + Self.parentTimeout), reason: .inhibited)
    }

    private func affected(by incident: Incident) throws -> AffectedDomains? {
        guard let cause = incident.cause, cause == .blind || !cause.inhibits.isEmpty else { return nil }
        return try store.facts(incident.id)?.affected
    }

    /// A global incident is silenced by a scope for all domains, and where each of its domains is silenced.
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

    /// When to ask again because what is known is too old; nil where it is fresh.
    private func evidence(_ record: IncidentRecord) -> Date? {
        let changed = [
            record.incident.firedAt, record.incident.worse?.at, record.incident.again?.at, record.incident.flapping?.at,
        ].compactMap(\.self).max()
        let soon = now + Self.evaluationPause * inputs.intervalFactor
        guard let evaluated = inputs.globalEvaluatedAt else { return soon }
        guard let domain = record.incident.domain else { return nil }
        // One global evaluation after it fired: what many domains share is notified first.
        guard evaluated >= changed ?? .distantPast else { return soon }
        let interval = (inputs.routing.domains[domain]?.checks.interval ?? .seconds(60)).inSeconds
        guard let checked = record.checkedAt else { return max(now + interval, soon) }
        let isFresh =
            checked > parentEnds[record.incident.kind] ?? .distantPast
            && now.timeIntervalSince(checked) <= max(2 * interval, Self.freshness)
        if isFresh { return nil }
        // A check that changes nothing wakes nobody: the question is asked again when the next one should be over.
        let next = checked + interval * 1.1
        return max(next > now ? next : now + interval, soon)
    }

    // MARK: - Messages under way

    /// What `decide` says now to a message: to send it, where at least one of its incidents would be notified in the same way; to
    /// wait; or nothing, where nobody needs it any more.
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
        // What one of them waits for holds up no news of another.
        return hasOtherNews ? .nothing : waiting ?? .nothing
    }

    /// Gives a message up. What no clear answer came to may have arrived.
    func abandon(_ message: MessageRecord) throws {
        for member in message.members where !message.isRepeat {
            guard let record = try store.incident(member.incidentID) else { continue }
            var known = try known(member.incidentID)
            known.messageID = nil
            known.maybeDelivered = known.maybeDelivered || message.mayHaveNotified
            try settle(record, known)
            try log(
                message.reason, of: message.kind, member.incidentID, version: member.version, key: message.key,
                attempts: message.attempts, .abandoned)
        }
        try store.delete(message)
    }

    /// Adds a line to the log: what became of the messages about one incident.
    func log(
        _ reason: NotificationReason, of kind: IncidentKind, _ incidentID: String, version: Int, key: String,
        attempts: Int, _ outcome: DeliveryRecord.Outcome, status: Int? = nil, error: String? = nil
    ) throws {
        try store.log(
            DeliveryRecord(
                channel: channel.name, incidentID: incidentID, type: reason.type(of: kind), reason: reason,
                version: version, key: key, at: now, attempts: attempts, outcome: outcome, status: status, error: error)
        )
    }
}
