// How long Apple's CDN took for earlier changes, from the stored observations.

import Evidence
import Foundation
import GRDB

extension Store {
    /// Seconds from the first check that saw a change at the origin to the first one that saw Apple's CDN serve the
    /// same bytes, oldest change first. A change that was overtaken by the next one is not in it. Exact to the interval
    /// of the checks; reaches back as far as observations are kept, over `maximumRuns` runs of equal checks at most.
    package func propagationTimes(of domain: Domain) async throws -> [TimeInterval] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT facts, first_at FROM
                    (SELECT id, facts, first_at FROM observation WHERE domain = ? AND vantage = 'local'
                     ORDER BY id DESC LIMIT ?) ORDER BY id
                    """,
                arguments: [domain.name, Self.maximumRuns])
            var times = PropagationTimes()
            for row in rows {
                let observation = try Stored.decode(
                    Observation.self, from: row["facts"], what: "observation of \(domain)")
                times.note(observation, at: Date(milliseconds: row["first_at"]))
            }
            return times.seconds
        }
    }

    private static let maximumRuns = 2000
}
