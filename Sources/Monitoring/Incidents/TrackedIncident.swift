// An incident with everything that decides its next step, and the memory of all incidents of one subject. Counts are
// stored: a restart neither delays nor repeats a notification.

import Evidence
import Foundation

package struct TrackedIncident: Codable, Equatable, Sendable {
    package var incident: Incident
    /// Consecutive evaluations that saw the condition.
    package var confirmations = 0
    /// Consecutive evaluations that saw that it is over.
    package var recoveries = 0
    /// Whether it once seemed over and was not: a single good evaluation does not end it.
    package var hasRelapsed = false
    /// The first evaluation counted in `recoveries`; nil while the condition holds.
    package var recoveringSince: Date?
    /// The evaluations before `openedAt` and before `recoveringSince`; nil: none.
    package var openedAfter: Date?
    package var lastActiveCheckAt: Date?
    /// Why the condition ended, according to the first evaluation counted in `recoveries`.
    package var recovery: Incident.Resolution?
    /// Since when checks cannot tell; nil while they can.
    package var unknownSince: Date?
    /// It does not fire before this time, because the problem may end by itself; nil: only `confirmations` decide.
    package var graceUntil: Date?
    /// When it was last seen again after its end.
    package var returnedAt: Date?
    /// Its size at the last notification: how many of a certificate's last steps have passed, or the number of places,
    /// domains or errors. It becomes worse when this doubles.
    package var stage = 0
    /// What phones did at the last notification.
    package var harm = Effect.Harm.none
    /// Consecutive evaluations that saw a worse severity, stage or harm.
    package var harmObservations = 0
    /// Facts that were already notified.
    package var history = FactsHistory()
    /// The edges or addresses seen with the problem; nil: none known.
    package var places: FaultyPlaces?
    /// The rules whose findings support it, from the last check that saw the condition; nil: none known.
    package var rules: [Rule]?
    /// The facts of a global incident; nil for a domain incident, whose facts are in the verdict.
    package var facts: IncidentFacts?

    package init(incident: Incident, confirmations: Int = 0, graceUntil: Date? = nil) {
        self.incident = incident
        self.confirmations = confirmations
        self.graceUntil = graceUntil
    }

    /// Whether it was ever confirmed.
    package var hasFired: Bool { incident.firedAt != nil }
}

/// The key of an incident in an `IncidentMemory`.
package protocol IncidentKey: Hashable, Comparable, Codable, CodingKeyRepresentable, Sendable {}

extension IncidentKind: IncidentKey {}
extension GlobalCause: IncidentKey {}

package struct IncidentMemory<Key: IncidentKey>: Codable, Equatable, Sendable {
    /// The open incidents, also pending ones; one for each key.
    package var open: [Key: TrackedIncident] = [:]
    /// The last incident of each key that fired and ended, as long as it may reopen.
    package var ended: [Key: TrackedIncident] = [:]
    /// When problems began or ended within the last hour, oldest first; at most `Flapping.limit`.
    package var turns: [Key: [Date]] = [:]
    /// Before it fires: which of the last conclusive evaluations saw the problem, one bit each, the latest lowest.
    package var observations: [Key: UInt32] = [:]
    /// The number of incidents so far. It numbers them, so that two with the same start time have different ids.
    package var begun: Int

    package init(begun: Int = 0) { self.begun = begun }
}

/// A problem that begins and ends many times an hour is one notification, not many.
package enum Flapping {
    /// This many turns within an hour are flapping.
    package static let limit = 5
    /// Fewer turns than this within an hour are stable.
    static let calm = 2
    static let window: TimeInterval = 3600
}

extension IncidentMemory {
    mutating func noteTransition(of key: Key, at now: Date) {
        turns[key] = ((turns[key] ?? []) + [now]).suffix(Flapping.limit)
    }

    mutating func forgetTurns(of key: Key, at now: Date) {
        guard let all = turns[key] else { return }
        let recent = all.filter { now.timeIntervalSince($0) < Flapping.window }
        turns[key] = recent.isEmpty ? nil : recent
    }

    mutating func noteObservation(_ isSeen: Bool, of key: Key) {
        let known = observations[key] ?? 0
        guard isSeen || known > 0 else { return }
        let next = known << 1 | (isSeen ? 1 : 0)
        observations[key] = next == 0 ? nil : next
    }

    /// The number of the last evaluations that saw the problem; `last`: up to 32.
    func count(of key: Key, last: Int) -> Int {
        let mask = UInt32.max >> (32 - min(max(last, 1), 32))
        return ((observations[key] ?? 0) & mask).nonzeroBitCount
    }

    func isFlapping(_ key: Key) -> Bool { (turns[key]?.count ?? 0) >= Flapping.limit }
    func isCalm(_ key: Key) -> Bool { (turns[key]?.count ?? 0) < Flapping.calm }
}

/// The facts of an incident that were already notified: only new facts are worth a notification.
package struct FactsHistory: Codable, Equatable, Sendable {
    /// Each notified set of facts, oldest first; at most `limit`.
    package private(set) var counted: [ContentHash] = []
    /// The set that the stored facts describe, and when they were written.
    private var current: ContentHash?
    private var writtenAt: Date?
    /// What the stored facts say, apart from ages; nil: unknown.
    package var wording: ContentHash?
    /// A different set, and how many consecutive evaluations saw it.
    private var fresh: ContentHash?
    private var observations = 0

    /// The maximum number of sets. A problem that changes more often sends no further updates.
    static let limit = 16
    /// Facts contain ages. They are written again after this many seconds, so that a reminder does not state old ages.
    static let refresh: TimeInterval = 3600

    enum News {
        case none
        /// Earlier facts hold again, or their ages are outdated: they are written without a notification.
        case rewrite
        case changed
    }

    mutating func count(_ facts: ContentHash, at now: Date) {
        current = facts
        writtenAt = now
        fresh = nil
        observations = 0
        if !counted.contains(facts), counted.count < Self.limit { counted.append(facts) }
    }

    /// Notes the facts of one evaluation. `required`: this many consecutive evaluations must agree.
    mutating func see(_ facts: ContentHash, required: Int, at now: Date) -> News {
        guard facts != current else {
            fresh = nil
            observations = 0
            guard now.timeIntervalSince(writtenAt ?? .distantPast) >= Self.refresh else { return .none }
            writtenAt = now
            return .rewrite
        }
        observations = fresh == facts ? observations + 1 : 1
        fresh = facts
        guard observations >= required else { return .none }
        // The first facts ever seen are the ones it fired with.
        let isNew = current != nil && !counted.contains(facts) && counted.count < Self.limit
        count(facts, at: now)
        return isNew ? .changed : .rewrite
    }
}
