// What was sent to whom, and with what answer. A channel appears by its name only, because its URL is a secret.

import Evidence
import Foundation
import Monitoring
import Storage

/// One line of the log of deliveries.
package struct DeliveryReport: Codable, Equatable, Sendable {
    package var schema = "aasa-monitor/delivery/v1"
    package let id: Int64
    package let at: Date
    package let outcome: String
    package let channel: String
    package let type: String
    package let reason: String
    package let incident: String
    /// What the incident is about, if the store still knows.
    package let domain: String?
    package let kind: IncidentKind?
    package let version: Int
    package let messageKey: String
    package let attempts: Int
    package let status: Int?
    package let error: String?

    package init(_ record: DeliveryRecord, time: ReportTime) {
        id = record.id
        at = time.shown(record.at)
        outcome = record.outcome.rawValue
        channel = record.channel
        type = record.type.rawValue
        reason = record.reason.rawValue
        incident = record.incidentID
        domain = record.incident?.domain?.name
        kind = record.incident?.kind
        version = record.version
        messageKey = record.key
        attempts = record.attempts
        status = record.status
        error = record.error?.displayable
    }
}

/// One page of `/api/v1/deliveries`.
package struct DeliveryPage: Codable, Sendable {
    package var schema = "aasa-monitor/deliveries/v1"
    /// Newest first.
    package let deliveries: [DeliveryReport]
    package let pending: [PendingCount]
    /// `cursor` of the next page.
    package let next: String?

    package init(deliveries: [DeliveryReport], pending: [PendingCount], next: String?) {
        self.deliveries = deliveries
        self.pending = pending
        self.next = next
    }
}

extension PendingCount {
    /// With instants of the wall clock.
    package func shown(_ time: ReportTime) -> PendingCount {
        PendingCount(
            channel: channel, count: count, since: time.shown(since),
            waits: waits.map { Wait($0.reason, until: time.shown($0.until)) })
    }
}

/// One message in full: what it said, about which incidents, and each attempt to deliver it.
package struct MessageReport: Codable, Sendable {
    package struct Member: Codable, Sendable {
        package let id: String
        package let kind: IncidentKind
        package let domain: String?
        package let state: Incident.State
        package let since: Date
        /// The incident's version in this message; nil while the message is under way.
        package let version: Int?
    }

    package struct Attempt: Codable, Sendable {
        package let at: Date
        package let outcome: String
        package let status: Int?
        package let error: String?
    }

    package var schema = "aasa-monitor/message/v1"
    package let messageKey: String
    package let channel: String
    /// `delivered`, `refused`, `abandoned`, several of them if the parts of a digest ended differently, or `under way`.
    package let outcome: String
    package let type: String?
    package let reason: String?
    /// When it is tried next; nil: it is settled.
    package let retryAt: Date?
    /// Its numbers in the log.
    package let deliveries: [Int64]
    package let incidents: [Member]
    /// Oldest first.
    package let attempts: [Attempt]
    /// nil if it is not stored, as for a feed.
    package let text: String?

    package init(_ message: SentMessage, time: ReportTime) {
        let first = message.deliveries.first
        messageKey = message.key
        channel = message.channel
        outcome = Self.outcome(message)
        type = first?.type.rawValue
        reason = first?.reason.rawValue
        retryAt = message.retryAt.map(time.shown)
        deliveries = message.deliveries.map(\.id)
        let versions = Dictionary(message.deliveries.map { ($0.incidentID, $0.version) }) { first, _ in first }
        incidents = message.incidents.map { incident in
            Member(
                id: incident.id, kind: incident.kind, domain: incident.domain?.name, state: incident.state,
                since: time.shown(incident.since), version: versions[incident.id])
        }
        attempts = Self.attempts(message).map { attempt in
            Attempt(
                at: time.shown(attempt.at), outcome: attempt.outcome, status: attempt.status,
                error: attempt.error?.displayable)
        }
        text = message.text
    }

    /// The outcome of the whole message; parts of a digest may end differently.
    private static func outcome(_ message: SentMessage) -> String {
        if message.retryAt != nil { return "under way" }
        var seen: Set<String> = []
        return message.deliveries.map(\.outcome.rawValue).filter { seen.insert($0).inserted }.joined(separator: ", ")
    }

    /// If a message has no attempts of its own, as for a feed, what the log says.
    private static func attempts(_ message: SentMessage) -> [DeliveryAttempt] {
        guard message.attempts.isEmpty else { return message.attempts }
        return message.deliveries.filter { $0.outcome != .abandoned }.map {
            DeliveryAttempt(at: $0.at, outcome: $0.outcome.rawValue, status: $0.status, error: $0.error)
        }
    }
}

/// What a channel does after a retry.
package struct RetryReport: Codable, Sendable {
    package var schema = "aasa-monitor/retry/v1"
    package let channel: String
    /// Until then it sends nothing, because its receiver asked for a wait; nil: it is tried now.
    package let heldUntil: Date?
    /// Its pending notifications.
    package let pending: Int

    package init(_ record: ChannelRecord, pending: Int) {
        channel = record.name
        heldUntil = record.hold?.until
        self.pending = pending
    }
}
