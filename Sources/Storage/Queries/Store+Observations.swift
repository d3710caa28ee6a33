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

    static func record(_ observation: Observation, _ database: Database) throws {
        let instant = observation.checkedAt.milliseconds
        let facts = observation.storable
        try recordHeaders(of: observation, database)
        if observation.depth == .full {
            try database.execute(
                cached: """
                    INSERT INTO full_look (domain, seen_at, facts) VALUES (?, ?, ?)
                    ON CONFLICT (domain) DO UPDATE SET seen_at = excluded.seen_at, facts = excluded.facts
                    """, arguments: [observation.domain.name, instant, try Stored.encode(facts)])
        }
        if let run = try run(thatGoesOnWith: facts, database) {
            try database.execute(
                cached: "UPDATE observation SET last_at = max(last_at, ?), count = count + 1 WHERE id = ?",
                arguments: [instant, run])
            return
        }
        try database.execute(
            cached: """
                INSERT INTO observation (domain, vantage, depth, first_at, last_at, facts) VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                observation.domain.name, observation.vantage, observation.depth.rawValue, instant, instant,
                try Stored.encode(facts),
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
    private static func run(thatGoesOnWith facts: Observation, _ database: Database) throws -> Int64? {
        func latest(_ depth: Depth) throws -> Row? {
            try Row.fetchOne(
                database,
                cached: """
                    SELECT id, last_at, facts FROM observation WHERE domain = ? AND vantage = ? AND depth = ?
                    ORDER BY id DESC LIMIT 1
                    """, arguments: [facts.domain.name, facts.vantage, depth.rawValue])
        }
        // Facts that cannot be read only end a run; they fail no check.
        func observation(_ row: Row) -> Observation? {
            try? Stored.decode(Observation.self, from: row["facts"], what: "observation")
        }
        guard let own = try latest(facts.depth), let before = observation(own),
            ObservationFingerprint(before) == ObservationFingerprint(facts)
        else { return nil }
        if let other = try latest(facts.depth == .light ? .full : .light),
            (other["last_at"] as Int64) > (own["last_at"] as Int64), let between = observation(other),
            PlainFingerprint(between) != PlainFingerprint(facts)
        {
            return nil
        }
        return own["id"]
    }
}
