// The outbox: claim, send, mark. Claiming before sending and marking after it is "at least once": a message whose answer
// was never read goes out again, under the same key and with the same bytes.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Puts messages into the outbox by themselves, such as a test message or what a new channel is told.
    package func enqueue(_ drafts: [OutboxDraft]) async throws {
        try await write { database in
            for draft in drafts { try self.owe(draft, database) }
        }
    }

    /// Keeps the bytes of the first attempt, before it is made; those of a digest in its first row. Bytes already there stay.
    /// Returns the bytes to send, or nil where the lease is no longer ours.
    package func freeze(_ row: OutboxRow, owner: String, bytes: Data) async throws -> Data? {
        try await write { database in
            try database.execute(
                cached: """
                    UPDATE outbox SET frozen = iif(id = ?, coalesce(frozen, ?), frozen), receipt = max(receipt, 1)
                    WHERE \(Self.ours)
                    """, arguments: [row.id, bytes, row.id, row.digest, owner])
            return try Data.fetchOne(
                database, cached: "SELECT frozen FROM outbox WHERE id = ? AND \(Self.ours)",
                arguments: [row.id, row.id, row.digest, owner])
        }
    }

    /// Puts other bytes in the place of refused ones: the receiver never accepted those, so the key may carry new ones.
    package func replaceFrozen(_ row: OutboxRow, owner: String, bytes: Data) async throws {
        try await write { database in
            try database.execute(
                cached: "UPDATE outbox SET frozen = ? WHERE id = ? AND \(Self.ours)",
                arguments: [bytes, row.id, row.id, row.digest, owner])
        }
    }

    /// Says that the receiver has it.
    /// `reference`: what the receiver calls it; nil where it gives no name.
    package func markDelivered(
        _ row: OutboxRow, owner: String, now: Date, status: Int?, reference: String? = nil
    ) async throws {
        try await settle(
            row, owner, .delivered, now, Attempt(class: "delivered", status: status, error: nil), reference)
    }

    /// Says that nobody needs the message any more.
    package func markSuperseded(_ row: OutboxRow, owner: String, now: Date) async throws {
        try await settle(row, owner, .superseded, now, Attempt(class: "superseded", status: nil, error: nil))
    }

    /// What the row's channel was already told about the row's incident.
    package func told(before row: OutboxRow) async throws -> Told {
        try await read { try Self.told(before: row, $0) }
    }

    /// The same for several rows, in their order.
    package func told(beforeEach rows: [OutboxRow]) async throws -> [Told] {
        try await read { database in try rows.map { try Self.told(before: $0, database) } }
    }

    private static func told(before row: OutboxRow, _ database: Database) throws -> Told {
        let rows = try Row.fetchAll(
            database,
            cached: """
                SELECT sequence, type, severity, state, provider_ref FROM outbox
                WHERE incident_id = ? AND channel = ? AND (state = 'delivered' OR receipt = 2) AND id != ?
                AND type <> 'incident.acknowledged'
                ORDER BY sequence, id
                """, arguments: [row.incidentID, row.channel, row.id])
        let ranks = Severity.allCases.sorted()
        let delivered = rows.filter { $0["state"] == OutboxRow.State.delivered.rawValue }
        let earlier = delivered.filter { ($0["sequence"] as Int) < row.sequence }
        let rank = earlier.last.map { $0["severity"] as Int }
        let last = rows.last { ($0["sequence"] as Int) < row.sequence }?["type"] as String?
        return Told(
            reference: earlier.lazy.compactMap { $0["provider_ref"] as String? }.first,
            severity: rank.flatMap { ranks.indices.contains($0) ? ranks[$0] : nil },
            laterEnd: delivered.contains {
                ($0["sequence"] as Int) > row.sequence && $0["type"] == EventType.resolved.rawValue
            },
            isUnsaidEnd: row.type == .resolved && last ?? EventType.resolved.rawValue == EventType.resolved.rawValue)
    }

    /// Says that the receiver refused this very message for good.
    package func markDead(_ row: OutboxRow, owner: String, now: Date, attempt: Attempt) async throws {
        try await settle(row, owner, .dead, now, attempt)
    }

    /// Puts the message back until `notBefore`.
    /// `counted`: false for a receiver that only asked to wait.
    package func markRetry(_ row: OutboxRow, owner: String, notBefore: Date, counted: Bool, attempt: Attempt)
        async throws
    {
        try await write { database in
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL, not_before = ?,
                    attempts = attempts + ?, last_class = ?, last_status = ?, last_error = ?, \(Self.receipt)
                    WHERE \(Self.ours)
                    """,
                arguments: [
                    notBefore.milliseconds, counted ? 1 : 0, attempt.class, attempt.status, attempt.error,
                    attempt.isUnclear, row.id, row.digest, owner,
                ])
        }
    }

    /// Gives a lease back, as when the process is about to end before an answer came.
    /// `isRefused`: the receiver has it not, without doubt.
    package func release(_ row: OutboxRow, owner: String, isRefused: Bool = false) async throws {
        try await write { database in
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL,
                        receipt = iif(receipt = 1, ?, receipt) WHERE \(Self.ours)
                    """, arguments: [isRefused ? 0 : 2, row.id, row.digest, owner])
        }
    }

    /// Frees the leases of former processes: the exclusive lock says that they are gone. Once, at start.
    package func releaseLeases(except owner: String) async throws {
        try await write { database in
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'queued', lease_owner = NULL, lease_until = NULL, \(Self.abandoned)
                    WHERE state IN ('queued', 'leased') AND state = 'leased' AND lease_owner IS NOT ?
                    """, arguments: [owner])
        }
    }

    /// Gives up the open messages of a channel whose time has run out. One that so missed what is the matter is forgotten,
    /// and told of the present as a new one is, as far as it was not told; where it is in trouble, the end of that does so.
    /// Returns how many.
    package func markExpired(channel: String, now: Date) async throws -> Int {
        let instant = now.milliseconds
        return try await write { database in
            let expired = try String.fetchAll(
                database,
                cached: """
                    UPDATE outbox SET state = 'expired', settled_at = :now, lease_owner = NULL, lease_until = NULL,
                        \(Self.abandoned)
                    WHERE channel = :channel AND expires_at <= :now AND state IN ('queued', 'leased')
                    AND (state = 'queued' OR state = 'leased' AND lease_until <= :now)
                    RETURNING type
                    """, arguments: ["now": instant, "channel": channel])
            // A reminder gives way to the next one.
            let missed = [EventType.firing, .update].map(\.rawValue)
            guard expired.contains(where: missed.contains) else { return expired.count }
            try database.execute(
                cached: """
                    DELETE FROM channel_known
                    WHERE name = :channel AND name NOT IN (SELECT name FROM channel_trouble)
                    """, arguments: ["channel": channel])
            return expired.count
        }
    }

    // MARK: - Within a transaction

    /// `row.id`, `row.digest` and the owner, in this order: all rows of the message, and none that another sender has by
    /// now, as this one's lease ran out.
    private static let ours = "(id = ? OR digest = ?) AND state = 'leased' AND lease_owner = ?"

    /// What an attempt left behind: whether it had no clear end. What may have arrived before still may.
    private static let receipt = "receipt = CASE WHEN ? THEN 2 WHEN receipt = 1 THEN 0 ELSE receipt END"

    /// An attempt whose sender never came back may have arrived.
    static let abandoned = "receipt = iif(receipt = 1, 2, receipt)"

    static func enqueue(_ draft: OutboxDraft, _ database: Database) throws {
        for type in draft.supersedes {
            try database.execute(
                cached: """
                    UPDATE outbox SET state = 'superseded', settled_at = ?
                    WHERE channel = ? AND incident_id = ? AND type = ? AND sequence < ? AND state = 'queued'
                    AND digest IS NULL
                    """,
                arguments: [
                    draft.createdAt.milliseconds, draft.channel, draft.incidentID, type.rawValue, draft.sequence,
                ])
        }
        // Behind the above: what is not said any more tells nobody.
        let rank = Severity.allCases.sorted().firstIndex(of: draft.severity) ?? 0
        guard try holds(draft.condition, of: draft, rank: rank, database) else { return }
        let isEscalation = draft.condition == .isEscalation
        // Whoever owes it may not have heard yet that somebody took the incident in hand.
        if isEscalation || draft.type == .reminder, try isInHand(draft.incidentID, database) { return }
        try database.execute(
            cached: """
                INSERT INTO outbox (message_key, incident_id, channel, type, sequence, severity, facts, created_at,
                    not_before, expires_at, is_escalation, hears_of_hand, state, settled_at, receipt,
                    last_error, kind)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (
                    SELECT kind FROM incident WHERE id = ? AND coalesce(domain, '') <> '')) ON CONFLICT (message_key) DO NOTHING
                """,
            arguments: [
                draft.messageKey, draft.incidentID, draft.channel, draft.type.rawValue, draft.sequence, rank,
                draft.facts, draft.createdAt.milliseconds, draft.createdAt.milliseconds, draft.expiresAt.milliseconds,
                isEscalation, draft.hearsOfHand, draft.arrival.state.rawValue,
                draft.arrival == .none ? nil : draft.createdAt.milliseconds, draft.arrival == .unclear ? 2 : 0,
                draft.arrival == .unclear ? "it was sent past the store, and may have arrived" : nil, draft.incidentID,
            ])
        if draft.type == .firing, draft.hearsOfHand, database.changesCount > 0,
            try isInHand(draft.incidentID, database)
        {
            try tellOfHand(behind: draft, database)
        }
    }

    /// `rank`: of the draft's severity, as rows have it.
    private static func holds(
        _ condition: OutboxDraft.Condition, of draft: OutboxDraft, rank: Int, _ database: Database
    ) throws -> Bool {
        func last(isCertain: Bool) throws -> Row? {
            let row = try lastRowTold(
                channel: draft.channel, incidentID: draft.incidentID, isCertain: isCertain, database)
            return row.flatMap { $0["type"] == EventType.resolved.rawValue ? nil : $0 }
        }
        return switch condition {
        case .always: true
        case .isToldOfTrouble: try last(isCertain: false) != nil
        // Twice is better than never: who may have heard of the trouble and is owed nothing any more is told again, as is who
        // may have heard of its end.
        case .isNotToldOfTrouble, .isEscalation: try last(isCertain: true) == nil || last(isCertain: false) == nil
        case .isToldOfLess: try last(isCertain: false).map { ($0["severity"] as Int) < rank } ?? false
        }
    }

    private func settle(
        _ row: OutboxRow, _ owner: String, _ state: OutboxRow.State, _ now: Date, _ attempt: Attempt,
        _ reference: String? = nil
    ) async throws {
        try await write { database in
            try database.execute(
                cached: """
                    UPDATE outbox SET state = ?, settled_at = ?, lease_owner = NULL, lease_until = NULL,
                    attempts = attempts + 1, last_class = ?, last_status = ?, last_error = ?, provider_ref = ?,
                    \(Self.receipt) WHERE \(Self.ours)
                    """,
                arguments: [
                    state.rawValue, now.milliseconds, attempt.class, attempt.status, attempt.error,
                    // What is said of many is no head of one's story.
                    row.digest == nil ? reference : nil, attempt.isUnclear, row.id, row.digest, owner,
                ])
        }
    }
}

extension OutboxDraft.Arrival {
    /// What may have arrived is not sent again: its time is over.
    fileprivate var state: OutboxRow.State {
        switch self {
        case .none: .queued
        case .taken: .delivered
        case .unclear: .expired
        }
    }
}
