// Incidents that somebody has taken in hand.

import Evidence
import Foundation
import GRDB
import Monitoring

/// What became of the wish to take an incident in hand.
package enum AcknowledgeAnswer: Equatable, Sendable {
    case done(Incident)
    /// No incident has such an id.
    case unknown
    /// The beginning of the id is that of several; some of them.
    case ambiguous([String])
    /// There is nothing to take in hand: it is over, or not confirmed.
    case notFiring(Incident)

    /// Why nothing was done, in words; nil where it was.
    package var refusal: String? {
        switch self {
        case .done: nil
        case .unknown: "no incident has this id; four characters of its beginning are enough"
        case .ambiguous(let ids):
            "several incidents have an id that begins so: \(ids.map { String($0.prefix(12)) }.joined(separator: ", "))"
        case .notFiring(let incident):
            incident.state == .resolved
                ? "the incident is over" : "the incident is not confirmed yet; nobody was told of it"
        }
    }
}

extension Store {
    /// Takes an incident in hand, and owes the word of it to whoever keeps it open elsewhere. A second time only changes who
    /// and why.
    ///
    /// `prefix`: the id or its beginning, as far as that is of one incident alone; at least four characters.
    package func acknowledge(prefix: String, _ acknowledgement: Acknowledgement) async throws -> AcknowledgeAnswer {
        let prefix = prefix.lowercased()
        guard prefix.utf8.count >= 4, prefix.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            return .unknown
        }
        return try await write { database in
            // What is over comes last: a beginning that fits an open incident means that one.
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT * FROM incident WHERE substr(id, 1, length(:prefix)) = :prefix
                    ORDER BY state = 'resolved', opened_at DESC LIMIT 6
                    """, arguments: ["prefix": prefix])
            let found = try rows.map(Self.incident)
            let open = found.filter { $0.state != .resolved }
            let meant = open.isEmpty ? found : open
            guard let incident = meant.first else { return .unknown }
            guard meant.count == 1 else { return .ambiguous(meant.map(\.id)) }
            guard incident.state == .firing || incident.state == .recovering else { return .notFiring(incident) }
            let isNews = try !Self.isInHand(incident.id, database)
            try database.execute(
                cached: """
                    INSERT INTO acknowledgement (incident_id, at, author, reason) VALUES (?, ?, ?, ?)
                    ON CONFLICT (incident_id) DO UPDATE SET author = excluded.author, reason = excluded.reason
                    """,
                arguments: [
                    incident.id, acknowledgement.at.milliseconds, acknowledgement.by, acknowledgement.reason,
                ])
            try Self.takeBackCalls(about: incident.id, at: acknowledgement.at, database)
            if isNews { try Self.tellOfHand(incident, at: acknowledgement.at, database) }
            return .done(incident)
        }
    }

    /// The incidents in hand that are not over, by id.
    package func acknowledgements() async throws -> [String: Acknowledgement] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT a.* FROM acknowledgement a CROSS JOIN incident i ON i.id = a.incident_id
                    WHERE i.state <> 'resolved'
                    """)
            let pairs = rows.map { row in
                (
                    row["incident_id"] as String,
                    Acknowledgement(
                        by: row["author"], reason: row["reason"], at: Date(milliseconds: row["at"]))
                )
            }
            return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
    }

    // MARK: - Within a transaction

    /// What is graver than it was, or is back, is in nobody's hand any more; nor is anybody told so who was not yet.
    static func reawaken(_ incidentID: String, at now: Date, _ database: Database) throws {
        try database.execute(cached: "DELETE FROM acknowledgement WHERE incident_id = ?", arguments: [incidentID])
        try database.execute(
            cached: """
                UPDATE outbox SET state = 'superseded', settled_at = ?
                WHERE incident_id = ? AND state = 'queued' AND type = ?
                """, arguments: [now.milliseconds, incidentID, EventType.acknowledged.rawValue])
    }
}
