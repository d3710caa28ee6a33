// The link in a message with which a reader acknowledges the incident, or silences its domain. It gives no access: the
// page of the incident still asks for the login. The signature proves which channel got the message. The store ensures
// that the link works only once.

import Evidence
import Foundation
import GRDB
import Hashing
import Monitoring

package struct AcknowledgeLink: Equatable, Sendable {
    /// `1795849200~slack~ops~3fa9…`: its end, the channel's type and name, the signature. Needs no escaping in a URL.
    package let text: String
    /// By the wall clock.
    package let endsAt: Date
    /// The channel that the message went to: `ops (slack)`.
    package let channel: String

    /// Each reminder has a new link.
    package static let life = Duration.seconds(7 * 86400)
    /// A channel's name has at most 64 characters.
    private static let longest = 200

    /// Why a link does nothing, for the person who followed it.
    package enum Fault: String, Error, CustomStringConvertible {
        case used = "This link was already used. It works only once."
        case expired = "This link has expired. Links work for 7 days."
        case foreign = "This monitor did not send this link for this incident, or a part of the link is missing."

        package var description: String { rawValue }
    }

    /// A link for a new message. `type`, `name`: those of the channel.
    fileprivate init(to incidentID: String, _ type: String, _ name: String, at wall: Date, key: String) {
        endsAt = Date(timeIntervalSince1970: (wall + Self.life.inSeconds).timeIntervalSince1970.rounded(.down))
        channel = "\(name) (\(type))"
        let stated = "\(Int64(endsAt.timeIntervalSince1970))~\(type)~\(name)"
        text = "\(stated)~\(Self.signature(of: stated, incidentID, key))"
    }

    /// Reads a link from a URL, which anybody may have written.
    /// - Throws: `Fault.foreign` unless the key made it for this incident.
    fileprivate init(_ text: String, to incidentID: String, key: String?) throws {
        let parts = text.utf8.count <= Self.longest ? text.split(separator: "~", omittingEmptySubsequences: false) : []
        guard parts.count == 4, let end = Int64(parts[0]), let key else { throw Fault.foreign }
        let wanted = Self.signature(of: parts[..<3].joined(separator: "~"), incidentID, key)
        // Compares hashes, so that the duration reveals nothing about the signature.
        guard Digest.sha256.hash(wanted.utf8) == Digest.sha256.hash(parts[3].utf8) else { throw Fault.foreign }
        self.text = text
        endsAt = Date(timeIntervalSince1970: TimeInterval(end))
        channel = "\(parts[2]) (\(parts[1]))"
    }

    private static func signature(of stated: String, _ incidentID: String, _ key: String) -> String {
        let signed = "acknowledge\n\(incidentID)\n\(stated)"
        return Digest.sha256.authenticationCode(for: signed.utf8, key: key.utf8).prefix(16).hexadecimal
    }

    /// Removes the signatures of links from a receiver's answer. It may quote the message, and the log and pages show it.
    package static func hidden(in answer: String) -> String {
        answer.replacing(/(?:~|%7[Ee])[0-9a-f]{6,32}/, with: "~[hidden]")
    }

    /// Who acts through it: `eva via ops (slack)`.
    func author(_ name: String) -> String { "\(name) via \(channel)" }
}

/// The use of a link.
package struct LinkUse: Sendable {
    let text: String
    let incidentID: String
    let wall: Date
    /// The domain that the link silences; nil: it acknowledges.
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

    /// Marks the link as used, in the same transaction as its effect.
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
    /// In `meta`: the key that signs the links, 32 random bytes in hexadecimal.
    fileprivate static let linkKey = "link_key"

    /// A link that still works.
    /// - Throws: `AcknowledgeLink.Fault`.
    package func link(_ use: LinkUse) async throws -> AcknowledgeLink { try await read { try use.link($0) } }
}

extension ChannelTransaction {
    /// A link for a message about an incident. `type`: that of the channel.
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
