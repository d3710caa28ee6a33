// The store keeps the state of a domain in two parts: the document, and the instant of the last check that changed
// only instants. So the store writes the kilobytes of the document only if something else changed.

import Evidence
import Foundation
import GRDB
import Monitoring
import Synchronization

extension Store {
    private static let allStates = "SELECT name, format, state, unchanged_at FROM domain WHERE state IS NOT NULL"
    static let stateOfDomain = "\(allStates) AND name = ?"
    static let statesByName = "\(allStates) ORDER BY name"

    /// The state of a domain; nil before its first check, or if the stored state cannot be read.
    ///
    /// - Throws: `StoreError` with `newerState` for a state of a newer version.
    package func state(of domain: Domain) async throws -> DomainState? {
        let decoded = try await read { database in
            try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name]).map(Self.decode)
        }
        if case .failure(let state) = decoded { await report([state]) }
        return try? decoded?.get()
    }

    /// The states of these domains, each read separately. Leaves out domains without a readable state.
    ///
    /// - Throws: as `state(of:)`.
    package func states(of domains: [Domain]) async throws -> [Domain: DomainState] {
        try await read { database in
            var states: [Domain: DomainState] = [:]
            for domain in domains {
                let row = try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name])
                let decoded = try row.map(Self.decode)
                states[domain] = try? decoded?.get()
            }
            return states
        }
    }

    /// The initial state of a domain without a readable one. It takes over the confirmed, unresolved incidents.
    /// The domain may have been watched before: new incidents never reuse a number from that time.
    package func firstState(of domain: Domain) async throws -> DomainState {
        try await read { database in
            var state = DomainState(domain: domain, begun: try Self.begunAndForgotten(database))
            for record in try IncidentRow.records(database, cached: Self.unresolvedOfDomain, [domain.name]) {
                guard record.incident.kind != .change else {
                    state.change = record.incident
                    continue
                }
                state.open[record.incident.kind] = TrackedIncident(incident: record.incident)
            }
            return state
        }
    }

    static let unresolvedOfDomain = "\(IncidentRow.select) WHERE i.domain = ? AND \(IncidentRow.isUnresolved)"

    /// All readable states, by domain name.
    ///
    /// - Throws: `StoreError` with `newerState` for a state of a newer version.
    package func states() async throws -> [DomainState] {
        let (states, unreadable) = try await read { database in
            var states: [DomainState] = []
            var unreadable: [UnreadableState] = []
            for row in try Row.fetchAll(database, cached: Self.statesByName) {
                switch try Self.decode(row) {
                case .failure(let state): unreadable.append(state)
                case .success(let state): states.append(state)
                }
            }
            return (states, unreadable)
        }
        await report(unreadable)
        return states
    }

    /// What a global evaluation needs from each domain with a readable state.
    ///
    /// - Throws: `StoreError` with `newerState` for a state of a newer version.
    package func domainHealths() async throws -> [DomainHealth] {
        try await read { database in
            var healths: [DomainHealth] = []
            // A cursor, because all documents together may be hundreds of megabytes.
            let rows = try Row.fetchCursor(database.cachedStatement(sql: Self.allStates))
            while let row = try rows.next() {
                let name: String = row["name"]
                try Self.checkFormat(row["format"], of: name)
                // `states()` and `state(of:)` report unreadable states.
                guard
                    var health = try? Stored.decode(DomainHealth.self, from: row["state"], what: "state of \(name)")
                else { continue }
                if let last = Self.unchangedAt(row) { health.checkedAt = last }
                healths.append(health)
            }
            return healths
        }
    }

    /// Every domain that has a row or an unresolved incident, checked or not.
    package func domainNames() async throws -> [Domain] {
        try await read { try String.fetchAll($0, cached: Self.namesOfDomains) }.compactMap { try? Domain($0) }
    }

    static let namesOfDomains = """
        SELECT name FROM domain UNION SELECT domain FROM incident INDEXED BY incident_unresolved
        WHERE version > 0 AND state <> 'resolved' AND domain <> ''
        """

    /// Removes the state of a domain that left the configuration. Its incidents and versions stay until retention
    /// removes them. They do not continue if the domain comes back.
    package func forget(_ domain: Domain) async throws {
        try await write { database in
            let row = try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name])
            if let row, case .success(let state) = try Self.decode(row) {
                // One number for all domains, because a row for each removed domain would have to stay forever.
                let begun = max(state.begun, try Self.begunAndForgotten(database))
                try Self.setMeta("incidents_forgotten", String(begun), database)
            }
            try VersionIntervalRow.end(domain, database)
            try database.execute(cached: "DELETE FROM domain WHERE name = ?", arguments: [domain.name])
            try database.execute(cached: "DELETE FROM last_full_check WHERE domain = ?", arguments: [domain.name])
        }
    }

    /// The latest instant in the store; nil if the store is empty. The steady clock starts there, so that it never
    /// goes back over a restart.
    package func lastInstant() async throws -> Date? {
        try await read { try Int64.fetchOne($0, cached: Self.latestInstant).map(Date.init(milliseconds:)) }
    }

    private static let latestInstant = """
        SELECT max(at) FROM (
            SELECT max(last_checked_at) AS at FROM domain UNION ALL SELECT max(at) FROM delivery
            UNION ALL SELECT max(at) FROM message_log UNION ALL SELECT max(created_at) FROM message
            UNION ALL SELECT max(ack_at) FROM incident WHERE ack_at IS NOT NULL
            UNION ALL SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'present_at')
        """

    // MARK: - Within a transaction

    /// Decodes a row with `name`, `format`, `state` and `unchanged_at`.
    static func decode(_ row: Row) throws -> Result<DomainState, UnreadableState> {
        let name: String = row["name"]
        try checkFormat(row["format"], of: name)
        do {
            let state = try Stored.decode(DomainState.self, from: row["state"], what: "state of \(name)")
            return .success(unchangedAt(row).map(state.unchanged) ?? state)
        } catch let fault as StoreError {
            return .failure(UnreadableState(name: name, error: fault.message))
        }
    }

    static func checkFormat(_ format: Int, of what: String) throws {
        guard format <= DomainState.formatVersion else {
            throw StoreError.newerState(of: what, format: format)
        }
    }

    /// The last check that changed only instants; nil if the newest check wrote the whole state.
    private static func unchangedAt(_ row: Row) -> Date? {
        (row["unchanged_at"] as Double?).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The highest incident count of all forgotten domains.
    private static func begunAndForgotten(_ database: Database) throws -> Int {
        try meta("incidents_forgotten", database).flatMap(Int.init) ?? 0
    }

    static func meta(_ name: String, _ database: Database) throws -> String? {
        try String.fetchOne(database, cached: "SELECT value FROM meta WHERE name = ?", arguments: [name])
    }

    static func setMeta(_ name: String, _ value: String, _ database: Database) throws {
        try database.execute(
            cached: """
                INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [name, value])
    }
}

// MARK: - Unreadable states
// A state that cannot be decoded is reported, and the next check overwrites it. All other domains go on.

package struct UnreadableState: Error, Equatable, Sendable {
    /// The name of the domain; empty for the global state.
    package let name: String
    /// The fault, in a sentence for the log.
    package let error: String

    static let global = ""
}

/// Reports each unreadable state once per domain.
struct UnreadableReports {
    var handler: (@Sendable (UnreadableState) -> Void)?
    private var reported: Set<String> = []

    mutating func isNews(_ state: UnreadableState) -> Bool { reported.insert(state.name).inserted }
}

extension Store {
    /// Sets the handler for unreadable states. The store calls it once per domain.
    package func onUnreadableState(_ handler: @escaping @Sendable (UnreadableState) -> Void) {
        unreadable.withLock { $0.handler = handler }
    }

    /// Reports the states. The monitor also deletes their pending incidents, because no state tracks these any more.
    func report(_ states: [UnreadableState]) async {
        for state in states {
            if let handler = unreadable.withLock({ $0.isNews(state) ? $0.handler : nil }) { handler(state) }
            guard isMonitor else { continue }
            _ = try? await write { database in
                try database.execute(
                    cached: "DELETE FROM incident WHERE domain = ? AND version = 0 AND state = 'pending'",
                    arguments: [state.name])
            }
        }
    }
}
