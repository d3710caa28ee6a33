// Telling a channel of the present, once.

import Evidence
import Foundation
import GRDB
import Monitoring

/// What a channel that knows nothing is to hear of an incident.
package enum Introducing: Sendable {
    case tell([OutboxDraft])
    /// Something keeps messages about it back; the end of that tells whoever knows less than the present.
    case withhold
    case skip
    /// It is not clear yet; all of it is put off.
    case wait
}

extension Store {
    /// More of them are told as one.
    static let mostIntroduced = 3

    package func unknownChannels(among names: [String]) async throws -> Set<String> {
        let known = try await read { try Set(String.fetchAll($0, cached: "SELECT name FROM channel_known")) }
        return Set(names).subtracting(known)
    }

    /// Tells a channel what fires, as far as it was not told, and knows it from then on: all in one transaction.
    ///
    /// `words`: what is to be said of an incident; it gets the state of its domain, where there is one.
    /// `mayJoin`: whether more than three beginnings become one message.
    /// `hearsOfHand`: whether the receiver keeps incidents open on its side, and so those of which it heard before.
    /// Returns how many incidents are told; nil where that is put off.
    package func introduce(
        channel: String, now: Date, rules: ClaimRules, mayJoin: Bool, hearsOfHand: Bool = false,
        _ words: @escaping @Sendable (Incident, DomainState?) throws -> Introducing
    ) async throws -> Int? {
        try await write { database in
            // One that went while this waited for the disk: under its name another may come.
            guard self.isPresent(channel) else { return nil }
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT * FROM incident WHERE resolved_at IS NULL AND state IN ('firing', 'recovering') AND fired_at IS NOT NULL
                    AND id NOT IN (SELECT incident_id FROM withheld) ORDER BY fired_at, id
                    """)
            var drafts: [OutboxDraft] = []
            var withheld: [String] = []
            for row in rows {
                let incident = try Self.incident(row)
                let name = row["domain"] as String? ?? ""
                let state = try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [name])
                    .map { try Self.state($0, of: name) }
                switch try words(incident, state) {
                case .tell(let more): drafts += more
                case .withhold: withheld.append(incident.id)
                case .skip: break
                case .wait: return nil
                }
            }
            for id in withheld { try Self.withhold(id, at: now, database) }
            // Before anything is owed: what is owed now brings the word on the hand with it.
            if hearsOfHand { try Self.hearAgainOfHands(channel: channel, at: now, database) }
            var owed: [Row] = []
            for var draft in drafts {
                if draft.condition == .always { draft.condition = .isNotToldOfTrouble }
                // The message of the beginning may lie there, given up; this one is another.
                draft.messageKey = rules.digestKey([draft.messageKey, "introduction", String(now.milliseconds)])
                try self.owe(draft, database)
                owed += try Row.fetchAll(
                    database, cached: "SELECT id, message_key, type FROM outbox WHERE message_key = ?",
                    arguments: [draft.messageKey])
            }
            let beginnings = owed.filter { $0["type"] == EventType.firing.rawValue }
            if mayJoin, beginnings.count > Self.mostIntroduced { try Self.join(beginnings, rules, database) }
            try database.execute(
                cached: "INSERT INTO channel_known (name, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [channel, now.milliseconds])
            return owed.count
        }
    }
}
