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
            try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name])
                .map { try Self.state($0, of: domain.name) }
        }
    }

    /// What a domain without a state begins with. It may have been watched before, and its incidents of then are stored
    /// still, or known to receivers: their numbers are not given again.
    package func firstState(of domain: Domain) async throws -> DomainState {
        try await read { DomainState(domain: domain, begun: try Self.begunAndForgotten($0)) }
    }

    /// Every domain that has a state, by name.
    package func domains() async throws -> [DomainSummary] {
        try await read { database in
            try Row.fetchAll(database, cached: Self.overview).map { row in
                let state = try Self.state(row, of: row["name"])
                return DomainSummary(
                    domain: state.domain, state: state,
                    unchangedSince: (row["first_at"] as Int64?).map(Date.init(milliseconds:)),
                    lastObservedAt: (row["last_at"] as Int64?).map(Date.init(milliseconds:)))
            }
        }
    }

    /// The one transaction of a check: observation, state, incidents and messages, all or nothing.
    package func commit(_ check: CheckRecord) async throws {
        do {
            try await write { database in
                if let observation = check.observation { try Self.record(observation, database) }
                try Self.record(check.state, database)
                for incident in check.incidents { try Self.record(incident, database) }
                for incident in check.dropped {
                    try database.execute(cached: "DELETE FROM incident WHERE id = ?", arguments: [incident.id])
                }
                for draft in check.outbox { try self.owe(draft, database) }
                for id in check.withheld {
                    try Self.withhold(id, at: check.state.lastCheckedAt ?? .distantPast, database)
                }
                for id in check.reawakened {
                    try Self.reawaken(id, at: check.state.lastCheckedAt ?? .distantPast, database)
                }
            }
        } catch {
            if check.observation != nil { healthRecord.lostCheck() }
            throw error
        }
    }

    /// Removes the state of a domain that is watched no longer. Its incidents and observations age out by themselves.
    package func forget(_ domain: Domain) async throws {
        try await write { database in
            let row = try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name])
            if let begun = try row.map({ try Self.state($0, of: domain.name).begun }) {
                // One number for all domains, since it is not worth a row for each that ever was.
                try database.execute(
                    cached: """
                        INSERT INTO meta (name, value) VALUES ('incidents_forgotten', ?)
                        ON CONFLICT (name) DO UPDATE SET value = excluded.value
                        """, arguments: [String(max(begun, try Self.begunAndForgotten(database)))])
            }
            try database.execute(cached: "DELETE FROM domain WHERE name = ?", arguments: [domain.name])
            try database.execute(cached: "DELETE FROM full_look WHERE domain = ?", arguments: [domain.name])
        }
    }

    // MARK: - Within a transaction

    /// The most incidents that a domain had which was then forgotten.
    private static func begunAndForgotten(_ database: Database) throws -> Int {
        let stored = try String.fetchOne(database, cached: "SELECT value FROM meta WHERE name = 'incidents_forgotten'")
        return stored.flatMap(Int.init) ?? 0
    }
}
