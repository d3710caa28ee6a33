// The kinds of receivers, and which keys each of them has: the one table for the reader, for editors and for the
// documentation.

package enum ChannelType: String, Sendable, CaseIterable {
    case webhook, slack, discord, teams
    case googleChat = "google-chat"
    case mattermost, telegram, line, chatwork, pagerduty, alertmanager, ntfy, email, command

    /// Beside `name` and `type`.
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
        case .command: [.required(.command)]
        }
    }
}

/// A key of a channel, as one type has it.
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
        case username, password, from, command

        /// Secrets may also stand in a file, under the same name with `_file`.
        package var isSecret: Bool {
            switch self {
            case .url, .secret, .token, .routingKey, .topic, .password: true
            case .channel, .chatID, .to, .room, .threadID, .username, .from, .command: false
            }
        }
    }
}
