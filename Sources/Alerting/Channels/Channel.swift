// A place that messages go to, as the configuration names it. Its URL is a secret: anybody who knows it can write there.

import Facts
import Hashing
import Evidence
import Foundation
import Monitoring

extension ChannelKind {
    /// Where a service is reached that has one address for all; nil where each receiver has its own.
    var home: String? {
        switch self {
        case .slack: "https://slack.com/api"
        case .telegram: "https://api.telegram.org"
        case .line: "https://api.line.me"
        case .chatwork: "https://api.chatwork.com/v2"
        case .pagerduty: "https://events.pagerduty.com"
        case .ntfy: "https://ntfy.sh"
        case .webhook, .discord, .teams, .googleChat, .mattermost, .alertmanager, .email: nil
        }
    }
}

package struct Channel: Equatable, Sendable {
    /// Unique; the key of rows and metrics.
    package let name: String
    package let kind: ChannelKind
    /// Secret. For the transport only.
    let url: String
    /// Secret. More than one while a key is being rotated.
    let signingKeys: [Data]
    /// Secret: a token, the routing key of a pager, or the password at a mail server.
    let token: String?
    /// The room, chat, person or topic, where the URL does not say it. A topic is a secret.
    var destination: String?
    /// The thread or topic within it.
    let thread: String?
    /// Of e-mail.
    private(set) var mail: MailAddresses?
    /// Less severe incidents are not sent there.
    package var minimumSeverity: Severity
    /// Patterns of the kinds that are sent there, such as `cdn.*`; empty: all.
    package var kinds: [String]
    package var notifies: Set<Notified>

    /// The configuration has checked what its keys hold.
    /// `url`: nil for a service that has one address for all. `signingKeys`: for webhooks; empty signs nothing.
    package init(
        name: String, kind: ChannelKind, url: String? = nil, signingKeys: [Data] = [], token: String? = nil,
        destination: String? = nil, thread: String? = nil, mail: MailAddresses? = nil,
        minimumSeverity: Severity = .warning, kinds: [String] = [], notifies: Set<Notified> = [.incidents]
    ) {
        self.name = name
        self.kind = kind
        self.url = url ?? kind.home ?? ""
        self.signingKeys = signingKeys
        self.token = token
        self.destination = destination
        self.thread = thread
        self.mail = mail
        self.minimumSeverity = minimumSeverity
        self.kinds = kinds
        self.notifies = notifies
    }

    /// Whether mail goes to another machine, and so never without TLS.
    var isRemote: Bool { !(URLComponents(string: url)?.host.map { HostAddress.isLoopback(host: $0) } ?? false) }

    /// Whether its filters let an incident through. What was sent once is followed up whatever they say.
    package func accepts(kind: IncidentKind, severity: Severity) -> Bool {
        guard kind != .change else { return notifies.contains(.changes) }
        return notifies.contains(.incidents) && severity >= minimumSeverity
            && (kinds.isEmpty || kinds.contains { Self.matches($0, kind) })
    }

    /// `pattern`: a kind, or its beginning with an asterisk behind it.
    package static func matches(_ pattern: String, _ kind: IncidentKind) -> Bool {
        pattern.hasSuffix("*") ? kind.rawValue.hasPrefix(pattern.dropLast()) : kind.rawValue == pattern
    }

    /// Slack offers two ways: an incoming webhook, and an app with a token.
    var isBot: Bool { kind == .slack && token != nil }

    /// The URL with a path appended, unless it is there already.
    func url(_ path: String) -> String {
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        return base.hasSuffix(path) ? base : base + path
    }

    /// The URL with more of a query; its own bytes stay as they are, since some are signed.
    func url(query: String) -> String { url + (url.contains("?") ? "&" : "?") + query }

    /// The header that most services take a token in.
    var bearer: [HeaderField] { token.map { [HeaderField(name: "authorization", value: "Bearer \($0)")] } ?? [] }
}

extension Channel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The host and a short hash: enough to tell two channels apart, too little to write to one.
    package var description: String {
        let host = URLComponents(string: url)?.host ?? "?"
        let hash = Digest.sha256.hash(identity.utf8).prefix(4).hexadecimal
        return "\(name) (\(kind.rawValue), \(host), #\(hash))"
    }

    /// Where its messages go, by a keyed hash: type, address and key. Two channels with the same one write to the same receiver.
    /// Passwords and tokens that only open the door are no part of it: they are changed, and the receiver stays.
    func destinationHash(key: String) -> String {
        let parts: [String?] =
            switch kind {
            case .webhook, .discord, .teams, .googleChat, .mattermost, .alertmanager: [url, thread]
            case .slack: isBot ? [url, destination, thread] : [url]
            // The first part of a token is the bot's number.
            case .telegram: [url, token.map { String($0.prefix { $0 != ":" }) }, destination, thread]
            case .line, .chatwork, .ntfy: [url, destination]
            case .pagerduty: [url, token]
            case .email: mail?.recipients.sorted() ?? []
            }
        let text = ([kind.rawValue] + parts.map { $0 ?? "" }).joined(separator: "\n")
        return Digest.sha256.authenticationCode(for: text.utf8, key: key.utf8).prefix(16).hexadecimal
    }

    /// The same channel, for one recipient alone; as it is where it writes no mail.
    func only(to recipient: String?) -> Channel {
        guard let recipient else { return self }
        var channel = self
        channel.mail?.recipients = [recipient]
        return channel
    }

    private var identity: String { parts.compactMap(\.self).joined(separator: "\n") }

    private var parts: [String?] {
        [url, token, destination, thread, mail?.username, mail?.sender, mail?.recipients.joined(separator: ",")]
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["name": name, "kind": kind]) }
}

/// Why nothing can be sent to a channel: the operator's mistake, without the secret.
package struct ChannelFault: Error, Equatable, CustomStringConvertible {
    package let channel: String
    package let reason: String

    package init(channel: String, reason: String) {
        self.channel = channel
        self.reason = reason
    }

    package var description: String { "channel '\(channel.displayable)': \(reason)" }
}

// MARK: - The one way in which a message becomes a request

extension Channel {
    func request(body: Data, messageKey: String, timestamp: Date, userAgent: String) throws -> MessageRequest {
        try format.request(
            body: body, messageKey: messageKey, timestamp: timestamp, userAgent: userAgent, channel: self)
    }

    /// Of a call over HTTP: a message, or what follows one.
    func request(
        _ call: HTTPCall, messageKey: String = "", timestamp: Date, userAgent: String
    ) -> MessageRequest {
        let format = format
        return MessageRequest(
            method: call.method, url: call.url,
            headers: format.headers(messageKey: messageKey, timestamp: timestamp, body: call.body, channel: self),
            userAgent: userAgent, body: call.body, timeout: format.timeout)
    }
}

// MARK: - What is hidden in the words of receivers and libraries, which like to quote what they were sent

extension Channel {
    /// What came back, without secrets; nil where nothing was said.
    func words(of answer: TransportAnswer) -> String? {
        // Cut only after hiding: half a secret at the end of a cut text would not be recognized.
        var text = redacted(answer.text)
        if answer.isPage {
            text = "an HTML page" + (WebPage.title(of: Data(text.utf8)).map { " titled '\($0)'" } ?? "")
        }
        if (200...299).contains(answer.status ?? 0), answer.fault == nil, !format.isTaken(answer) {
            let first = text.split(whereSeparator: \.isNewline).first ?? "nothing"
            text = "not an answer of \(kind.rawValue), but \(first)"
        }
        let parts = [answer.fault.map { redacted($0.detail) } ?? "", text].filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: ": ").displayable.shortened(to: 300)
    }

    /// The text with everything taken out that could open the channel: the URL, its path, query and user, the tokens, and
    /// each longer part of these, also in the escaped forms of JSON and of URLs.
    func redacted(_ text: String) -> String {
        var clean = text
        // Longest first: a part replaced early would hide the whole from being found.
        for secret in secrets.sorted(by: { $0.count > $1.count }) {
            clean = clean.replacingOccurrences(of: secret, with: "[hidden]")
        }
        return clean
    }

    private var secrets: Set<String> {
        // Shorter parts are words such as `hooks` and `api`.
        var found = urlParts.filter { $0.count >= 6 && !isOfHome($0) }
        for secret in [token, kind == .ntfy ? destination : nil].compactMap(\.self) {
            found.insert(secret)
            // `123456:ABC…`, the form of Telegram's tokens: the second part alone opens the door.
            found.formUnion(secret.split(separator: ":").dropFirst().map(String.init).filter { $0.count >= 6 })
        }
        if kind == .email, let token {
            // As a login sends it.
            found.insert(Data(token.utf8).base64EncodedString())
            if let username = mail?.username {
                found.insert(Data("\u{0}\(username)\u{0}\(token)".utf8).base64EncodedString())
            }
        }
        for key in signingKeys {
            found.insert(key.base64EncodedString())
            if let text = String(validating: key, as: UTF8.self) { found.insert(text) }
        }
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) })
        found.formUnion(found.compactMap { $0.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) })
        found.formUnion(found.map { $0.replacingOccurrences(of: "/", with: #"\/"#) })
        return found.filter { !$0.isEmpty }
    }

    private var urlParts: Set<String> {
        guard let parts = URLComponents(string: url) else { return [url] }
        var found: Set<String> = [url, parts.percentEncodedPath, parts.path]
        found.formUnion([parts.percentEncodedQuery, parts.query, parts.user, parts.password].compactMap(\.self))
        found.formUnion(parts.path.split(separator: "/").map(String.init))
        found.formUnion((parts.queryItems ?? []).compactMap(\.value))
        return found
    }

    private func isOfHome(_ part: String) -> Bool { kind.home?.contains(part) ?? false }
}
