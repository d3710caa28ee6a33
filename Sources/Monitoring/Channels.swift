// What is known of channels wherever they are named: the configuration reads it, routing and messages go by it.

import Foundation

/// The kinds of receivers; `type` of a channel in `monitor.yaml`.
package enum ChannelKind: String, Codable, Sendable, CaseIterable {
    case webhook, slack, discord, teams
    case googleChat = "google-chat"
    case mattermost, telegram, line, chatwork, pagerduty, alertmanager, ntfy, email

    /// It keeps incidents of its own, under a key of the monitor: each incident needs a message of its own, and the end of
    /// one that it never received means nothing to it. All other kinds are chats.
    package var isPager: Bool { self == .pagerduty || self == .alertmanager }

    /// It gets a message when somebody acknowledges an incident.
    package var takesAcknowledgements: Bool { self == .pagerduty }

    /// Only the present counts there: it gets the set of firing incidents again and again.
    package var isFeed: Bool { self == .alertmanager }
}

/// What a channel can be notified of.
package enum Notified: String, Codable, Sendable, CaseIterable {
    case incidents, changes
}

/// Who writes to whom.
package struct MailAddresses: Equatable, Sendable {
    /// Bare addresses, in ASCII.
    package var sender: String
    package var recipients: [String]
    /// For the login; nil for none.
    package var username: String?

    package init(sender: String, recipients: [String], username: String? = nil) {
        self.sender = sender
        self.recipients = recipients
        self.username = username
    }
}

/// The steps by which more channels are notified where nobody acknowledges.
package struct Escalation: Equatable, Sendable {
    package struct Step: Equatable, Sendable {
        /// From the firing of an incident.
        package let after: Duration
        /// By name, at least one; none of them in another step.
        package let channels: [String]

        package init(after: Duration, channels: [String]) {
            self.after = after
            self.channels = channels
        }
    }

    /// Ascending.
    package let steps: [Step]
    /// All channels that a step names. Domains without `channels` of their own do not notify them at once.
    package let names: Set<String>

    package init(_ steps: [Step] = []) {
        self.steps = steps
        names = Set(steps.flatMap(\.channels))
    }

    /// The time of a channel's step; nil where none names it.
    package func after(_ channel: String) -> Duration? { steps.first { $0.channels.contains(channel) }?.after }
}
