// What sending needs of a channel: what it takes, its address, the one way to a request, and what is hidden of it.

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

extension Channel {
    /// Where its service is reached.
    var baseURL: String { url ?? kind.home ?? "" }

    /// Whether mail goes to another machine, and so never without TLS.
    var isRemote: Bool { !(URLComponents(string: baseURL)?.host.map { HostAddress.isLoopback(host: $0) } ?? false) }

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
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        return base.hasSuffix(path) ? base : base + path
    }

    /// The URL with more of a query; its own bytes stay as they are, since some are signed.
    func url(query: String) -> String { baseURL + (baseURL.contains("?") ? "&" : "?") + query }

    /// The token's header, where the service takes one. All others have theirs in the URL or the body, or in a header of their own.
    var bearer: [HeaderField] {
        guard [.slack, .line, .alertmanager, .ntfy].contains(kind), let token else { return [] }
        return [HeaderField(name: "authorization", value: "Bearer \(token)")]
    }
}

extension Channel {
    /// With the host and a short hash: enough to tell two channels apart, too little to write to one.
    package var place: String {
        let host = URLComponents(string: baseURL)?.host ?? "?"
        return "\(name) (\(kind.rawValue), \(host), #\(destinationHash.prefix(8)))"
    }

    /// Where its messages go: type, address and key. Two channels with the same one write to the same receiver. Passwords and tokens
    /// that only open the door are no part of it: they are changed, and the receiver stays.
    var destinationHash: String {
        let parts: [String?] =
            switch kind {
            case .webhook, .discord, .teams, .googleChat, .mattermost, .alertmanager: [baseURL, thread]
            case .slack: isBot ? [baseURL, destination, thread] : [baseURL]
            // The first part of a token is the bot's number.
            case .telegram: [baseURL, token.map { String($0.prefix { $0 != ":" }) }, destination, thread]
            case .line, .chatwork, .ntfy: [baseURL, destination]
            case .pagerduty: [baseURL, token]
            case .email: mail?.recipients.sorted() ?? []
            }
        let text = ([kind.rawValue] + parts.map { $0 ?? "" }).joined(separator: "\n")
        return Digest.sha256.hash(text.utf8).prefix(16).hexadecimal
    }

    /// The same channel, for one recipient alone; as it is where it writes no mail.
    func only(to recipient: String?) -> Channel {
        guard let recipient else { return self }
        var channel = self
        channel.mail?.recipients = [recipient]
        return channel
    }
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
        guard let parts = URLComponents(string: baseURL) else { return [baseURL] }
        var found: Set<String> = [baseURL, parts.percentEncodedPath, parts.path]
        found.formUnion([parts.percentEncodedQuery, parts.query, parts.user, parts.password].compactMap(\.self))
        found.formUnion(parts.path.split(separator: "/").map(String.init))
        found.formUnion((parts.queryItems ?? []).compactMap(\.value))
        return found
    }

    private func isOfHome(_ part: String) -> Bool { kind.home?.contains(part) ?? false }
}
