// Which facts of an incident counted already: a change is worth a notification only where it says something new.

import Evidence
import Foundation

package struct FactsHistory: Codable, Equatable, Sendable {
    /// Each set of facts that counted, oldest first; at most `limit`.
    package private(set) var counted: [ContentHash] = []
    /// The set that the stored facts describe, and when they were written.
    private var current: ContentHash?
    private var writtenAt: Date?
    /// Another set, and how many evaluations in a row saw it.
    private var fresh: ContentHash?
    private var sightings = 0

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
        sightings = 0
        if !counted.contains(facts), counted.count < Self.limit { counted.append(facts) }
    }

    /// Notes the facts of one evaluation. `required`: so many in a row must agree.
    mutating func see(_ facts: ContentHash, required: Int, at now: Date) -> News {
        guard facts != current else {
            fresh = nil
            sightings = 0
            guard now.timeIntervalSince(writtenAt ?? .distantPast) >= Self.refresh else { return .none }
            writtenAt = now
            return .rewrite
        }
        sightings = fresh == facts ? sightings + 1 : 1
        fresh = facts
        guard sightings >= required else { return .none }
        let isNew = !counted.contains(facts) && counted.count < Self.limit
        count(facts, at: now)
        return isNew ? .changed : .rewrite
    }
}
