/// The kinds of receivers that this version can write to.
package enum ChannelType: String, Sendable, CaseIterable {
    case webhook
    case slack

    /// Types that the format knows and this version cannot serve. A type moves from here to the cases above.
    static let later = [
        "discord", "teams", "google-chat", "mattermost", "telegram", "line", "chatwork", "pagerduty", "alertmanager",
        "ntfy",
    ]
}

/// A receiver of alerts.
package struct ChannelSettings: Sendable, Equatable {
    package var name: String
    package var type: ChannelType
    /// https, or plain http to a loopback host.
    package var url: Secret
    /// The keys that a webhook's messages are signed with, each `whsec_` and 24 to 64 bytes in Base64.
    ///
    /// Empty: unsigned. Several while a secret is being replaced: the message bears a signature by each.
    /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    package var secrets: [Secret]

    package init(name: String, type: ChannelType, url: Secret, secrets: [Secret] = []) {
        self.name = name
        self.type = type
        self.url = url
        self.secrets = secrets
    }
}
