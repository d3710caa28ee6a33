// What is in the store, read with plain SQL through a connection of its own: the audit does not believe the code that it
// audits.

import Evidence
import Foundation
import GRDB
import Monitoring

struct AuditedRow: Equatable {
    let id: Int64
    let key: String
    let incident: String
    let channel: String
    let type: String
    let sequence: Int
    /// The key of the message that it shares with others.
    let digest: String?
    var state: String
    var attempts: Int
    let createdAt: Int64
    let expiresAt: Int64
    var settledAt: Int64?
    /// An attempt ended without a clear answer, as the sender has it.
    var mayHaveArrived: Bool

    init(_ row: Row) {
        id = row["id"]
        key = row["message_key"]
        incident = row["incident_id"]
        channel = row["channel"]
        type = row["type"]
        sequence = row["sequence"]
        digest = row["digest"]
        mayHaveArrived = row["receipt"] == 2
        state = row["state"]
        attempts = row["attempts"]
        createdAt = row["created_at"]
        expiresAt = row["expires_at"]
        settledAt = row["settled_at"]
    }

    var isOpen: Bool { state == "queued" || state == "leased" }
    var isEnd: Bool { type == "incident.resolved" }
    /// What must be unique and stay.
    var identity: String { "\(incident) \(channel) \(type) \(sequence)" }
}

struct StoreReading {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func close() throws { try queue.close() }

    private static let columns = """
        id, message_key, incident_id, channel, type, sequence, digest, receipt, state, attempts, created_at,
        expires_at, settled_at
        """

    /// Rows that are new, or were still open at the last reading.
    func rows(newerThan id: Int64, or open: [Int64]) throws -> [AuditedRow] {
        try queue.read { database in
            let list = open.map(String.init).joined(separator: ",")
            return try Row.fetchAll(
                database, sql: "SELECT \(Self.columns) FROM outbox WHERE id > ? OR id IN (\(list)) ORDER BY id",
                arguments: [id]
            ).map(AuditedRow.init)
        }
    }

    /// The messages that a channel's sender has in its hands, with the bytes that it is to send.
    func leased(channel: String, owner: String) throws -> [(row: AuditedRow, frozen: Data?)] {
        try queue.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT \(Self.columns), frozen FROM outbox WHERE channel = ? AND state = 'leased' AND lease_owner = ?
                    ORDER BY id
                    """, arguments: [channel, owner]
            ).map { (AuditedRow($0), $0["frozen"] as Data?) }
        }
    }

    func withheld() throws -> Set<String> {
        try queue.read { try Set(String.fetchAll($0, sql: "SELECT incident_id FROM withheld")) }
    }

    /// What is remembered of all sites together, and all incidents of the fleet, by id.
    func fleet() throws -> (state: FleetState?, incidents: [String: Incident]) {
        try queue.read { database in
            let state = try Data.fetchOne(database, sql: "SELECT state FROM fleet WHERE id = 1")
                .map { try JSONDecoder().decode(FleetState.self, from: $0) }
            let rows = try Row.fetchAll(
                database, sql: "SELECT id, kind, state, sequence, opened_at FROM incident WHERE domain = ''")
            let incidents: [Incident] = rows.compactMap { row in
                guard let kind = IncidentKind(rawValue: row["kind"]), let state = Incident.State(rawValue: row["state"])
                else { return nil }
                let opened = Date(timeIntervalSince1970: Double(row["opened_at"] as Int64) / 1000)
                return Incident(
                    id: row["id"], domain: nil, kind: kind, severity: .error, state: state, since: opened,
                    openedAt: opened, sequence: row["sequence"])
            }
            return (state, Dictionary(incidents.map { ($0.id, $0) }) { first, _ in first })
        }
    }

    /// Ids of the incidents that somebody has in hand.
    func inHand() throws -> Set<String> {
        try queue.read { try Set(String.fetchAll($0, sql: "SELECT incident_id FROM acknowledgement")) }
    }

    /// Ids of all that is still there.
    func ids() throws -> Set<Int64> { try queue.read { try Set(Int64.fetchAll($0, sql: "SELECT id FROM outbox")) } }
}
