// Channels that the configuration names no longer: nobody claims their messages, and they are told of no end.

import Evidence
import Foundation
import GRDB
import Monitoring
import Synchronization

/// An incident that a removed channel heard of, and not of its end.
package struct UnendedStory: Equatable, Sendable {
    package let channel: String
    package let incident: Incident
    /// Whether the receiver keeps the incident open on its side until somebody ends it there.
    package let isKeptOpen: Bool
}

/// What became of channels that have gone.
package struct GoneChannels: Equatable, Sendable {
    /// What they were told, and what did not end for them; by channel, the oldest first. Those whose last attempt had no
    /// clear end count as told.
    package var unended: [UnendedStory] = []
    /// How many open messages ended with them.
    package var dropped = 0
}

extension Store {
    /// Says which channels the configuration names. From now on whatever this process owes to another channel ends at once,
    /// whether or not the store takes writes.
    package func name(channels: Set<String>) { presentChannels.withLock { $0 = channels } }

    /// Forgets channels that the configuration names no longer: their trouble, that they were introduced (one that comes
    /// back under the same name is a new one), their open messages, and that they wanted to hear who has what in hand.
    /// Which ones those are is read within the transaction: a reload may come while it waits for the disk.
    package func forgetGoneChannels(now: Date) async throws -> GoneChannels {
        try await write { database in
            guard let present = self.presentChannels.withLock(\.self) else { return GoneChannels() }
            var gone = GoneChannels()
            let told = try String.fetchAll(
                database,
                cached: "SELECT name FROM channel_known UNION SELECT channel FROM outbox WHERE hears_of_hand = 1")
            for channel in told where !present.contains(channel) {
                gone.unended += try Row.fetchAll(database, cached: Self.unended, arguments: [channel]).map { row in
                    UnendedStory(channel: channel, incident: try Self.incident(row), isKeptOpen: row["is_kept_open"])
                }
            }
            let known = try String.fetchAll(
                database,
                cached: """
                    SELECT name FROM channel_known UNION SELECT name FROM channel_trouble
                    UNION SELECT channel FROM outbox WHERE state IN ('queued', 'leased')
                    UNION SELECT channel FROM outbox WHERE hears_of_hand = 1
                    """)
            for name in known where !present.contains(name) {
                try database.execute(cached: "DELETE FROM channel_known WHERE name = ?", arguments: [name])
                try database.execute(cached: "DELETE FROM channel_trouble WHERE name = ?", arguments: [name])
                gone.dropped += try Self.dropMessages(of: name, now: now, database)
            }
            return gone
        }
    }

    /// Whether the running configuration names a channel; true where nobody has said what it names.
    func isPresent(_ channel: String) -> Bool { presentChannels.withLock { $0?.contains(channel) ?? true } }

    /// What stands at a message that went with its channel.
    static let removedWords = "the channel was removed"

    // MARK: - Within a transaction

    /// Puts a message into the outbox. Whoever judged by the configuration of before may owe one to a channel that has gone
    /// meanwhile: the row says so, and waits for nobody.
    func owe(_ draft: OutboxDraft, _ database: Database) throws {
        try Self.enqueue(draft, database)
        if !isPresent(draft.channel) { _ = try Self.dropMessages(of: draft.channel, now: draft.createdAt, database) }
    }

    /// Returns how many.
    private static func dropMessages(of channel: String, now: Date, _ database: Database) throws -> Int {
        try database.execute(
            cached: """
                UPDATE outbox SET state = 'dead', settled_at = ?, last_error = ?, \(Self.abandoned)
                WHERE channel = ? AND state IN ('queued', 'leased')
                """, arguments: [now.milliseconds, Self.removedWords, channel])
        let dropped = database.changesCount
        try database.execute(
            cached: "UPDATE outbox SET hears_of_hand = 0 WHERE channel = ? AND hears_of_hand = 1", arguments: [channel])
        return dropped
    }

    /// Incidents of a story whose receiver has, or may have, heard of the trouble, and did not take an end behind it.
    private static let unended = """
        SELECT i.*, max(o.hears_of_hand) AS is_kept_open FROM outbox o JOIN incident i ON i.id = o.incident_id
        WHERE o.channel = ? AND o.type NOT IN ('incident.resolved', 'incident.acknowledged')
        AND (o.state = 'delivered' OR o.receipt <> 0)
        AND NOT EXISTS (
            SELECT 1 FROM outbox e WHERE e.channel = o.channel AND e.incident_id = o.incident_id
            AND e.type = 'incident.resolved' AND e.state = 'delivered' AND e.sequence > o.sequence)
        GROUP BY i.id ORDER BY i.opened_at, i.id
        """
}
