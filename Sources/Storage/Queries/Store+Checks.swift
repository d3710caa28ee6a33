// Writing a check down, and reading the state that the next one starts from.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Bodies beyond this are remembered by hash and size only. Apple refuses a file over 128 KiB.
    package static let maximumBodyBytes = 256 * 1024

    /// What the monitor remembers of a domain; nil before its first check.
    package func state(of domain: Domain) async throws -> DomainState? {
        try await read { database in
            let data = try Data.fetchOne(
                database, sql: "SELECT state FROM domain WHERE name = ?", arguments: [domain.name])
            return try data.map { try Stored.decode(DomainState.self, from: $0, what: "state of \(domain)") }
        }
    }

    /// Every domain that has a state, by name.
    package func domains() async throws -> [DomainSummary] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT d.name, d.state, o.first_at, o.last_at FROM domain d
                    LEFT JOIN observation o
                    ON o.id = (SELECT id FROM observation WHERE domain = d.name ORDER BY last_at DESC, id DESC LIMIT 1)
                    ORDER BY d.name
                    """)
            return try rows.map { row in
                let name: String = row["name"]
                let state = try Stored.decode(DomainState.self, from: row["state"], what: "state of \(name)")
                return DomainSummary(
                    domain: state.domain, state: state,
                    unchangedSince: (row["first_at"] as Int64?).map(Date.init(milliseconds:)),
                    lastObservedAt: (row["last_at"] as Int64?).map(Date.init(milliseconds:)))
            }
        }
    }

    /// The one transaction of a check: observation, state, incidents and messages, all or nothing.
    package func commit(_ check: CheckRecord) async throws {
        try await write { database in
            if let observation = check.observation { try Self.record(observation, database) }
            try Self.record(check.state, database)
            for incident in check.incidents { try Self.record(incident, database) }
            for incident in check.dropped {
                try database.execute(sql: "DELETE FROM incident WHERE id = ?", arguments: [incident.id])
            }
            for draft in check.outbox { try Self.enqueue(draft, database) }
        }
    }

    /// Removes the state of a domain that is watched no longer. Its incidents and observations age out by themselves.
    package func forget(_ domain: Domain) async throws {
        try await write { database in
            try database.execute(sql: "DELETE FROM domain WHERE name = ?", arguments: [domain.name])
        }
    }

    private static func record(_ state: DomainState, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO domain (name, state, last_checked_at) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET state = excluded.state, last_checked_at = excluded.last_checked_at
                """,
            arguments: [state.domain.name, try Stored.encode(state), state.lastCheckedAt?.milliseconds])
    }

    private static func record(_ observation: Observation, _ database: Database) throws {
        let instant = observation.checkedAt.milliseconds
        let latest = try Row.fetchOne(
            database,
            sql: "SELECT id, facts FROM observation WHERE domain = ? AND vantage = ? ORDER BY id DESC LIMIT 1",
            arguments: [observation.domain.name, observation.vantage])
        if let latest,
            // Facts that another version wrote and this one cannot read only end a run; they fail no check.
            let before = try? Stored.decode(Observation.self, from: latest["facts"], what: "observation"),
            SteadyFacts(before) == SteadyFacts(observation)
        {
            let id: Int64 = latest["id"]
            try database.execute(
                sql: "UPDATE observation SET last_at = max(last_at, ?), count = count + 1 WHERE id = ?",
                arguments: [instant, id])
            return
        }
        try database.execute(
            sql: "INSERT INTO observation (domain, vantage, first_at, last_at, facts) VALUES (?, ?, ?, ?, ?)",
            arguments: [
                observation.domain.name, observation.vantage, instant, instant, try Stored.encode(observation),
            ])
        let id = database.lastInsertedRowID
        for (hash, bytes) in observation.contents where bytes.count <= maximumBodyBytes {
            try database.execute(
                sql: "INSERT INTO body (sha256, bytes, size, first_seen) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [hash.hex, bytes, bytes.count, instant])
            try database.execute(
                sql: "INSERT INTO observation_body (observation_id, sha256) VALUES (?, ?)", arguments: [id, hash.hex])
        }
    }
}
