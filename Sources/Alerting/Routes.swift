// Which channels are owed a message about what happened. Pure: it reads no clock and sends nothing.

import Crypto
import Evidence
import Foundation
import Monitoring
import Storage

package struct Routes: Sendable {
    package let channels: [Channel]
    private let cdnBaseURL: String
    private let statusPageURL: String?
    /// Who is told of incidents of the fleet.
    let fleet: FleetRouting
    /// Who is told later, where nobody takes an incident in hand.
    package let escalation: Escalation

    /// How long a message is worth sending. A resolve is worth more than a firing: somebody waits for it.
    static let firingLife: TimeInterval = 24 * 3600
    static let resolvedLife: TimeInterval = 72 * 3600

    /// `cdnBaseURL`: as `cdn.base_url`, without the domain.
    /// `statusPageURL`: the root of the status page, where people can reach it; nil for none.
    package init(
        channels: [Channel], cdnBaseURL: String, statusPageURL: String? = nil, fleet: FleetRouting = .init(),
        escalation: Escalation = .init()
    ) {
        self.escalation = escalation
        self.channels = channels
        self.fleet = fleet
        self.cdnBaseURL = cdnBaseURL
        self.statusPageURL = statusPageURL
    }

    /// The messages that a check owes, one for each event and channel, to be committed with the check.
    ///
    /// `domain`: nil for incidents of the fleet.
    /// `names`: the channels that the domain is routed to; nil for all but those of the escalation. Names of no channel are
    /// ignored. The end of an incident goes to every channel that knows of it, whatever the routes are by now, and to no
    /// other.
    package func drafts(
        for events: [Event], domain: Domain?, labels: [String: String] = [:], channels names: [String]? = nil
    ) throws -> [OutboxDraft] {
        try events.flatMap { event in
            let recipients = recipients(of: event, routed: names)
            guard !recipients.isEmpty else { return [OutboxDraft]() }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let facts = try encoder.encode(AlertFacts(event: event, labels: labels, links: links(for: domain)))
            return recipients.map { channel, condition in
                OutboxDraft(
                    messageKey: Self.messageKey(for: event, channel: channel.name), incidentID: event.incident.id,
                    channel: channel.name, type: event.type, sequence: event.incident.sequence,
                    severity: event.incident.severity, facts: facts, createdAt: event.at,
                    expiresAt: Self.expiry(of: event), supersedes: Self.superseded(by: event), condition: condition,
                    hearsOfHand: channel.kind.hearsOfHand)
            }
        }
    }

    /// `domain`: nil for what is about no single one.
    package func links(for domain: Domain?) -> AlertFacts.Links {
        guard let domain else { return AlertFacts.Links(statusPage: statusPageURL, cdn: nil, origin: nil) }
        func joined(_ base: String, _ path: String) -> String { base.hasSuffix("/") ? base + path : base + "/" + path }
        return AlertFacts.Links(
            statusPage: statusPageURL.map { joined($0, "#\(domain)") }, cdn: joined(cdnBaseURL, domain.name),
            origin: domain.wellKnownURL)
    }

    /// The identity of a message: hexadecimal, 64 characters, the same after a crash and on another host.
    static func messageKey(for event: Event, channel: String) -> String {
        // A separator that no part can hold keeps different parts from giving the same key.
        let parts = [event.incident.id, channel, event.type.rawValue, "\(event.incident.sequence)"]
        let digest = SHA256.hash(data: Data(parts.joined(separator: "\u{0}").utf8))
        return digest.map { String(format: "%02x", $0) }.joined()
    }

    /// What need not be said any more once this is, where it still waits.
    private static func superseded(by event: Event) -> Set<EventType> {
        switch event.type {
        case .firing, .acknowledged: []
        // Nobody has it in hand any more.
        case .update where event.isReawakening: [.reminder, .update, .acknowledged]
        case .update: [.reminder, .update]
        case .reminder: [.reminder]
        case .resolved: [.reminder, .acknowledged]
        }
    }

    private static func expiry(of event: Event) -> Date {
        switch event.type {
        case .firing, .update, .acknowledged: event.at + firingLife
        case .resolved: event.at + resolvedLife
        // The next one says it anew.
        case .reminder: max(event.incident.nextReminderAt ?? event.at + firingLife, event.at + 60)
        }
    }
}
