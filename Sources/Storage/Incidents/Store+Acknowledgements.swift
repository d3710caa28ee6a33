// Acknowledgements of incidents. Each is a change of its incident like any other: channels' loops follow the counter.

import Evidence
import Foundation
import GRDB
import Monitoring

/// What became of a request to acknowledge an incident, or to end its acknowledgement.
package enum AcknowledgeAnswer: Equatable, Sendable {
    case done(Incident)
    /// No incident has such an id.
    case unknown
    /// Several incidents have an id that begins so; some of them.
    case ambiguous([Incident])
    /// It is resolved, or not confirmed.
    case notFiring(Incident)
    /// There is no acknowledgement to end.
    case notAcknowledged(Incident)

    /// Why nothing was done, in words; nil where it was.
    package var refusal: String? {
        switch self {
        case .done: nil
        case .unknown: "no incident has this id; its first four characters are enough"
        case .ambiguous(let incidents):
            "several incidents have an id that begins so: \(incidents.map(\.reference).joined(separator: "; "))"
        case .notFiring(let incident):
            incident.state == .resolved
                ? "the incident is resolved" : "the incident is not confirmed yet; no message was sent"
        case .notAcknowledged: "the incident is not acknowledged"
        }
    }
}

extension Incident {
    /// Which one it is, for people who have to choose: `3fa9… cdn.stale of example.com, firing since 2026-11-21T07:00:00Z`.
    package var reference: String {
        "\(id) \(kind.rawValue) of \(subjectName), \(state.rawValue) since \(since.rfc3339)"
    }
}

extension Store {
    /// Confirmed incidents that changed after a number, by their numbers.
    package func incidents(changedAfter change: Int64, limit: Int) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records($0, cached: ChannelTransaction.changed, [change, limit]) }
    }

    /// Acknowledges an incident at its present version. A second time only changes who and why.
    ///
    /// `prefix`: the id or its beginning, as long as it fits one incident alone; at least four characters.
    package func acknowledge(prefix: String, _ acknowledgement: Acknowledgement) async throws -> AcknowledgeAnswer {
        try await change(prefix: prefix) { found, number, database in
            try database.execute(
                cached: """
                    UPDATE incident SET ack_by = ?, ack_reason = ?, ack_at = ?, ack_version = version, change = ?
                    WHERE id = ?
                    """,
                arguments: [
                    acknowledgement.by, acknowledgement.reason,
                    // Receivers that know of the acknowledgement know it by its instant.
                    (found.acknowledgement?.at ?? acknowledgement.at).milliseconds, number(), found.incident.id,
                ])
            return .done(found.incident)
        }
    }

    /// Ends an acknowledgement.
    package func unacknowledge(prefix: String) async throws -> AcknowledgeAnswer {
        try await change(prefix: prefix) { found, number, database in
            guard found.acknowledgement != nil else { return .notAcknowledged(found.incident) }
            try database.execute(
                cached: """
                    UPDATE incident SET ack_by = NULL, ack_reason = NULL, ack_at = NULL, ack_version = NULL, change = ?
                    WHERE id = ?
                    """, arguments: [number(), found.incident.id])
            return .done(found.incident)
        }
    }

    /// The acknowledgements in force, by the id of the incident.
    package func acknowledgements() async throws -> [String: Acknowledgement] {
        try await read { database in
            let records = try IncidentRow.records(database, cached: Self.acknowledged)
            let pairs = records.compactMap { record in record.acknowledgement.map { (record.incident.id, $0) } }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    static let acknowledged = """
        \(IncidentRow.select) WHERE i.ack_at > 0 AND i.version > 0 AND i.state <> 'resolved'
        """

    /// Looks for the one incident that is meant, and changes it where it is confirmed and not resolved.
    private func change(
        prefix: String,
        _ body: @escaping @Sendable (IncidentRecord, _ number: () throws -> Int64, Database) throws -> AcknowledgeAnswer
    ) async throws -> AcknowledgeAnswer {
        let prefix = prefix.lowercased()
        guard prefix.utf8.count >= 4, prefix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return .unknown
        }
        return try await write { database in
            let found = try IncidentRow.records(database, cached: Self.byPrefix, ["prefix": prefix])
            // An unresolved incident wins over resolved ones.
            let open = found.filter { $0.incident.state != .resolved }
            let meant = open.isEmpty ? found : open
            guard let record = meant.first else { return .unknown }
            guard meant.count == 1 else { return .ambiguous(meant.map(\.incident)) }
            guard record.incident.state == .firing || record.incident.state == .recovering else {
                return .notFiring(record.incident)
            }
            return try body(record, { try IncidentRow.nextChange(database) }, database)
        }
    }

    /// Ids are letters and digits, so all that begin with the prefix are below the prefix with a tilde.
    static let byPrefix = """
        \(IncidentRow.select) WHERE i.id >= :prefix AND i.id < :prefix || '~'
        ORDER BY i.state = 'resolved', i.opened_at DESC LIMIT 6
        """
}
