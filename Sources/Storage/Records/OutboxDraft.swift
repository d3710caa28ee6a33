import Evidence
import Foundation
import Monitoring

/// A message owed to one channel, before it has a row.
package struct OutboxDraft: Equatable, Sendable {
    /// Unique for ever; a draft whose key is already stored is ignored.
    package var messageKey: String
    package var incidentID: String
    package var channel: String
    package var type: EventType
    /// Orders the messages of one incident within a channel.
    package var sequence: Int
    /// Of two due messages about different incidents the more severe goes first.
    package var severity: Severity
    /// JSON of what is to be said; it is rendered when it is sent.
    package var facts: Data
    package var createdAt: Date
    /// After this instant it is no longer worth sending.
    package var expiresAt: Date
    /// Types of earlier, still queued messages of the same incident and channel that this one makes pointless.
    package var supersedes: Set<EventType>

    package init(
        messageKey: String, incidentID: String, channel: String, type: EventType, sequence: Int, severity: Severity,
        facts: Data, createdAt: Date, expiresAt: Date, supersedes: Set<EventType> = []
    ) {
        self.messageKey = messageKey
        self.incidentID = incidentID
        self.channel = channel
        self.type = type
        self.sequence = sequence
        self.severity = severity
        self.facts = facts
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.supersedes = supersedes
    }
}
