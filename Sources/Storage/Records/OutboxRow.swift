import Foundation
import GRDB
import Monitoring

/// A message in the outbox, as it stands.
package struct OutboxRow: Identifiable, Equatable, Sendable {
    package let id: Int64
    package let messageKey: String
    package let incidentID: String
    package let channel: String
    package let type: EventType
    package let sequence: Int
    /// The kind of the incident; nil where it is not known, and then the message is never part of a digest.
    package let kind: IncidentKind?
    /// The key of the message that this row shares with others; nil where it goes by itself.
    package let digest: String?
    package let facts: Data
    /// The bytes of the first attempt; a repeat sends the same. nil before it.
    package let frozen: Data?
    package let createdAt: Date
    package let notBefore: Date
    package let expiresAt: Date
    package let state: State
    /// Attempts that count, those that were throttled apart.
    package let attempts: Int
    package let lastClass: String?
    package let lastStatus: Int?
    package let lastError: String?
    /// What the receiver calls the delivered message, where it gives a name.
    package let reference: String?
    /// When it was delivered or given up; nil while it is open.
    package let settledAt: Date?

    /// What a receiver knows repeats by: hexadecimal, 64 characters at most.
    package var sendingKey: String { digest ?? messageKey }

    package enum State: String, Sendable, CaseIterable {
        /// Waits for its time. Next: leased, expired, superseded.
        case queued
        /// A sender has it. Next: any of the others.
        case leased
        /// The receiver said yes. The end.
        case delivered
        /// A later message made it pointless. The end.
        case superseded
        /// Its time ran out. The end.
        case expired
        /// The receiver refused this very message. Next: queued or dropped, by an operator's hand.
        case dead
        /// An operator gave it up. The end.
        case dropped
    }

    init(_ row: Row) {
        id = row["id"]
        messageKey = row["message_key"]
        incidentID = row["incident_id"]
        channel = row["channel"]
        type = EventType(rawValue: row["type"]) ?? .firing
        sequence = row["sequence"]
        kind = (row["kind"] as String?).flatMap(IncidentKind.init(rawValue:))
        digest = row["digest"]
        facts = row["facts"]
        frozen = row["frozen"]
        createdAt = Date(milliseconds: row["created_at"])
        notBefore = Date(milliseconds: row["not_before"])
        expiresAt = Date(milliseconds: row["expires_at"])
        state = State(rawValue: row["state"]) ?? .dead
        attempts = row["attempts"]
        lastClass = row["last_class"]
        lastStatus = row["last_status"]
        lastError = row["last_error"]
        reference = row["provider_ref"]
        settledAt = (row["settled_at"] as Int64?).map(Date.init(milliseconds:))
    }
}

/// How many rows one channel has in one state, for metrics and the status page.
package struct OutboxCount: Equatable, Sendable {
    package let channel: String
    package let state: OutboxRow.State
    package let rows: Int
    /// When the oldest of them was made.
    package let oldest: Date
}
