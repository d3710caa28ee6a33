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
    /// Whether it is owed at all, which only the transaction that writes it can tell.
    package var condition: Condition
    /// Whether the receiver is to be told when somebody takes the incident in hand.
    package var hearsOfHand: Bool
    /// What has become of it before it has a row.
    package var arrival: Arrival = .none

    /// A message that was sent past the store gets its row afterwards, so that what follows knows who was told.
    package enum Arrival: Sendable {
        /// It is owed.
        case none
        /// The channel took it.
        case taken
        /// It was sent, and no clear answer came: the channel may know of it.
        case unclear
    }

    package enum Condition: Sendable {
        case always
        /// The channel was told of the trouble, or will be: an end is for those who know of a beginning.
        case isToldOfTrouble
        /// The channel was not told, or was told that it is over.
        case isNotToldOfTrouble
        /// The channel was not told, or was told that it is over, and nobody has the incident in hand: a step of the
        /// escalation.
        case isEscalation
        /// The channel was told of the trouble while it was less grave than this message says.
        case isToldOfLess
    }

    package init(
        messageKey: String, incidentID: String, channel: String, type: EventType, sequence: Int, severity: Severity,
        facts: Data, createdAt: Date, expiresAt: Date, supersedes: Set<EventType> = [],
        condition: Condition = .always, hearsOfHand: Bool = false
    ) {
        self.hearsOfHand = hearsOfHand
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
        self.condition = condition
    }

    /// The same message where it is a channel's first word of the incident; an end, and a step of the escalation, have
    /// conditions of their own.
    package var owedToWhoeverWasNotTold: OutboxDraft { condition == .always ? owed(.isNotToldOfTrouble) : self }

    /// The same message, where a channel knows of the trouble and not how grave it is by now. It takes the place of none:
    /// where it turns out not to be owed, what waits is the word on that.
    package var owedToWhoeverWasToldOfLess: OutboxDraft {
        var draft = owed(.isToldOfLess)
        draft.supersedes = []
        return draft
    }

    /// The same message, owed only where that holds.
    package func owed(_ condition: Condition) -> OutboxDraft {
        var draft = self
        draft.condition = condition
        return draft
    }
}
