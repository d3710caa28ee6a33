// The `alerts` section with its channels.

import Evidence
import Facts
import Monitoring

/// Who is notified, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// The time between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long the first notification about one kind of incident waits for others, to be sent with them.
    package var groupWait: Duration = .seconds(10)
    /// The minimum time between two messages to one channel about new incidents of one kind.
    package var groupInterval: Duration = .seconds(300)
    /// The only channel that is notified of the monitor's own problems; nil: all channels.
    package var fallback: String?
    /// The channels that are notified later if nobody acknowledges an incident. "All channels" does not include them.
    package var escalation = Escalation()
    /// In file order, with unique names.
    package var channels: [ChannelSettings] = []

    package init() {}
}

/// A receiver of alerts.
package struct ChannelSettings: Sendable, Equatable {
    package var name: String
    package var type: ChannelKind
    /// https, or http to a loopback host; for e-mail, smtps or smtp. nil if the service has one address for all users.
    package var url: Secret?
    /// The keys that sign a webhook's messages, each `whsec_` and 24 to 64 bytes in Base64.
    ///
    /// Empty: unsigned. Several while a secret is being replaced: the message has one signature for each.
    /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    package var secrets: [Secret]
    /// The credential: a token, the routing key of a pager, or the password of a mail server.
    package var token: Secret?
    /// The channel, chat, person, room or topic, if the URL does not contain it. An ntfy topic is a secret.
    package var destination: Secret?
    /// Only for Discord and Telegram.
    package var thread: String?
    /// Only for e-mail.
    package var mail: MailAddresses?
    /// The lowest severity of which the channel is notified.
    package var severity: Severity
    /// The incident kinds of which the channel is notified: exact names, and `area.*`. Empty: all.
    package var kinds: [String]
    /// Never empty.
    package var notify: Set<Notified>

    package init(
        name: String, type: ChannelKind, url: Secret? = nil, secrets: [Secret] = [], token: Secret? = nil,
        destination: Secret? = nil, thread: String? = nil, mail: MailAddresses? = nil,
        severity: Severity = .warning, kinds: [String] = [], notify: Set<Notified> = [.incidents]
    ) {
        self.name = name
        self.type = type
        self.url = url
        self.secrets = secrets
        self.token = token
        self.destination = destination
        self.thread = thread
        self.mail = mail
        self.severity = severity
        self.kinds = kinds
        self.notify = notify
    }
}

/// The keys of each channel type. The reader, editors and the documentation all use this table.
extension ChannelKind {
    /// The types that need only one URL.
    package static let ofOneAddress = allCases.filter { type in
        type == .slack || type.keys.filter(\.isRequired) == [.required(.url)]
    }

    /// The keys that depend on the type.
    package var keys: [ChannelKey] {
        switch self {
        case .webhook: [.required(.url), .optional(.secret)]
        // Either the URL, or token and channel.
        case .slack: [.optional(.url), .optional(.token), .optional(.channel)]
        case .discord: [.required(.url), .optional(.threadID)]
        case .teams, .googleChat, .mattermost: [.required(.url)]
        case .telegram: [.optional(.url), .required(.token), .required(.chatID), .optional(.threadID)]
        case .line: [.optional(.url), .required(.token), .required(.to)]
        case .chatwork: [.optional(.url), .required(.token), .required(.room)]
        case .pagerduty: [.optional(.url), .required(.routingKey)]
        case .alertmanager: [.required(.url), .optional(.token)]
        case .ntfy: [.optional(.url), .required(.topic), .optional(.token)]
        case .email: [.required(.url), .optional(.username), .optional(.password), .required(.from), .required(.to)]
        }
    }
}

/// A key of one channel type.
package struct ChannelKey: Sendable, Equatable {
    package let name: Name
    package let isRequired: Bool

    static func required(_ name: Name) -> ChannelKey { ChannelKey(name: name, isRequired: true) }
    static func optional(_ name: Name) -> ChannelKey { ChannelKey(name: name, isRequired: false) }

    package enum Name: String, Sendable, CaseIterable {
        case url, secret, token
        case routingKey = "routing_key"
        case topic, channel
        case chatID = "chat_id"
        case to, room
        case threadID = "thread_id"
        case username, password, from

        /// A secret can also be in a file; the key for its path ends in `_file`.
        package var isSecret: Bool {
            switch self {
            case .url, .secret, .token, .routingKey, .topic, .password: true
            case .channel, .chatID, .to, .room, .threadID, .username, .from: false
            }
        }
    }
}
