// The link in a message by which a reader acknowledges the incident, or silences its domain. It gives no access: the page of
// the incident asks for the login as always. The signature proves which channel the message went to, and the store sees that
// the link works once.

import Evidence
import Foundation
import GRDB
import Hashing
import Monitoring

package struct AcknowledgeLink: Equatable, Sendable {
    /// `1795849200~slack~ops~3fa9…`: its end, the channel's type and name, the signature. An address takes it as it is.
    package let text: String
    /// By the wall clock.
    package let endsAt: Date
    /// The channel that the message went to: `ops (slack)`.
    package let channel: String

    /// Reminders bring another one.
    package static let life = Duration.seconds(7 * 86400)
    /// A name of a channel has 64 characters at most.
    private static let longest = 200

    /// Why a link does nothing, in words for who followed it.
    package enum Fault: String, Error, CustomStringConvertible {
        case used = "This link was used already: it works once."
        case expired = "This link has expired: it works for 7 days."
        case foreign = "This link is not one that this monitor sent for this incident, or a part of it is missing."

        package var description: String { rawValue }
    }

    /// Of a new message. `type`, `name`: of the channel.
    fileprivate init(to incidentID: String, _ type: String, _ name: String, at wall: Date, key: String) {
        endsAt = Date(timeIntervalSince1970: (wall + Self.life.inSeconds).timeIntervalSince1970.rounded(.down))
        channel = "\(name) (\(type))"
        let stated = "\(Int64(endsAt.timeIntervalSince1970))~\(type)~\(name)"
        text = "\(stated)~\(Self.signature(of: stated, incidentID, key))"
    }

    /// Reads it from an address, which anybody may have written.
    /// - Throws: `Fault.foreign` unless the key made it for this incident.
    fileprivate init(_ text: String, to incidentID: String, key: String?) throws {
        let parts = text.utf8.count <= Self.longest ? text.split(separator: "~", omittingEmptySubsequences: false) : []
        guard parts.count == 4, let end = Int64(parts[0]), let key else { throw Fault.foreign }
        let wanted = Self.signature(of: parts[..<3].joined(separator: "~"), incidentID, key)
        // Hashed, so that the time of the comparison says nothing of the signature.
        guard Digest.sha256.hash(wanted.utf8) == Digest.sha256.hash(parts[3].utf8) else { throw Fault.foreign }
        self.text = text
        endsAt = Date(timeIntervalSince1970: TimeInterval(end))
        channel = "\(parts[2]) (\(parts[1]))"
    }

    private static func signature(of stated: String, _ incidentID: String, _ key: String) -> String {
        let signed = "acknowledge\n\(incidentID)\n\(stated)"
        return Digest.sha256.authenticationCode(for: signed.utf8, key: key.utf8).prefix(16).hexadecimal
    }

    /// A receiver's answer without the signatures of links: it may quote the message, and ends up in the log and on pages.
    package static func hidden(in answer: String) -> String {
        answer.replacing(/(?:~|%7[Ee])[0-9a-f]{6,32}/, with: "~[hidden]")
    }

    /// Who acts by it: `eva via ops (slack)`.
    func author(_ name: String) -> String { "\(name) via \(channel)" }
}

/// The use of a link.
package struct LinkUse: Sendable {
    let text: String
    let incidentID: String
    let wall: Date
    /// The domain that is silenced by it; nil: it acknowledges.
    let domain: Domain?

    /// `incidentID`: in full.
    package init(_ text: String, incidentID: String, wall: Date, silencing domain: Domain? = nil) {
        self.text = text
        self.incidentID = incidentID
        self.wall = wall
        self.domain = domain
    }

    /// The link, if it still works.
    /// - Throws: `AcknowledgeLink.Fault`.
    fileprivate func link(_ database: Database) throws -> AcknowledgeLink {
        let link = try AcknowledgeLink(text, to: incidentID, key: try Store.meta(Store.linkKey, database))
        if try Bool.fetchOne(database, cached: Self.isUsed, arguments: [text]) == true {
            throw AcknowledgeLink.Fault.used
        }
        guard wall < link.endsAt else { throw AcknowledgeLink.Fault.expired }
        if let domain, try String.fetchOne(database, cached: Self.domain, arguments: [incidentID]) != domain.name {
            throw AcknowledgeLink.Fault.foreign
        }
        return link
    }

    private static let domain = "SELECT domain FROM incident WHERE id = ?"
    private static let isUsed = "SELECT EXISTS (SELECT 1 FROM used_link WHERE link = ?)"

    /// Uses the link up, in the transaction of what it does.
    /// - Throws: `AcknowledgeLink.Fault`.
    func spend(_ database: Database) throws -> AcknowledgeLink {
        let link = try link(database)
        try database.execute(
            cached: "INSERT INTO used_link (link, ends_at) VALUES (?, ?)",
            arguments: [text, link.endsAt.milliseconds])
        return link
    }
}

extension Store {
    /// In `meta`: what signs the links, 32 random bytes in hexadecimal.
    fileprivate static let linkKey = "link_key"

    /// A link that still works.
    /// - Throws: `AcknowledgeLink.Fault`.
    package func link(_ use: LinkUse) async throws -> AcknowledgeLink { try await read { try use.link($0) } }
}

extension ChannelTransaction {
    /// A link for a message about an incident. `type`: of the channel.
    package func link(to incidentID: String, type: String, wall: Date) throws -> AcknowledgeLink {
        let key = try Store.meta(Store.linkKey, database) ?? newKey()
        return AcknowledgeLink(to: incidentID, type, channel, at: wall, key: key)
    }

    private func newKey() throws -> String {
        var random = SystemRandomNumberGenerator()
        let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }.hexadecimal
        try Store.setMeta(Store.linkKey, key, database)
        return key
    }
}
