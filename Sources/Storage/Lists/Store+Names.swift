// Finds what people refer to: an incident by a prefix of its id, a channel or a domain by its name. An unknown name is
// an error, not an empty list, because it may be misspelt.

import Evidence
import Foundation
import GRDB
import Monitoring

/// A name that matches nothing, or several things.
package struct UnknownName: Error, Equatable, CustomStringConvertible {
    /// A sentence for people, without the full stop.
    package let description: String

    package init(_ description: String) { self.description = description }
}

extension Incident {
    /// Identifies it for people: `3fa9… cdn.stale of example.com, firing since 2026-11-21T07:00:00Z`.
    package var reference: String {
        "\(id) \(kind.rawValue) of \(subjectName), \(state.rawValue) since \(since.rfc3339)"
    }
}

extension Store {
    /// A shorter prefix would match too many incidents.
    private static let shortestPrefix = 4

    /// The incident with this id or prefix. If several match, the only unresolved one.
    /// - Throws: `UnknownName` if no incident matches, or several do.
    package func incident(named name: String) async throws -> IncidentRecord {
        try await read { try Self.incident(named: name, $0) }
    }

    static func incident(named name: String, _ database: Database) throws -> IncidentRecord {
        let prefix = name.lowercased()
        let shown = name.displayable.shortened(to: 80)
        if let whole = try IncidentRow.record(name, database) ?? IncidentRow.record(prefix, database) { return whole }
        guard prefix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "-" }) else {
            throw UnknownName("'\(shown)' is not the id of an incident")
        }
        guard prefix.utf8.count >= shortestPrefix else {
            throw UnknownName("'\(shown)' is too short for an incident's id; give at least the first four characters")
        }
        let found = try IncidentRow.records(database, cached: incidentsByPrefix, ["prefix": prefix])
        let open = found.filter { $0.incident.state != .resolved }
        let meant = open.isEmpty ? found : open
        guard let first = meant.first else { throw UnknownName("no incident has an id that begins with '\(shown)'") }
        guard meant.count == 1 else {
            let references = meant.map(\.incident.reference).joined(separator: "; ")
            throw UnknownName("several incidents have an id that begins with '\(shown)': \(references)")
        }
        return first
    }

    /// Ids contain letters, digits and hyphens, which all sort before the tilde.
    private static let incidentsByPrefix = """
        \(IncidentRow.select) WHERE i.id >= :prefix AND i.id < :prefix || '~'
        ORDER BY i.state = 'resolved', i.opened_at DESC LIMIT 6
        """

    /// Deliveries, newest first, filtered by channel, incident id prefix, or domain; nil: any.
    /// - Throws: `UnknownName` for names that the store does not know.
    package func deliveries(
        ofChannel channel: String?, incidentNamed name: String?, domain: Domain?, after: DeliveryPlace? = nil,
        limit: Int
    ) async throws -> [DeliveryRecord] {
        let id = try await read { database in try name.map { try Self.incident(named: $0, database).incident.id } }
        let records = try await deliveries(channel: channel, incident: id, domain: domain, after: after, limit: limit)
        guard records.isEmpty else { return records }
        return try await read { database in
            if let channel { try Self.check(channel: channel, database) }
            if let domain { try Self.check(domain, database) }
            return []
        }
    }

    private static func check(channel: String, _ database: Database) throws {
        let known = try String.fetchAll(database, cached: "SELECT name FROM channel UNION SELECT channel FROM delivery")
        guard !known.contains(channel) else { return }
        let list = known.isEmpty ? "" : "; known: \(known.sorted().map { $0.displayable }.joined(separator: ", "))"
        throw UnknownName("no channel is named '\(channel.displayable.shortened(to: 80))'\(list)")
    }

    /// - Throws: `UnknownName` for a domain that is not watched and about which the store has nothing.
    package func check(_ domain: Domain) async throws { try await read { try Self.check(domain, $0) } }

    private static func check(_ domain: Domain, _ database: Database) throws {
        let isKnown = try Bool.fetchOne(database, cached: isKnownDomain, arguments: ["name": domain.name]) ?? false
        guard isKnown else { throw UnknownName("\(domain) is not watched here") }
    }

    static let isKnownDomain = """
        SELECT EXISTS (SELECT 1 FROM domain WHERE name = :name AND (watched = 1 OR state IS NOT NULL))
            OR EXISTS (SELECT 1 FROM incident WHERE domain = :name)
        """

    /// One message, by the number of one of its deliveries or by a prefix of its key.
    /// - Throws: `UnknownName` if no message matches, or several do.
    package func message(named name: String) async throws -> SentMessage {
        try await read { database in
            let shown = name.displayable.shortened(to: 80)
            let keys = try Self.keys(ofMessage: name, database)
            if keys.count == 1, let message = try Self.sentMessage(key: keys[0].key, database) { return message }
            guard keys.count < 2 else {
                let list = keys.map(\.line).joined(separator: "; ")
                throw UnknownName("several messages have a key that begins with '\(shown)': \(list)")
            }
            guard let record = try? Self.incident(named: name, database) else {
                throw UnknownName("no delivery is named '\(shown)'")
            }
            throw UnknownName(
                "'\(shown)' is the incident \(record.incident.id.prefix(12)); `deliveries list --incident` lists its "
                    + "messages")
        }
    }

    /// A name of digits is first tried as a delivery's number, because the list shows those, and then as a key.
    private static func keys(ofMessage name: String, _ database: Database) throws -> [(key: String, line: String)] {
        if let id = SentMessage.number(name),
            let key = try String.fetchOne(
                database, cached: "SELECT key FROM delivery WHERE id = ?", arguments: [id])
        {
            return [(key, "")]
        }
        guard SentMessage.isKey(name) else { return [] }
        return try Row.fetchAll(database, cached: messagesByKey, arguments: ["prefix": name.lowercased()]).map { row in
            let at = Date(milliseconds: row["at"]).rfc3339
            return (row["key"], "\(row["key"] as String) to \((row["channel"] as String).displayable) at \(at)")
        }
    }

    private static let messagesByKey = """
        SELECT key, channel, at FROM message_log WHERE key >= :prefix AND key < :prefix || '~' ORDER BY at DESC LIMIT 6
        """
}
