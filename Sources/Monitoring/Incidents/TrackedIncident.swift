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
    /// When the first of these was; nil while the condition holds.
    package var calmSince: Date?
    /// Why the condition ended, as the first of them saw it.
    package var recovery: Incident.Resolution?
    /// Since when checks cannot tell; nil while they can.
    package var unknownSince: Date?
    /// It does not fire before this instant, since the problem may end by itself; nil: the count alone decides.
    package var graceUntil: Date?
    /// When it was first seen again, the last time that it came back after its end.
    package var returnedAt: Date?
    /// The kind of the firing incident of the same domain that keeps this one pending.
    package var inhibitedBy: IncidentKind?
    /// How many of the steps at which it becomes worse by itself have passed.
    package var stage = 0
    /// Which facts counted already.
    package var history = FactsHistory()
    /// The edges or addresses that were seen with the problem; nil: none is known.
    package var places: FaultyPlaces?
    /// Whose findings made it hold, as the last check saw that did; nil: none is known.
    package var rules: [Rule]?
    /// What is known of an incident of the fleet; nil for one of a domain, where the verdict has it.
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
extension FleetCause: IncidentKey {}

/// The incidents of one domain, or those of the fleet.
package struct IncidentMemory<Key: IncidentKey>: Codable, Equatable, Sendable {
    /// The open incidents, pending ones included; one a key.
    package var open: [Key: TrackedIncident] = [:]
    /// The last incident of each key that fired and ended, as long as it may be reopened.
    package var ended: [Key: TrackedIncident] = [:]
    /// When problems began or ended within the last hour, oldest first; at most `Flapping.limit`.
    package var turns: [Key: [Date]] = [:]
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

    func isFlapping(_ key: Key) -> Bool { (turns[key]?.count ?? 0) >= Flapping.limit }
    func isCalm(_ key: Key) -> Bool { (turns[key]?.count ?? 0) < Flapping.calm }
}
