// A place that messages go to, as the configuration names it. Its URL is a secret: whoever knows it can write there.

import Crypto
import Evidence
import Foundation

package enum ChannelKind: String, Codable, Sendable, CaseIterable {
    case webhook, slack
}

package struct Channel: Equatable, Sendable {
    /// Unique; the key of rows and metrics.
    package let name: String
    package let kind: ChannelKind
    /// Secret. For the transport only.
    let url: String
    /// Secret. More than one while a key is being rotated.
    let signingKeys: [Data]

    /// `signingKeys`: for webhooks; `WebhookSignature.keys(parsing:)` reads them. Empty signs nothing.
    /// - Throws: `ChannelFault`, without the URL.
    package init(name: String, kind: ChannelKind, url: String, signingKeys: [Data] = []) throws(ChannelFault) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), let host = parts.host,
            !host.isEmpty
        else { throw ChannelFault(channel: name, reason: "its url is not a complete URL; it begins with https://") }
        guard scheme == "https" || (scheme == "http" && Self.isLoopback(host)) else {
            throw ChannelFault(
                channel: name, reason: "its url must begin with https://; plain http is for receivers on this machine")
        }
        guard parts.user == nil, parts.password == nil else {
            throw ChannelFault(channel: name, reason: "its url holds a user or password, which is not supported")
        }
        self.name = name
        self.kind = kind
        self.url = url
        self.signingKeys = signingKeys
    }

    private static func isLoopback(_ host: String) -> Bool {
        let name = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return name == "localhost" || name == "::1"
            || (name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." })
    }

    /// The text with everything of the URL taken out that could open the channel: the URL, its path, query and user, and
    /// each longer part of these. Receivers and libraries like to quote them.
    func redacted(_ text: String) -> String {
        var secrets: Set<String> = [url]
        if let parts = URLComponents(string: url) {
            secrets.formUnion([
                parts.percentEncodedPath, parts.path, parts.percentEncodedQuery ?? "", parts.query ?? "",
            ])
            secrets.formUnion([parts.user ?? "", parts.password ?? ""])
            secrets.formUnion(parts.path.split(separator: "/").map(String.init))
            secrets.formUnion((parts.queryItems ?? []).compactMap(\.value))
        }
        var clean = text
        // Longest first: a part replaced early would hide the whole from being found.
        for secret in secrets.sorted(by: { $0.count > $1.count }) where secret.count >= 6 {
            clean = clean.replacingOccurrences(of: secret, with: "[hidden]")
        }
        return clean
    }
}

extension Channel: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The host and a short hash: enough to tell two channels apart, too little to write to one.
    package var description: String {
        let host = URLComponents(string: url)?.host ?? "?"
        let hash = SHA256.hash(data: Data(url.utf8)).prefix(4).map { String(format: "%02x", $0) }.joined()
        return "\(name) (\(kind.rawValue), \(host), #\(hash))"
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["name": name, "kind": kind]) }
}

/// Why a channel cannot be used: the operator's mistake, without the secret.
package struct ChannelFault: Error, Equatable, CustomStringConvertible {
    package let channel: String
    package let reason: String

    package init(channel: String, reason: String) {
        self.channel = channel
        self.reason = reason
    }

    package var description: String { "channel '\(channel.displayable)': \(reason)" }
}
