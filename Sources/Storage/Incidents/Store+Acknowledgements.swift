// Acknowledgements of incidents. Each one is a change with a change number, which the channels' loops follow.

import Evidence
import Foundation
import GRDB
import Monitoring

/// The result of a request to acknowledge or unacknowledge an incident.
package enum AcknowledgeAnswer: Equatable, Sendable {
    case done(Incident)
    /// The incident is resolved, or not confirmed.
    case notFiring(Incident)
    /// There is no acknowledgement to end.
    case notAcknowledged(Incident)

    /// Why nothing was done, in words; nil if it was done.
    package var refusal: String? {
        switch self {
        case .done: nil
        case .notFiring(let incident):
            incident.state == .resolved
                ? "the incident is resolved" : "the incident is not confirmed yet; no message was sent"
        case .notAcknowledged: "the incident is not acknowledged"
        }
    }
}

extension Store {
    /// Acknowledges an incident at its current version. A repetition keeps the time of the first one.
    ///
    /// `name`: as in `incident(named:)`.
    /// `link`: the link of a message; it is used up.
    /// - Throws: `UnknownName` if no incident matches, or several do; `AcknowledgeLink.Fault`.
    package func acknowledge(
        named name: String, _ acknowledgement: Acknowledgement, by link: LinkUse? = nil
    ) async throws -> AcknowledgeAnswer {
        try await change(named: name) { found, database in
            let by = try link?.spend(database).author(acknowledgement.by) ?? acknowledgement.by
            // Receivers identify an acknowledgement by its time, so a repetition keeps it.
            let at = found.acknowledgement?.at ?? acknowledgement.at
            try database.execute(
                cached: """
                    UPDATE incident SET ack_by = ?, ack_reason = ?, ack_at = ?, ack_version = version, change = ?
                    WHERE id = ?
                    """,
                arguments: [
                    by, acknowledgement.reason, at.milliseconds,
                    try IncidentRow.nextChange(database), found.incident.id,
                ])
            return .done(found.incident)
        }
    }

    /// Ends an acknowledgement.
    /// - Throws: `UnknownName` if no incident matches, or several do.
    package func unacknowledge(named name: String) async throws -> AcknowledgeAnswer {
        try await change(named: name) { found, database in
            guard found.acknowledgement != nil else { return .notAcknowledged(found.incident) }
            try database.execute(
                cached: """
                    UPDATE incident SET ack_by = NULL, ack_reason = NULL, ack_at = NULL, ack_version = NULL, change = ?
                    WHERE id = ?
                    """, arguments: [try IncidentRow.nextChange(database), found.incident.id])
            return .done(found.incident)
        }
    }

    private func change(
        named name: String, _ body: @escaping @Sendable (IncidentRecord, Database) throws -> AcknowledgeAnswer
    ) async throws -> AcknowledgeAnswer {
        try await write(isDurable: true) { database in
            let record = try Self.incident(named: name, database)
            guard record.incident.state == .firing || record.incident.state == .recovering else {
                return .notFiring(record.incident)
            }
            return try body(record, database)
        }
    }

    /// The current acknowledgements, by incident id.
    package func acknowledgements() async throws -> [String: Acknowledgement] {
        try await read { database in
            let records = try IncidentRow.records(database, cached: Self.acknowledged)
            let pairs = records.compactMap { record in record.acknowledgement.map { (record.incident.id, $0) } }
            return Dictionary(pairs) { first, _ in first }
        }
    }

    private static let acknowledged = """
        \(IncidentRow.select) WHERE i.ack_at > 0 AND i.version > 0 AND i.state <> 'resolved'
        """
}
