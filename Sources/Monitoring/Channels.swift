// Notification channels. The configuration creates them; routing and rendering use them.

import Evidence
import Foundation

/// The kinds of receivers; `type` of a channel in `monitor.yaml`.
package enum ChannelKind: String, Codable, Sendable, CaseIterable {
    case webhook, slack, discord, teams
    case googleChat = "google-chat"
    case mattermost, telegram, line, chatwork, pagerduty, alertmanager, ntfy, email, gotify, pushover, matrix, opsgenie

    /// Keeps its own incidents under a key of the monitor. Each incident needs its own message, and a resolved message
    /// for an unknown incident has no effect. All other kinds are chats.
    package var isPager: Bool { [.pagerduty, .opsgenie, .alertmanager].contains(self) }

    /// Gets a message when somebody acknowledges an incident.
    package var takesAcknowledgements: Bool { isPager && !isFeed }

    /// Expects only the current state: it gets all firing incidents again and again.
    package var isFeed: Bool { self == .alertmanager }
}

/// What a channel is notified of.
package enum Notified: String, Codable, Sendable, CaseIterable {
    case incidents, changes
}

/// A receiver of messages. Its URL is a secret: anybody who knows it can write to the channel.
package struct Channel: Equatable, Sendable {
    /// Unique; the key of rows and metrics.
    package var name: String
    package var kind: ChannelKind
    /// Secret. https, or plain http to a loopback host; for e-mail smtps or smtp. Nil if the service has a fixed URL.
    package var url: String?
    /// Secret. The keys that sign a webhook's messages, 24 to 64 bytes each; empty: unsigned. During a key rotation
    /// there are several, and a message has a signature of each.
    /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    package var signingKeys: [Data]
    /// Secret: a token, the routing key of a pager, or the password of a mail server.
    package var token: String?
    /// The room, chat, person or topic, if the URL does not contain it. A topic is a secret.
    package var destination: String?
    /// The thread or topic within `destination`.
    package var thread: String?
    /// Only for e-mail.
    package var mail: MailAddresses?
    /// Less severe incidents are not sent.
    package var minimumSeverity: Severity
    /// The kinds of incidents to send: exact names, and patterns such as `cdn.*`. Empty: all.
    package var kinds: [String]
    /// Not empty.
    package var notifies: Set<Notified>

    /// Does not validate: the configuration has done so.
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

// Printing or dumping a channel shows no secret.
extension Channel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(name) (\(kind.rawValue))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["name": name, "kind": kind]) }
}

package struct MailAddresses: Equatable, Sendable {
    /// Bare addresses, in ASCII.
    package var sender: String
    package var recipients: [String]
    /// For the login; nil: no login.
    package var username: String?

    package init(sender: String, recipients: [String], username: String? = nil) {
        self.sender = sender
        self.recipients = recipients
        self.username = username
    }
}

/// The channels of domains that name none, by labels: the first route that matches counts, as in Alertmanager.
/// https://prometheus.io/docs/alerting/latest/configuration/#route
package struct LabelRoute: Equatable, Sendable {
    /// Each must match; not empty. `*`: any text.
    package var match: [String: String]
    /// Names, at least one.
    package var channels: [String]

    package init(match: [String: String] = [:], channels: [String] = []) {
        self.match = match
        self.channels = channels
    }

    package func matches(_ domain: WatchedDomain) -> Bool { domain.labels.match(match) }
}

extension WatchedDomain {
    /// The domain with the channels of the first route that matches, if it has none of its own.
    package func routed(through routes: [LabelRoute]) -> WatchedDomain {
        guard channels == nil, let route = routes.first(where: { $0.matches(self) }) else { return self }
        return WatchedDomain(
            domain: domain, checks: checks, mode: mode, labels: labels, channels: route.channels, expect: expect)
    }
}

/// Escalation steps: each notifies more channels if nobody acknowledges in time.
package struct Escalation: Equatable, Sendable {
    package struct Step: Equatable, Sendable {
        /// Since the incident fired.
        package var after: Duration
        /// Names, at least one. A channel is in one step only.
        package var channels: [String]

        package init(after: Duration, channels: [String]) {
            self.after = after
            self.channels = channels
        }
    }

    /// Ascending.
    package let steps: [Step]
    /// All channels of all steps. Domains without their own `channels` do not notify them immediately.
    package let names: Set<String>

    package init(_ steps: [Step] = []) {
        self.steps = steps
        names = Set(steps.flatMap(\.channels))
    }

    /// The time of a channel's step; nil if no step names it.
    package func after(_ channel: String) -> Duration? { steps.first { $0.channels.contains(channel) }?.after }
}
