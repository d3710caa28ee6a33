// What happened: runs of observations, and bodies.

import Evidence
import Foundation
import GRDB

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
