// How long the past of the propagation picture is kept.

import Foundation
import GRDB

extension Store {
    /// What each place served when is kept this long, and no more changes than these.
    package static let keepPropagation = Duration.seconds(400 * 86400)
    package static let maximumStretches = 500
    static let keepCounts = Duration.seconds(8 * 86400)

    func prunePropagation(now: Date) async throws {
        let before = (now - Self.keepPropagation.timeInterval).milliseconds
        let crowded = try await read { database in
            try Row.fetchAll(database, sql: Self.crowdedPlaces, arguments: ["before": before])
                .map { (domain: $0["domain"] as String, place: $0["place"] as String, until: $0["until"] as Int64) }
        }
        for place in crowded {
            guard !Task.isCancelled else { return }
            try await write { database in
                try database.execute(
                    cached: "DELETE FROM stretch WHERE domain = ? AND place = ? AND at < ?",
                    arguments: [place.domain, place.place, place.until])
            }
        }
        try await remove(
            "version", "id", Self.agedVersions, ["before": (now - 86400).milliseconds],
            // The origin may serve it again in the meantime.
            unless: "EXISTS (SELECT 1 FROM stretch s WHERE s.domain = version.domain AND s.version = version.id)")
        try await remove(
            "brief_count_at", "minute", "SELECT minute FROM brief_count_at WHERE minute < :before",
            ["before": (now - Self.keepCounts.timeInterval).milliseconds / 60_000])
        try await remove("pause", "began", "SELECT began FROM pause WHERE ended < :before", ["before": before])
    }

    /// Each place keeps its latest row, whatever its age.
    static let crowdedPlaces = """
        SELECT domain, place, max(CASE WHEN next < :before THEN next ELSE until END) AS until FROM (
            SELECT domain, place, at AS until, row_number() OVER (PARTITION BY domain, place ORDER BY at DESC) AS age,
                lead(at) OVER (PARTITION BY domain, place ORDER BY at) AS next
            FROM stretch)
        WHERE (age = \(maximumStretches) AND next IS NOT NULL) OR (next IS NOT NULL AND next < :before)
        GROUP BY domain, place
        """
    /// A day old, and of no stretch: an origin that changes with each answer makes many. The newest keeps the numbering.
    static let agedVersions = """
        SELECT id FROM version v WHERE first_at < :before
        AND number < (SELECT max(number) FROM version n WHERE n.domain = v.domain)
        AND NOT EXISTS (SELECT 1 FROM stretch s WHERE s.domain = v.domain AND s.version = v.id)
        """
}
