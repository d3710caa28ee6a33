// The `alerts` section with its channels.

import Evidence
import Facts
import Monitoring

/// Who is notified, and how often.
package struct AlertSettings: Sendable, Equatable {
    /// The time between two reminders of an open incident; nil: no reminders.
    package var remindEvery: Duration? = .seconds(24 * 3600)
    /// How long a notification waits for others of the same kind and reason, to be sent with them.
    package var groupWait: Duration = .seconds(10)
    /// The minimum time between two messages to one channel about new incidents of one kind.
    package var groupInterval: Duration = .seconds(300)
    /// The only channel that is notified of the monitor's own problems; nil: all channels.
    package var fallback: String?
    /// The channels that are notified later if nobody acknowledges an incident. "All channels" does not include them.
    package var escalation = Escalation()
    /// With unique names, in file order.
    package var channels: [Channel] = []

    package init() {}
}

/// The keys of each kind of receiver: the only table, for the reader, for editors and for the documentation.
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
