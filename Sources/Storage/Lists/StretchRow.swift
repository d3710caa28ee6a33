// Which version each place served when: rows are written where a place serves something else than at the check before.

import Evidence
import Foundation
import GRDB
import Monitoring

enum StretchRow {
    static let noFile: Int64 = 0
    static let noAnswer: Int64 = -1
    /// Places of one domain that are remembered. A CDN hands out other addresses from time to time.
    static let maximumPlaces = 64

    /// `before`: when the domain was last checked, at any depth and in full.
    /// Returns the number of the version that the origin serves, and since when; nil where it serves none.
    static func record(
        _ places: [PlaceReading], of domain: Domain, at now: Date, before: (check: Date?, full: Date?),
        _ database: Database
    ) throws -> (version: Int64, at: Int64)? {
        guard !places.isEmpty else { return nil }
        let rows = try Row.fetchAll(database, cached: latest, arguments: [domain.name])
        let known = Dictionary(rows.map { ($0["place"] as String, $0) }) { first, _ in first }
        var origin: (version: Int64, at: Int64)?
        var added = 0
        for reading in places {
            let version = try version(of: reading, domain, at: now, database)
            let place = reading.place.name
            var since = now.milliseconds
            if let row = known[place], row["version"] == version {
                since = row["at"]
            } else if known[place] != nil || known.count + added < maximumPlaces {
                let last = reading.place == .origin ? before.check : before.full ?? before.check
                try database.execute(
                    cached: """
                        INSERT INTO stretch (domain, place, at, after, version) VALUES (?, ?, ?, ?, ?)
                        ON CONFLICT (domain, place, at) DO UPDATE SET version = excluded.version
                        """,
                    arguments: [
                        domain.name, place, since, known[place] == nil ? nil : last?.milliseconds, version,
                    ])
                if known[place] == nil { added += 1 }
            }
            guard reading.place == .origin, version > 0 else { continue }
            let number = try Int64.fetchOne(
                database, cached: "SELECT number FROM version WHERE id = ?", arguments: [version])
            if let number { origin = (number, since) }
        }
        return origin
    }

    /// SQLite takes the other columns from the row that has the maximum.
    /// https://www.sqlite.org/lang_select.html#bareagg
    static let latest = "SELECT place, version, max(at) AS at FROM stretch WHERE domain = ? GROUP BY place"

    private static func version(
        of reading: PlaceReading, _ domain: Domain, at now: Date, _ database: Database
    ) throws -> Int64 {
        guard case .version(let meaning, let content) = reading.served else {
            return reading.served == .noFile ? noFile : noAnswer
        }
        let isOrigin = reading.place == .origin
        let row = try Row.fetchOne(
            database, cached: "SELECT id, number FROM version WHERE domain = ? AND meaning = ?",
            arguments: [domain.name, meaning.hex])
        if let row, !isOrigin || row["number"] as Int64? != nil { return row["id"] }
        try database.execute(
            cached: """
                INSERT INTO version (domain, meaning, content, number, first_at)
                VALUES (?1, ?2, ?3,
                    CASE WHEN ?4 THEN (SELECT coalesce(max(number), 0) + 1 FROM version WHERE domain = ?1) END, ?5)
                ON CONFLICT (domain, meaning) DO UPDATE SET number = excluded.number, content = excluded.content
                """, arguments: [domain.name, meaning.hex, content.hex, isOrigin, now.milliseconds])
        return try Int64.fetchOne(
            database, cached: "SELECT id FROM version WHERE domain = ? AND meaning = ?",
            arguments: [domain.name, meaning.hex]) ?? noAnswer
    }
}
