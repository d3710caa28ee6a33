// What happened: runs of observations, bodies and incidents.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Runs of checks of a domain, newest first.
    package func observations(of domain: Domain, limit: Int) async throws -> [ObservationRun] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT facts, last_at, count FROM observation WHERE domain = ?
                    ORDER BY last_at DESC, id DESC LIMIT ?
                    """,
                arguments: [domain.name, max(0, limit)])
            return try rows.map { row in
                ObservationRun(
                    observation: try Stored.decode(
                        Observation.self, from: row["facts"], what: "observation of \(domain)"),
                    lastAt: Date(milliseconds: row["last_at"]), count: row["count"])
            }
        }
    }

    /// A body by its hash; nil where it was too large to keep or has aged out.
    package func body(_ hash: ContentHash) async throws -> Data? {
        try await read { database in
            try Data.fetchOne(database, sql: "SELECT bytes FROM body WHERE sha256 = ?", arguments: [hash.hex])
        }
    }

    /// Incidents, newest first, pending ones included.
    /// `domain`: nil for all domains.
    package func incidents(domain: Domain?, limit: Int) async throws -> [Incident] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM incident WHERE :domain IS NULL OR domain = :domain
                    ORDER BY opened_at DESC, id LIMIT :limit
                    """,
                arguments: ["domain": domain?.name, "limit": max(0, limit)])
            return try rows.map(Self.incident)
        }
    }

    /// One incident by its id.
    package func incident(id: String) async throws -> Incident? {
        try await read { database in
            try Row.fetchOne(database, sql: "SELECT * FROM incident WHERE id = ?", arguments: [id]).map(Self.incident)
        }
    }

    static func record(_ incident: Incident, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO incident (id, domain, kind, severity, state, since, opened_at, fired_at, resolved_at, reason,
                    sequence, next_reminder_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET severity = excluded.severity, state = excluded.state,
                    since = excluded.since, opened_at = excluded.opened_at, fired_at = excluded.fired_at,
                    resolved_at = excluded.resolved_at, reason = excluded.reason, sequence = excluded.sequence,
                    next_reminder_at = excluded.next_reminder_at
                """,
            arguments: [
                incident.id, incident.domain.name, incident.kind.rawValue, incident.severity.rawValue,
                incident.state.rawValue, incident.since.milliseconds, incident.openedAt.milliseconds,
                incident.firedAt?.milliseconds, incident.resolvedAt?.milliseconds, incident.reason?.rawValue,
                incident.sequence, incident.nextReminderAt?.milliseconds,
            ])
    }

    private static func incident(_ row: Row) throws -> Incident {
        let id: String = row["id"]
        guard let domain = try? Domain(row["domain"]), let kind = IncidentKind(rawValue: row["kind"]),
            let severity = Severity(rawValue: row["severity"]), let state = Incident.State(rawValue: row["state"])
        else {
            throw StoreError(
                code: .corrupt, message: "the stored incident \(id) cannot be read; another version may have written it"
            )
        }
        func instant(_ column: String) -> Date? { (row[column] as Int64?).map(Date.init(milliseconds:)) }
        return Incident(
            id: id, domain: domain, kind: kind, severity: severity, state: state,
            since: Date(milliseconds: row["since"]), openedAt: Date(milliseconds: row["opened_at"]),
            firedAt: instant("fired_at"), resolvedAt: instant("resolved_at"),
            reason: (row["reason"] as String?).flatMap(Incident.Resolution.init(rawValue:)),
            sequence: row["sequence"], nextReminderAt: instant("next_reminder_at"))
    }
}
