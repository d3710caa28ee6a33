import Evidence

/// A receiver of alerts.
package struct ChannelSettings: Sendable, Equatable {
    package var name: String
    package var type: ChannelType
    /// https, or plain http to a loopback host; of e-mail smtps or smtp. Nil where the service has one address for all, and
    /// for a command.
    package var url: Secret?
    /// The keys that a webhook's messages are signed with, each `whsec_` and 24 to 64 bytes in Base64.
    ///
    /// Empty: unsigned. Several while a secret is being replaced: the message bears a signature by each.
    /// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
    package var secrets: [Secret]
    /// What opens the service: a token, the routing key of a pager, or the password at a mail server.
    package var token: Secret?
    /// The channel, chat, person, room or topic, where the URL does not say it. A topic of ntfy is a secret.
    package var destination: Secret?
    /// The thread within it, of Discord and Telegram.
    package var thread: String?
    /// Of e-mail.
    package var mail: Mail?
    /// Of a command: the program's file, then its arguments, which may be tokens.
    package var command: [Secret]
    /// The least severity that it is notified of.
    package var severity: Severity
    /// The kinds of incidents that it is notified of: exact ones, and `area.*`. Empty: all.
    package var kinds: [String]
    /// What it is notified of; not empty.
    package var notify: [NotifiedOf]

    /// Who writes to whom; bare addresses.
    package struct Mail: Sendable, Equatable {
        package var from: String
        package var to: [String]
        /// nil: without a login.
        package var username: String?

        package init(from: String = "", to: [String] = [], username: String? = nil) {
            self.from = from
            self.to = to
            self.username = username
        }
    }

    package enum NotifiedOf: String, Sendable, CaseIterable {
        case incidents, changes
    }

    package init(
        name: String, type: ChannelType, url: Secret? = nil, secrets: [Secret] = [], token: Secret? = nil,
        destination: Secret? = nil, thread: String? = nil, mail: Mail? = nil, command: [Secret] = [],
        severity: Severity = .warning, kinds: [String] = [], notify: [NotifiedOf] = [.incidents]
    ) {
        self.name = name
        self.type = type
        self.url = url
        self.secrets = secrets
        self.token = token
        self.destination = destination
        self.thread = thread
        self.mail = mail
        self.command = command
        self.severity = severity
        self.kinds = kinds
        self.notify = notify
    }
}
