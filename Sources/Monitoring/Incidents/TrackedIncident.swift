// An incident with everything that decides its next step, and the memory of all incidents of one subject. Counts are stored:
// a restart neither delays nor repeats a notification.

import Evidence
import Foundation

package struct TrackedIncident: Codable, Equatable, Sendable {
    package var incident: Incident
    /// Evaluations in a row that saw the condition.
    package var confirmations = 0
    /// Evaluations in a row that saw that it is over.
    package var recoveries = 0
    /// Whether it looks over and is not: one good look does not end it.
    package var hasRelapsed = false
    /// When the first of these was; nil while the condition holds.
    package var calmSince: Date?
    /// The last evaluation before the one that opened it, and before the first of those that saw it over; nil: there is none.
    package var openedAfter: Date?
    package var calmAfter: Date?
    /// Why the condition ended, as the first of them saw it.
    package var recovery: Incident.Resolution?
    /// Since when checks cannot tell; nil while they can.
    package var unknownSince: Date?
    /// It does not fire before this instant, since the problem may end by itself; nil: the count alone decides.
    package var graceUntil: Date?
    /// When it was first seen again, the last time that it came back after its end.
    package var returnedAt: Date?
    /// How far it had got when that was last worth a notification: how many of a certificate's last days had come; else how many places,
    /// domains or errors there were. It becomes worse where that doubles.
    package var stage = 0
    /// What phones did, when that was last worth a notification.
    package var harm = Effect.Harm.none
    /// Evaluations in a row that saw it worse than that, or phones.
    package var harmObservations = 0
    /// Which facts counted already.
    package var history = FactsHistory()
    /// The edges or addresses that were seen with the problem; nil: none is known.
    package var places: FaultyPlaces?
    /// Whose findings made it hold, as the last check saw that did; nil: none is known.
    package var rules: [Rule]?
    /// What is known of a global incident; nil for one of a domain, where the verdict has it.
    package var facts: IncidentFacts?

    package init(incident: Incident, confirmations: Int = 0, graceUntil: Date? = nil) {
        self.incident = incident
        self.confirmations = confirmations
        self.graceUntil = graceUntil
    }

    /// Whether it was ever confirmed.
    package var hasFired: Bool { incident.firedAt != nil }
}

/// What distinguishes incidents within their memory.
package protocol IncidentKey: Hashable, Comparable, Codable, CodingKeyRepresentable, Sendable {}

extension IncidentKind: IncidentKey {}
extension GlobalCause: IncidentKey {}

/// The incidents of one domain, or the global ones.
package struct IncidentMemory<Key: IncidentKey>: Codable, Equatable, Sendable {
    /// The open incidents, pending ones included; one a key.
    package var open: [Key: TrackedIncident] = [:]
    /// The last incident of each key that fired and ended, as long as it may be reopened.
    package var ended: [Key: TrackedIncident] = [:]
    /// When problems began or ended within the last hour, oldest first; at most `Flapping.limit`.
    package var turns: [Key: [Date]] = [:]
    /// Of the last evaluations before it fires that could tell, which saw the problem: a bit each, the last one lowest.
    package var observations: [Key: UInt32]?
    /// How many incidents have begun. It numbers them, so that two that begin at one instant have different ids.
    package var begun: Int

    package init(begun: Int = 0) { self.begun = begun }
}

/// A problem that begins and ends many times an hour is one notification, not many.
package enum Flapping {
    /// So many turns within an hour are flapping.
    package static let limit = 5
    /// Fewer than this within an hour is stable.
    static let calm = 2
    static let window: TimeInterval = 3600
}

extension IncidentMemory {
    mutating func noteTurn(of key: Key, at now: Date) {
        turns[key] = ((turns[key] ?? []) + [now]).suffix(Flapping.limit)
    }

    mutating func forgetTurns(of key: Key, at now: Date) {
        guard let all = turns[key] else { return }
        let recent = all.filter { now.timeIntervalSince($0) < Flapping.window }
        turns[key] = recent.isEmpty ? nil : recent
    }

    mutating func noteObservation(_ isSeen: Bool, of key: Key) {
        let known = observations?[key] ?? 0
        guard isSeen || known > 0 else { return }
        let next = known << 1 | (isSeen ? 1 : 0)
        observations = observations ?? [:]
        observations?[key] = next == 0 ? nil : next
        if observations?.isEmpty == true { observations = nil }
    }

    mutating func forgetObservations(of key: Key) {
        observations?[key] = nil
        if observations?.isEmpty == true { observations = nil }
    }

    /// How many of the last evaluations saw it; `last`: up to 32.
    func count(of key: Key, last: Int) -> Int {
        let mask = UInt32.max >> (32 - min(max(last, 1), 32))
        return ((observations?[key] ?? 0) & mask).nonzeroBitCount
    }

    func isFlapping(_ key: Key) -> Bool { (turns[key]?.count ?? 0) >= Flapping.limit }
    func isCalm(_ key: Key) -> Bool { (turns[key]?.count ?? 0) < Flapping.calm }
}

/// Which facts of an incident counted already: a change is worth a notification only where it says something new.
package struct FactsHistory: Codable, Equatable, Sendable {
    /// Each set of facts that counted, oldest first; at most `limit`.
    package private(set) var counted: [ContentHash] = []
    /// The set that the stored facts describe, and when they were written.
    private var current: ContentHash?
    private var writtenAt: Date?
    /// What the stored facts say, ages apart; nil: not known.
    package var wording: ContentHash?
    /// Another set, and how many evaluations in a row saw it.
    private var fresh: ContentHash?
    private var observations = 0

    /// So many sets count. A problem that changes more often sends no further updates.
    static let limit = 16
    /// Facts contain ages. They are written again after this time, so that a reminder does not state old ones.
    static let refresh: TimeInterval = 3600

    package init() {}

    enum News {
        case none
        /// Facts that counted before hold again, or their ages are old: they are written, without a notification.
        case rewrite
        case changed
    }

    /// Takes one set of facts as known.
    mutating func count(_ facts: ContentHash, at now: Date) {
        current = facts
        writtenAt = now
        fresh = nil
        observations = 0
        if !counted.contains(facts), counted.count < Self.limit { counted.append(facts) }
    }

    /// Notes the facts of one evaluation. `required`: so many in a row must agree.
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
        // The first that are seen at all are those that it fired with.
        let isNew = current != nil && !counted.contains(facts) && counted.count < Self.limit
        count(facts, at: now)
        return isNew ? .changed : .rewrite
    }
}
