// Which facts of an incident were told already: an update is worth a message only where it says something new.

import Evidence
import Foundation

package struct ToldFacts: Codable, Equatable, Sendable {
    /// Of every set of facts that was told of the incident, oldest first; at most `limit`.
    package var told: [ContentHash] = []
    /// When something was last told, reminders apart.
    package var at: Date?
    /// Facts that were not told yet, and how many checks in a row saw them.
    package var fresh: ContentHash?
    package var sightings = 0

    /// So many sets, and no more updates: what changes as often is not read.
    static let limit = 16

    package init() {}

    mutating func note(_ facts: ContentHash, at now: Date) {
        at = now
        fresh = nil
        sightings = 0
        if !told.contains(facts) { told = (told + [facts]).suffix(Self.limit) }
    }

    /// Counts a check that saw `facts`.
    /// - Returns: whether they are news that so many checks in a row agree about.
    mutating func see(_ facts: ContentHash, required: Int) -> Bool {
        guard !told.contains(facts), told.count < Self.limit else {
            fresh = nil
            sightings = 0
            return false
        }
        sightings = fresh == facts ? min(sightings + 1, required) : 1
        fresh = facts
        return sightings >= required
    }
}
