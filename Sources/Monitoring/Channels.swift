// What is known of channels wherever they are named: the configuration reads it, routing and messages go by it.

import Evidence
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

/// A place that messages go to, as the configuration names it. Its URL is a secret: anybody who knows it can write there.
package struct Channel: Equatable, Sendable {
    /// Unique; the key of rows and metrics.
    package let name: String
    package let kind: ChannelKind
    /// Secret. https, or plain http to a loopback host; of e-mail smtps or smtp. Nil where the service has one address for all.
    package var url: String?
    /// Secret. The keys that a webhook's messages are signed with, of 24 to 64 bytes; empty signs nothing. More than one while a key
    /// is being replaced: the message bears a signature by each.
    /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    package var signingKeys: [Data]
    /// Secret: a token, the routing key of a pager, or the password at a mail server.
    package var token: String?
    /// The room, chat, person or topic, where the URL does not say it. A topic is a secret.
    package var destination: String?
    /// The thread or topic within it.
    package var thread: String?
    /// Of e-mail.
    package var mail: MailAddresses?
    /// Less severe incidents are not sent there.
    package var minimumSeverity: Severity
    /// The kinds of incidents that are sent there: exact ones, and patterns such as `cdn.*`. Empty: all.
    package var kinds: [String]
    /// What it is notified of; not empty.
    package var notifies: Set<Notified>

    /// The configuration has checked what its keys hold.
    package init(
        name: String, kind: ChannelKind, url: String? = nil, signingKeys: [Data] = [], token: String? = nil,
        destination: String? = nil, thread: String? = nil, mail: MailAddresses? = nil,
        minimumSeverity: Severity = .warning, kinds: [String] = [], notifies: Set<Notified> = [.incidents]
    ) {
        self.name = name
        self.kind = kind
        self.url = url
        self.signingKeys = signingKeys
        self.token = token
        self.destination = destination
        self.thread = thread
        self.mail = mail
        self.minimumSeverity = minimumSeverity
        self.kinds = kinds
        self.notifies = notifies
    }
}

// No way of printing one shows a secret.
extension Channel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(name) (\(kind.rawValue))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["name": name, "kind": kind]) }
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
