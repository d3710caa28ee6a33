// What delivery needs from a channel: filters, destination, requests, and the redaction of secrets.

import Facts
import Hashing
import Evidence
import Foundation
import Monitoring
import Storage

extension ChannelKind {
    /// The base URL of a service with one address for all; nil if each receiver has its own.
    var home: String? {
        switch self {
        case .slack: "https://slack.com/api"
        case .telegram: "https://api.telegram.org"
        case .line: "https://api.line.me"
        case .chatwork: "https://api.chatwork.com/v2"
        case .pagerduty: "https://events.pagerduty.com"
        case .ntfy: "https://ntfy.sh"
        case .pushover: "https://api.pushover.net"
        case .opsgenie: "https://api.opsgenie.com"
        case .webhook, .discord, .teams, .googleChat, .mattermost, .alertmanager, .email, .gotify, .matrix: nil
        }
    }
}

extension Channel {
    var baseURL: String { url ?? kind.home ?? "" }

    /// Whether mail goes to another machine, which requires TLS.
    var isRemote: Bool { !(URLComponents(string: baseURL)?.host.map { HostAddress.isLoopback(host: $0) } ?? false) }

    /// Whether the filters accept an incident. Follow-ups of a sent message ignore the filters.
    package func accepts(kind: IncidentKind, severity: Severity) -> Bool {
        guard kind != .change else { return notifies.contains(.changes) }
        return notifies.contains(.incidents) && severity >= minimumSeverity
            && (kinds.isEmpty || kinds.contains { Self.matches($0, kind) })
    }

    /// `pattern`: a kind, or a prefix followed by an asterisk.
    package static func matches(_ pattern: String, _ kind: IncidentKind) -> Bool {
        pattern.hasSuffix("*") ? kind.rawValue.hasPrefix(pattern.dropLast()) : kind.rawValue == pattern
    }

    /// Slack has two ways to send: an incoming webhook, and an app with a token.
    var isBot: Bool { kind == .slack && token != nil }

    /// The URL with a path, which is appended unless the URL already ends with it.
    func url(_ path: String) -> String {
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        return base.hasSuffix(path) ? base : base + path
    }

    /// The URL with more query items. Its own bytes stay unchanged, because some services sign them.
    func url(query: String) -> String { baseURL + (baseURL.contains("?") ? "&" : "?") + query }

    /// The `Authorization` header, if the service uses one. Others have secrets in the URL, the body or other headers.
    var bearer: [HeaderField] {
        guard [.slack, .line, .alertmanager, .ntfy, .matrix].contains(kind), let token else { return [] }
        return [HeaderField(name: "authorization", value: "Bearer \(token)")]
    }
}

extension Channel {
    /// Shows the host and a short hash: enough to distinguish channels, too little to send messages.
    package var place: String {
        let host = URLComponents(string: baseURL)?.host ?? "?"
        return "\(name) (\(kind.rawValue), \(host), #\(destinationHash.prefix(8)))"
    }

    /// Identifies the receiver by type, address and key. Passwords and tokens that only authenticate are left out,
    /// because they may change while the receiver stays the same.
    var destinationHash: String {
        let parts: [String?] =
            switch kind {
            case .webhook, .discord, .teams, .googleChat, .mattermost, .alertmanager: [baseURL, thread]
            case .slack: isBot ? [baseURL, destination, thread] : [baseURL]
            // The first part of a token is the bot's number.
            case .telegram: [baseURL, token.map { String($0.prefix { $0 != ":" }) }, destination, thread]
            case .line, .chatwork, .ntfy, .pushover, .matrix: [baseURL, destination]
            // The token belongs to an application or an integration, which has its own list of messages.
            case .pagerduty, .opsgenie, .gotify: [baseURL, token]
            case .email: mail?.recipients.sorted() ?? []
            }
        let text = ([kind.rawValue] + parts.map { $0 ?? "" }).joined(separator: "\n")
        return Digest.sha256.hash(text.utf8).prefix(16).hexadecimal
    }

    /// The same channel for one recipient only; unchanged unless it sends mail.
    func only(to recipient: String?) -> Channel {
        guard let recipient else { return self }
        var channel = self
        channel.mail?.recipients = [recipient]
        return channel
    }
}

/// A configuration error of a channel, without secrets.
package struct ChannelFault: Error, Equatable, CustomStringConvertible {
    package let channel: String
    package let reason: String

    package init(channel: String, reason: String) {
        self.channel = channel
        self.reason = reason
    }

    package var description: String { "channel '\(channel.displayable)': \(reason)" }
}

// MARK: - Redaction: receivers and libraries often quote the request in their errors

extension Channel {
    /// The error or reply in an answer, without secrets; nil if there is none.
    func words(of answer: TransportAnswer) -> String? {
        // Redact before truncating: half a secret at the end would not be recognized.
        var text = redacted(answer.text)
        if answer.isPage {
            text = "an HTML page" + (WebPage.title(of: Data(text.utf8)).map { " titled '\($0)'" } ?? "")
        }
        if (200...299).contains(answer.status ?? 0), answer.fault == nil, !format.isTaken(answer) {
            let first = text.split(whereSeparator: \.isNewline).first
            let got = first.map { answer.isPage ? String($0) : "\"\($0)\"" } ?? "nothing"
            let article = [.alertmanager, .email, .ntfy, .opsgenie].contains(kind) ? "an" : "a"
            text = "expected \(article) \(kind.rawValue) reply, got \(got)"
        }
        let parts = [answer.fault.map { redacted($0.detail) } ?? "", text].filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: ": ").displayable.shortened(to: 300)
    }

    /// Removes all secrets: the URL, its path, query and user, the tokens, and the longer parts of these, also in the
    /// escaped forms of JSON and URLs. Signatures of links, too.
    func redacted(_ text: String) -> String {
        var clean = text
        // Longest first: after a part is replaced, the whole secret no longer matches.
        for secret in secrets.sorted(by: { $0.count > $1.count }) {
            clean = clean.replacingOccurrences(of: secret, with: "[hidden]")
        }
        return AcknowledgeLink.hidden(in: clean)
    }

    private var secrets: Set<String> {
        // Shorter parts are words such as `hooks` and `api`.
        var found = urlParts.filter { $0.count >= 6 && !isOfHome($0) }
        for secret in [token, [.ntfy, .pushover].contains(kind) ? destination : nil].compactMap(\.self) {
            found.insert(secret)
            // A Telegram token, `123456:ABC…`: the second part alone is the secret.
            found.formUnion(secret.split(separator: ":").dropFirst().map(String.init).filter { $0.count >= 6 })
        }
        if kind == .email, let token {
            // Base64, as SMTP logins send it.
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
