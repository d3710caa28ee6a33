// Storing what a check saw: as a run, by depth, and the newest full check by itself.

import Evidence
import Foundation
import GRDB
import Monitoring

/// A row of checks that all saw the same facts.
package struct ObservationRun: Equatable, Sendable {
    /// The first check of the run, without bodies; `Store.body(_:)` has those.
    package let observation: Observation
    package let lastAt: Date
    /// Checks in the run, at least 1.
    package let count: Int

    package var firstAt: Date { observation.checkedAt }
}

extension Store {
    /// The newest full check of a domain, with the bodies that are kept of it; nil before the first.
    package func lastFullLook(of domain: Domain) async throws -> Observation? {
        try await read { database in
            let data = try Data.fetchOne(
                database, cached: "SELECT facts FROM last_full_check WHERE domain = ?", arguments: [domain.name])
            guard let data else { return nil }
            var observation = try Stored.decode(Observation.self, from: data, what: "full check of \(domain)")
            let copies = [observation.origin, observation.cdn.retrieval].compactMap(\.self)
            for copy in copies + (observation.full?.copies ?? []) {
                guard let hash = copy.answer?.body.hash, observation.contents[hash] == nil else { continue }
                observation.contents[hash] = try Data.fetchOne(
                    database, cached: "SELECT bytes FROM body WHERE sha256 = ?", arguments: [hash.hex])
            }
            return observation
        }
    }

    static func record(_ facts: StoredFacts, _ database: Database) throws {
        let observation = facts.observation
        let instant = observation.checkedAt.milliseconds
        if observation.depth == .full {
            try database.execute(
                cached: """
                    INSERT INTO last_full_check (domain, facts) VALUES (?, ?)
                    ON CONFLICT (domain) DO UPDATE SET facts = excluded.facts
                    """, arguments: [observation.domain.name, try facts.encoded()])
        }
        let latest = try LatestRuns(of: observation, database)
        var times = latest.times
        times.note(observation)
        if let run = latest.run(thatGoesOnWith: facts) {
            try database.execute(
                cached: "UPDATE observation SET last_at = max(last_at, ?), count = count + 1, times = ? WHERE id = ?",
                arguments: [instant, times.bytes, run])
            return
        }
        try database.execute(
            cached: """
                INSERT INTO observation (domain, vantage, depth, first_at, last_at, plain, steady, times, facts)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                observation.domain.name, observation.vantage, observation.depth.rawValue, instant, instant,
                facts.plain.hex, facts.steady.hex, times.bytes, try facts.encoded(),
            ])
        let id = database.lastInsertedRowID
        for (hash, bytes) in observation.storableBodies {
            try database.execute(
                cached: "INSERT INTO body (sha256, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING",
                arguments: [hash.hex, bytes])
            try database.execute(
                cached: "INSERT INTO observation_body (observation_id, sha256) VALUES (?, ?)",
                arguments: [id, hash.hex])
        }
    }

    /// How fast a domain answered over the last day; nil before its first check.
    package func responseTimes(of domain: Domain) async throws -> ResponseTimes? {
        try await read { try LatestRuns(of: domain, vantage: Observation.ownVantage, .light, $0).newestTimes }
    }

    static let latestRun = """
        SELECT id, last_at, plain, steady, times FROM observation WHERE domain = ? AND vantage = ? AND depth = ?
        ORDER BY id DESC LIMIT 1
        """
}

/// The latest run of each depth. Light and full checks alternate, each in a run of its own, so that an unchanged domain has two
/// rows however long it is watched.
struct LatestRuns {
    private let own: Row?
    private let other: Row?

    init(of observation: Observation, _ database: Database) throws {
        try self.init(of: observation.domain, vantage: observation.vantage, observation.depth, database)
    }

    init(of domain: Domain, vantage: String, _ depth: Depth, _ database: Database) throws {
        func latest(_ depth: Depth) throws -> Row? {
            try Row.fetchOne(
                database, cached: Store.latestRun, arguments: [domain.name, vantage, depth.rawValue])
        }
        own = try latest(depth)
        other = try latest(depth == .light ? .full : .light)
    }

    private var isOtherNewer: Bool {
        guard let other, let own else { return own == nil }
        return (other["last_at"] as Int64) > (own["last_at"] as Int64)
    }

    /// Those of the last check of any depth.
    var newestTimes: ResponseTimes? {
        (isOtherNewer ? other : own).flatMap { ResponseTimes(bytes: $0["times"]) }
    }

    var times: ResponseTimes { newestTimes ?? ResponseTimes() }

    /// Nothing goes on with the runs of a domain that is no longer watched.
    static func end(of domain: Domain, _ database: Database) throws {
        try database.execute(cached: ending, arguments: [domain.name])
    }

    static let ending = """
        UPDATE observation SET plain = NULL, steady = NULL WHERE id IN (
            SELECT max(id) FROM observation WHERE domain = ? GROUP BY vantage, depth)
        """

    /// The latest run of the same depth, where it saw the same and nothing else was seen since: where a check of the other depth
    /// saw something else in between, the run ends, and what comes back is news.
    func run(thatGoesOnWith facts: StoredFacts) -> Int64? {
        guard let own, own["steady"] as String? == facts.steady.hex else { return nil }
        if isOtherNewer, let other, other["plain"] as String? != facts.plain.hex { return nil }
        return own["id"]
    }
}

// MARK: - What happened: runs of observations, and bodies.

extension Store {
    /// Runs of checks of a domain, the one that began last first.
    package func observations(of domain: Domain, limit: Int) async throws -> [ObservationRun] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT facts, last_at, count FROM observation WHERE domain = ?
                    ORDER BY first_at DESC, id DESC LIMIT ?
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
            try Data.fetchOne(database, cached: "SELECT bytes FROM body WHERE sha256 = ?", arguments: [hash.hex])
        }
    }
}
