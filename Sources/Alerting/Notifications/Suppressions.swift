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
    /// All domains that each open incident of the fleet is about, by the incident's id.
    package var affected: [String: [Domain]] = [:]
    /// As `Timekeeper.pace`.
    package var pace = 1.0

    package init(routing: Routing) { self.routing = routing }
}

/// The question for one channel, within one transaction.
struct Suppressions {
    private let inputs: NotificationInputs
    private let now: Date
    /// What clocks show now.
    private let wall: Date
    /// Kinds that an incident of the fleet inhibits which the channel knows as firing.
    private var inhibited: Set<IncidentKind> = []
    /// Kinds whose parent is due at the channel and not delivered yet, and how long their children wait for it.
    private var awaiting: [IncidentKind: Date] = [:]
    /// By kind, when the last incident of the fleet that inhibits it ended.
    private var parentEnds: [IncidentKind: Date] = [:]

    /// Children wait so long for a parent that is due and not delivered.
    static let parentPatience: TimeInterval = 60
    /// A check may be so old, or two intervals, and still count.
    static let freshness: TimeInterval = 600
    /// Between two looks for an evaluation of the fleet, in seconds of real time.
    private static let evaluationPause: TimeInterval = 1

    init(_ inputs: NotificationInputs, _ channel: Channel, _ store: ChannelTransaction, now: Date, wall: Date) throws {
        self.inputs = inputs
        self.now = now
        self.wall = wall
        for cause in [FleetCause.network, .cdn] {
            guard let end = try store.lastEnd(of: [cause]) else { continue }
            for kind in cause.inhibits { parentEnds[kind] = max(parentEnds[kind] ?? end, end) }
        }
        for parent in try store.fleetIncidents() {
            let kinds = parent.incident.cause?.inhibits ?? []
            guard !kinds.isEmpty else { continue }
            let known = try store.notification(parent.incident.id) ?? NotificationRecord(incidentID: parent.incident.id)
            if known.state == .firing {
                inhibited.formUnion(kinds)
            } else if parent.incident.state == .firing {
                let route = inputs.routing.route(of: parent.incident, to: channel)
                guard case .send = decide(parent, known, route, suppression(of: parent), now: now) else { continue }
                let until = (known.pendingSince ?? parent.incident.remindsFrom ?? now) + Self.parentPatience
                for kind in kinds where until > now { awaiting[kind] = until }
            }
        }
    }

    /// What stops notifications about an incident now; nil: nothing.
    func suppression(of record: IncidentRecord) -> Suppression? {
        let incident = record.incident
        if let silence = silence(of: incident) {
            // Silences follow the wall clock, the loops sleep by the steady one.
            return Suppression(until: silence.until.map { now + max(1, $0.timeIntervalSince(wall)) }, reason: .silenced)
        }
        if incident.domain != nil {
            if inhibited.contains(incident.kind) { return Suppression(until: nil, reason: .inhibited) }
            if let until = awaiting[incident.kind] { return Suppression(until: until, reason: .inhibited) }
        }
        return evidence(record).map { Suppression(until: $0, reason: .staleEvidence) }
    }

    /// An incident of the fleet is silenced by a scope for all domains, and where each of its domains is silenced.
    private func silence(of incident: Incident) -> ActiveSilence? {
        let labels = inputs.routing.labels(of: incident)
        if let own = inputs.silences.active(domain: incident.domain, labels: labels, kind: incident.kind, at: wall) {
            return own
        }
        guard incident.domain == nil, incident.kind == .cdnWide || incident.cause == .network,
            let domains = inputs.affected[incident.id], !domains.isEmpty
        else { return nil }
        var first: ActiveSilence?
        for domain in domains {
            let labels = inputs.routing.domains[domain]?.labels ?? [:]
            let kinds = incident.cause.map { $0.inhibits.sorted() } ?? []
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
        let interval = (inputs.routing.domains[domain]?.interval ?? .seconds(60)).inSeconds
        let isFresh =
            record.checkedAt.map { checked in
                checked > parentEnds[record.incident.kind] ?? .distantPast
                    && now.timeIntervalSince(checked) <= max(2 * interval, Self.freshness)
            } ?? false
        return isFresh ? nil : max(now + interval, soon)
    }
}
