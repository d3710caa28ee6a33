// Storing what a check saw: as a run, by depth, and the newest full check by itself.

import Evidence
import Foundation
import GRDB

extension Store {
    /// The newest full check of a domain, with the bodies that are kept of it; nil before the first.
    package func lastFullLook(of domain: Domain) async throws -> Observation? {
        try await read { database in
            let data = try Data.fetchOne(
                database, cached: "SELECT facts FROM full_look WHERE domain = ?", arguments: [domain.name])
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
        try recordHeaders(of: observation, database)
        if observation.depth == .full {
            try database.execute(
                cached: """
                    INSERT INTO full_look (domain, seen_at, facts) VALUES (?, ?, ?)
                    ON CONFLICT (domain) DO UPDATE SET seen_at = excluded.seen_at, facts = excluded.facts
                    """, arguments: [observation.domain.name, instant, try facts.encoded()])
        }
        if let run = try run(thatGoesOnWith: facts, database) {
            try database.execute(
                cached: "UPDATE observation SET last_at = max(last_at, ?), count = count + 1 WHERE id = ?",
                arguments: [instant, run])
            return
        }
        try database.execute(
            cached: """
                INSERT INTO observation (domain, vantage, depth, first_at, last_at, plain, steady, facts)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                observation.domain.name, observation.vantage, observation.depth.rawValue, instant, instant,
                facts.plain.hex, facts.steady.hex, try facts.encoded(),
            ])
        let id = database.lastInsertedRowID
        for (hash, bytes) in observation.storableBodies {
            try database.execute(
                cached: "INSERT INTO body (sha256, bytes, size, first_seen) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [hash.hex, bytes, bytes.count, instant])
            try database.execute(
                cached: "INSERT INTO observation_body (observation_id, sha256) VALUES (?, ?)",
                arguments: [id, hash.hex])
        }
    }

    /// The latest run of the same depth, where it saw the same and nothing else was seen since.
    ///
    /// Light and full checks alternate, each in a run of its own, so that an unchanged domain has two rows however long
    /// it is watched. Where a check of the other depth saw something else in between, the run ends: what comes back is
    /// news.
    private static func run(thatGoesOnWith facts: StoredFacts, _ database: Database) throws -> Int64? {
        let observation = facts.observation
        func latest(_ depth: Depth) throws -> Row? {
            try Row.fetchOne(
                database, cached: latestRun,
                arguments: [observation.domain.name, observation.vantage, depth.rawValue])
        }
        guard let own = try latest(observation.depth), own["steady"] == facts.steady.hex else { return nil }
        if let other = try latest(observation.depth == .light ? .full : .light),
            (other["last_at"] as Int64) > (own["last_at"] as Int64), other["plain"] != facts.plain.hex
        {
            return nil
        }
        return own["id"]
    }

    static let latestRun = """
        SELECT id, last_at, plain, steady FROM observation WHERE domain = ? AND vantage = ? AND depth = ?
        ORDER BY id DESC LIMIT 1
        """
}
