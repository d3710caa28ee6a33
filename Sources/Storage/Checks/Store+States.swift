// The state of a domain in two parts: the whole as it was some time ago, and the instant of the last check that left it as it
// was. The kilobytes are written again only where more than instants changed.

import Evidence
import Foundation
import GRDB
import Monitoring
import Synchronization

extension Store {
    private static let allStates = "SELECT name, format, state, unchanged_at FROM domain WHERE state IS NOT NULL"
    static let stateOfDomain = "\(allStates) AND name = ?"
    static let statesByName = "\(allStates) ORDER BY name"

    /// What the monitor remembers of a domain; nil before its first check, and where the stored state cannot be read.
    ///
    /// - Throws: `StoreError` with `newerState` for a state of a newer version.
    package func state(of domain: Domain) async throws -> DomainState? {
        let decoded = try await read { database in
            try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name]).map(Self.decode)
        }
        if case .failure(let state) = decoded { await report([state]) }
        return try? decoded?.get()
    }

    /// What the monitor remembers of some domains, each read by itself; those without a readable state are left out.
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

    /// What a domain without a readable state begins with. What the store holds as confirmed and unresolved goes on.
    /// The domain may have been watched before, and numbers of its incidents of that time are not given again.
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

    /// The state of every domain that has a readable one, by name.
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

    /// Of every domain that has a readable state what a global evaluation needs.
    ///
    /// - Throws: `StoreError` with `newerState` for a state of a newer version.
    package func domainHealths() async throws -> [DomainHealth] {
        try await read { database in
            var healths: [DomainHealth] = []
            // One after the other: together they may be hundreds of megabytes.
            let rows = try Row.fetchCursor(database.cachedStatement(sql: Self.allStates))
            while let row = try rows.next() {
                let name: String = row["name"]
                try Self.checkFormat(row["format"], of: name)
                // Who reads it in whole reports one that cannot be read.
                guard
                    var health = try? Stored.decode(DomainHealth.self, from: row["state"], what: "state of \(name)")
                else { continue }
                if let last = Self.unchangedAt(row) { health.checkedAt = last }
                healths.append(health)
            }
            return healths
        }
    }

    /// Every domain that was watched and is not forgotten, whether it was checked or not.
    package func domainNames() async throws -> [Domain] {
        try await read { try String.fetchAll($0, cached: Self.namesOfDomains) }.compactMap { try? Domain($0) }
    }

    static let namesOfDomains = """
        SELECT name FROM domain UNION SELECT domain FROM incident INDEXED BY incident_unresolved
        WHERE version > 0 AND state <> 'resolved' AND domain <> ''
        """

    /// Removes the state of a domain that was removed from the configuration. Its incidents and versions age out, and none of them
    /// goes on where the domain comes back.
    package func forget(_ domain: Domain) async throws {
        try await write { database in
            let row = try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [domain.name])
            if let row, case .success(let state) = try Self.decode(row) {
                // One number for all domains: a row for each that ever was would not be worth it.
                let begun = max(state.begun, try Self.begunAndForgotten(database))
                try Self.setMeta("incidents_forgotten", String(begun), database)
            }
            try VersionIntervalRow.end(domain, database)
            try database.execute(cached: "DELETE FROM domain WHERE name = ?", arguments: [domain.name])
            try database.execute(cached: "DELETE FROM last_full_check WHERE domain = ?", arguments: [domain.name])
        }
    }

    /// The latest instant that the store knows, so that a clock which begins here does not go back over a restart; nil
    /// for an empty store.
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

    /// From a row with `name`, `format`, `state` and `unchanged_at`.
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
            throw StoreError.newerState(of: what, format: format, supported: DomainState.formatVersion)
        }
    }

    /// The last check that left the state of this row as it was but for instants.
    private static func unchangedAt(_ row: Row) -> Date? {
        (row["unchanged_at"] as Double?).map(Date.init(timeIntervalSinceReferenceDate:))
    }

    /// The most incidents that a domain had which was then forgotten.
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
// A stored state that cannot be decoded is reported, and begun anew: the next check writes over it. All others go on.

/// A stored state that could not be decoded.
package struct UnreadableState: Error, Equatable, Sendable {
    /// The domain; empty for the global state.
    package let name: String
    /// What is wrong, in a sentence for the log.
    package let error: String

    static let global = ""
}

/// Where unreadable states are reported, each domain once.
struct UnreadableReports {
    var handler: (@Sendable (UnreadableState) -> Void)?
    private var reported: Set<String> = []

    mutating func isNews(_ state: UnreadableState) -> Bool { reported.insert(state.name).inserted }
}

extension Store {
    /// Names who logs states that cannot be read. It is called once for each domain.
    package func onUnreadableState(_ handler: @escaping @Sendable (UnreadableState) -> Void) {
        unreadable.withLock { $0.handler = handler }
    }

    /// Reports the states. The monitor also drops what was never confirmed: nobody remembers that any more.
    func report(_ states: [UnreadableState]) async {
        for state in states {
            guard let handler = unreadable.withLock({ $0.isNews(state) ? $0.handler : nil }) else { continue }
            handler(state)
            guard isMonitor else { continue }
            _ = try? await write { database in
                try database.execute(
                    cached: "DELETE FROM incident WHERE domain = ? AND version = 0 AND state = 'pending'",
                    arguments: [state.name])
            }
        }
    }
}
