// What may stop notifications about an incident at one channel for now: silences, windows, an incident of the fleet, and
// evidence that is too old. Nothing else does.

import Evidence
import Foundation
import Monitoring
import Storage

/// What the loops know beside the store. A snapshot: it does not change while a turn lasts.
package struct NotificationInputs: Equatable, Sendable {
    package var routing: Routing
    package var silences = Silences()
    /// When the fleet was last evaluated by this process; nil: not yet.
    package var fleetEvaluatedAt: Date?
    /// The channels that take no messages, by name.
    package var troubled: Set<String> = []
    /// As `MonitorClock.pace`.
    package var pace = 1.0

    package init(routing: Routing) { self.routing = routing }

    func route(of incident: Incident, to channel: Channel) -> Route {
        routing.route(of: incident, to: channel, troubled: troubled)
    }
}

/// The question for one channel, within one transaction.
struct Suppressions {
    private let inputs: NotificationInputs
    private let channel: Channel
    private let store: ChannelTransaction
    private let now: Date
    /// What clocks show now.
    private let wall: Date
    /// Incidents of the fleet that the channel knows as firing, or is about to be notified of, and how long what they explain
    /// waits for that; nil: as long as they fire.
    private var parents: [(affected: AffectedDomains, until: Date?)] = []
    /// By kind, when the last incident of the fleet that may explain it ended.
    private var parentEnds: [IncidentKind: Date] = [:]

    /// What an incident explains waits so long for a message about that one which is due and not delivered.
    static let parentPatience: TimeInterval = 60
    /// A check may be so old, or two intervals, and still count.
    static let freshness: TimeInterval = 600
    /// Between two looks for an evaluation of the fleet, in seconds of real time.
    private static let evaluationPause: TimeInterval = 1

    init(_ inputs: NotificationInputs, _ channel: Channel, _ store: ChannelTransaction, now: Date, wall: Date) throws {
        self.inputs = inputs
        self.channel = channel
        self.store = store
        self.now = now
        self.wall = wall
        for cause in [FleetCause.network, .cdn] {
            guard let end = try store.lastEnd(of: [cause]) else { continue }
            for kind in cause.inhibits { parentEnds[kind] = max(parentEnds[kind] ?? end, end) }
        }
        for parent in try store.fleetIncidents() {
            guard let affected = try affected(by: parent.incident), !affected.kinds.isEmpty else { continue }
            switch try standing(of: parent, patience: Self.parentPatience) {
            case .known: parents.append((affected, nil))
            case .due(let until): parents.append((affected, until))
            case .none: break
            }
        }
    }

    /// How an incident that explains others stands at the channel.
    private enum Standing {
        /// It speaks for what it explains.
        case known
        /// A message about it is on its way; what it explains waits until then.
        case due(until: Date)
        case none
    }

    /// `patience`: how long it may be due, in seconds.
    private func standing(of parent: IncidentRecord, patience: TimeInterval) throws -> Standing {
        let incident = parent.incident
        let known = try store.notification(incident.id) ?? NotificationRecord(incidentID: incident.id)
        let route = inputs.route(of: incident, to: channel)
        // Who gets no more messages about it is not spared any of this one.
        if known.state == .firing, route.timing != .none { return .known }
        // A step of the escalation is for the cause alone: who acknowledged that looks after what follows from it, too.
        if route.isStep { return .known }
        guard incident.state == .firing,
            case .send = decide(parent, known, route, try suppression(of: parent), now: now)
        else { return .none }
        let last = (known.pendingSince ?? incident.remindsFrom ?? now) + patience
        return last > now ? .due(until: min(last, now + Self.parentPatience)) : .none
    }

    private func affected(by incident: Incident) throws -> AffectedDomains? {
        guard incident.cause?.inhibits.isEmpty == false else { return nil }
        return try store.facts(incident.id)?.affected
    }

    /// What stops notifications about an incident now; nil: nothing.
    func suppression(of record: IncidentRecord) throws -> Suppression? {
        let incident = record.incident
        if let silence = try silence(of: incident) {
            // Silences follow the wall clock, the loops sleep by the steady one.
            return Suppression(until: silence.until.map { now + max(1, $0.timeIntervalSince(wall)) }, reason: .silenced)
        }
        if let domain = incident.domain {
            if let parent = parents.first(where: { $0.affected.explains(incident.kind, of: domain) }) {
                return Suppression(until: parent.until, reason: .inhibited)
            }
            if let kind = incident.inhibitedBy, let cause = try store.unresolvedIncident(kind, of: domain) {
                // Whatever keeps the one message from the channel keeps the other, too.
                switch try standing(of: cause, patience: .infinity) {
                case .known: return Suppression(until: nil, reason: .inhibited)
                case .due(let until): return Suppression(until: until, reason: .inhibited)
                case .none: break
                }
            }
        }
        return evidence(record).map { Suppression(until: $0, reason: .staleEvidence) }
    }

    /// An incident of the fleet is silenced by a scope for all domains, and where each of its domains is silenced.
    private func silence(of incident: Incident) throws -> ActiveSilence? {
        let labels = inputs.routing.labels(of: incident)
        if let own = inputs.silences.active(domain: incident.domain, labels: labels, kind: incident.kind, at: wall) {
            return own
        }
        guard inputs.silences != Silences(), let affected = try affected(by: incident), !affected.domains.isEmpty
        else { return nil }
        let kinds = affected.kinds.isEmpty ? incident.cause?.inhibits.sorted() ?? [] : affected.kinds
        var first: ActiveSilence?
        for domain in affected.domains {
            let labels = inputs.routing.domains[domain]?.labels ?? [:]
            let own = kinds.compactMap {
                inputs.silences.active(domain: domain, labels: labels, kind: $0, at: wall)
            }
            guard own.count == kinds.count, let soonest = own.min(by: Self.endsEarlier) else { return nil }
            first = first.map { Self.endsEarlier(soonest, $0) ? soonest : $0 } ?? soonest
        }
        return first
    }

    private static func endsEarlier(_ one: ActiveSilence, _ other: ActiveSilence) -> Bool {
        (one.until ?? .distantFuture) < (other.until ?? .distantFuture)
    }

    /// When to ask again because what is known is too old; nil where it is fresh.
    private func evidence(_ record: IncidentRecord) -> Date? {
        let changed = [
            record.incident.firedAt, record.incident.worse?.at, record.incident.again?.at, record.incident.flapping?.at,
        ].compactMap(\.self).max()
        let soon = now + Self.evaluationPause * inputs.pace
        guard let evaluated = inputs.fleetEvaluatedAt else { return soon }
        guard let domain = record.incident.domain else { return nil }
        // One evaluation of the fleet after it fired: what many domains share is notified first.
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
}
