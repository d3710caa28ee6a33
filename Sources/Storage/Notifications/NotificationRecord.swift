// What one channel knows of one incident, and what is pending there. A row of `notification`, written by that channel's
// loop and by nobody else.

import Evidence
import Foundation
import Monitoring

package struct NotificationRecord: Equatable, Sendable {
    package let incidentID: String
    /// What the receiver acknowledged last, by a clear answer.
    package var state = State.nothing
    /// The version that it knows; 0 where it knows nothing.
    package var version = 0
    /// When it last took a message about this incident; nil: never.
    package var notifiedAt: Date?
    /// An attempt to tell it of the trouble had no clear answer, and nothing clear came since: it may know.
    package var mayKnow = false
    /// The acknowledgement that it knows, by its instant; nil: none.
    package var acknowledgedAt: Date?
    /// The version that it refused as a message, and when.
    package var refused: Refusal?
    /// How many messages were frozen for it; part of each message's key.
    package var count = 0
    /// What the receiver calls the incident's first message; nil where it gives no name.
    package var reference: String?

    /// Why something is pending; nil: nothing is.
    package var reason: NotificationReason?
    /// Since when `decide` has answered `send` without a break; nil where it does not.
    package var pendingSince: Date?
    /// When `decide` is to be asked again though nothing changes; nil: never.
    package var dueAt: Date?
    /// The message under way that speaks for it; nil: none.
    package var messageID: Int64?

    package enum State: String, Sendable, CaseIterable {
        case nothing, firing, resolved
    }

    package struct Refusal: Equatable, Sendable {
        package let version: Int
        package let at: Date

        package init(version: Int, at: Date) {
            self.version = version
            self.at = at
        }
    }

    package init(incidentID: String) { self.incidentID = incidentID }

    /// Whether the row says nothing that a missing row would not say.
    package var isEmpty: Bool { self == NotificationRecord(incidentID: incidentID) }
}

/// An incident as the store holds it.
package struct IncidentRecord: Equatable, Sendable {
    package var incident: Incident
    /// The acknowledgement in force; nil where there is none, or it no longer holds.
    package var acknowledgement: Acknowledgement?
    /// The number of its last change.
    package var change: Int64
    /// When the domain was last checked; nil for an incident of the fleet, and before the first check.
    package var checkedAt: Date?

    package init(
        incident: Incident, acknowledgement: Acknowledgement? = nil, change: Int64 = 0, checkedAt: Date? = nil
    ) {
        self.incident = incident
        self.acknowledgement = acknowledgement
        self.change = change
        self.checkedAt = checkedAt
    }
}

/// One message under way: its bytes are frozen, and it goes out again until the receiver answers clearly or nobody
/// needs it.
package struct MessageRecord: Equatable, Sendable {
    /// 0 before it is stored.
    package var id: Int64
    /// Hexadecimal, 64 characters; the same at every attempt.
    package let key: String
    package let reason: NotificationReason
    /// The kind of all its incidents.
    package let kind: IncidentKind
    /// The body as it goes out, without secrets.
    package var body: Data
    /// What the bytes state, one entry an incident, the most severe first.
    package var members: [Member]
    package let createdAt: Date
    /// Attempts that count; those that were throttled do not.
    package var attempts = 0
    package var retryAt: Date
    /// An attempt ended without a clear answer, or is under way: the receiver may have it.
    package var isUnclear = false
    /// The bytes are the plainest form, after the receiver refused the full one.
    package var isPlain = false
    /// A receiver may process a trigger after its end: the end is sent once more.
    package var isRepeat = false

    package struct Member: Equatable, Sendable {
        package let incidentID: String
        package let version: Int
        package let state: Incident.State
        package let acknowledgedAt: Date?

        package init(incidentID: String, version: Int, state: Incident.State, acknowledgedAt: Date?) {
            self.incidentID = incidentID
            self.version = version
            self.state = state
            self.acknowledgedAt = acknowledgedAt
        }
    }

    package init(
        id: Int64 = 0, key: String, reason: NotificationReason, kind: IncidentKind, body: Data, members: [Member],
        createdAt: Date, retryAt: Date
    ) {
        self.id = id
        self.key = key
        self.reason = reason
        self.kind = kind
        self.body = body
        self.members = members
        self.createdAt = createdAt
        self.retryAt = retryAt
    }
}

/// What is known of a channel as a whole: a row of `channel`.
package struct ChannelRecord: Equatable, Sendable {
    package let name: String
    /// As the configuration names it; another type under the same name begins anew.
    package let type: String
    /// The last change of an incident that the channel has looked at.
    package var seen: Int64 = 0
    /// Until when nothing is sent, and why.
    package var hold: Hold?
    package var trouble: Trouble?
    /// Attempts in a row that failed.
    package var failures = 0
    /// Refusals of us in a row (401, 403, 404, …); the pauses grow with them.
    package var refusals = 0
    /// Different messages in a row that were refused as such (400, 413, 422).
    package var refusedMessages = 0
    /// Since when it only asks to wait; nil where it does not.
    package var throttledSince: Date?
    /// Refusals of messages from before this instant do not count any more.
    package var refusalsLiftedAt: Date?

    package struct Hold: Equatable, Sendable {
        package enum Reason: String, Sendable {
            /// The receiver asked to wait.
            case throttled
            /// It refuses us, or our messages.
            case refused
            /// It has failed for a while.
            case failing
        }

        package let until: Date
        package let reason: Reason

        package init(until: Date, reason: Reason) {
            self.until = until
            self.reason = reason
        }
    }

    package struct Trouble: Equatable, Sendable {
        package enum State: String, Sendable {
            /// Attempts fail; one message at a time is tried.
            case degraded
            /// It refuses us; something has to be repaired.
            case disabled
        }

        package var state: State
        package let since: Date
        /// The last words of the receiver or of the network, without secrets.
        package var error: String?

        package init(state: State, since: Date, error: String?) {
            self.state = state
            self.since = since
            self.error = error
        }
    }

    package init(name: String, type: String) {
        self.name = name
        self.type = type
    }
}

/// One line of the log of what was sent. No decision reads it; the page, `history` and metrics do.
package struct DeliveryRecord: Equatable, Sendable {
    /// 0 before it is stored.
    package var id: Int64 = 0
    package let channel: String
    package let incidentID: String
    /// What it is about; nil where nobody asked, and where the store no longer knows.
    package var incident: Incident?
    package let type: EventType
    package let reason: NotificationReason
    package let version: Int
    package let key: String
    /// When it was settled.
    package let at: Date
    package let attempts: Int
    package let outcome: Outcome
    /// The HTTP status of the last answer, where one came.
    package let status: Int?
    /// Words of the receiver or of the network, without secrets; at most 500 characters.
    package let error: String?

    package enum Outcome: String, Sendable, CaseIterable {
        case delivered
        /// The receiver refused this very message, in its plainest form too.
        case refused
        /// Nobody needed it any more, or its time ran out.
        case abandoned
    }

    package init(
        channel: String, incidentID: String, type: EventType, reason: NotificationReason, version: Int, key: String,
        at: Date, attempts: Int, outcome: Outcome, status: Int? = nil, error: String? = nil
    ) {
        self.channel = channel
        self.incidentID = incidentID
        self.type = type
        self.reason = reason
        self.version = version
        self.key = key
        self.at = at
        self.attempts = attempts
        self.outcome = outcome
        self.status = status
        self.error = error.map { String($0.prefix(500)) }
    }
}

/// Notifications that may share a message: those of one channel with one kind and reason.
package struct NotificationGroup: Hashable, Sendable {
    package let kind: IncidentKind
    package let reason: NotificationReason

    package init(kind: IncidentKind, reason: NotificationReason) {
        self.kind = kind
        self.reason = reason
    }
}

/// What waits in a group.
package struct PendingGroup: Equatable, Sendable {
    package let group: NotificationGroup
    /// Since when the first of them is pending.
    package let since: Date
    package let count: Int
    /// The most severe of them.
    package let severity: Severity
    /// When the last message of this group was frozen for the channel; nil: never, or it was a part, and the rest need not
    /// wait.
    package let lastAt: Date?
    /// How many incidents the next message may have, after a refused digest; nil: as many as any.
    package let largest: Int?

    package init(
        group: NotificationGroup, since: Date, count: Int, severity: Severity, lastAt: Date?, largest: Int? = nil
    ) {
        self.group = group
        self.since = since
        self.count = count
        self.severity = severity
        self.lastAt = lastAt
        self.largest = largest
    }
}
