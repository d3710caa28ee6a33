// Growth has a bound: old rows go, in steps small enough that no check waits long for the writer.

import Foundation
import GRDB

extension Store {
    /// Settled messages and resolved incidents are the trail of what happened and are kept this long.
    package static let keepMessages = Duration.seconds(30 * 86400)
    package static let keepIncidents = Duration.seconds(2 * 365 * 86400)
    /// A site that answers differently each time would else fill the disk well within its term.
    package static let maximumRunsPerDomain = 1000
    private static let step = 200

    /// Removes observations last seen before `keepObservations`, bodies that none of the rest names, and what is settled
    /// for long. The latest observation of a domain stays, however old. Stops between steps when cancelled.
    package func prune(now: Date, keepObservations: Duration) async throws {
        let latest = "SELECT max(id) FROM observation GROUP BY domain, vantage"
        try await inSteps(
            """
            DELETE FROM observation WHERE id IN (
                SELECT id FROM observation WHERE last_at < ? AND id NOT IN (\(latest)) LIMIT \(Self.step))
            """, [(now - keepObservations.timeInterval).milliseconds])
        try await inSteps(
            """
            DELETE FROM observation WHERE id IN (
                SELECT id FROM (
                    SELECT id, row_number() OVER (PARTITION BY domain, vantage ORDER BY id DESC) AS age FROM observation)
                WHERE age > ? LIMIT \(Self.step))
            """, [Int64(Self.maximumRunsPerDomain)])
        try await inSteps(
            """
            DELETE FROM body WHERE sha256 IN (
                SELECT sha256 FROM body b
                WHERE NOT EXISTS (SELECT 1 FROM observation_body l WHERE l.sha256 = b.sha256) LIMIT \(Self.step))
            """, [])
        try await inSteps(
            "DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE settled_at < ? LIMIT \(Self.step))",
            [(now - Self.keepMessages.timeInterval).milliseconds])
        try await inSteps(
            """
            DELETE FROM incident WHERE id IN (
                SELECT id FROM incident WHERE state = 'resolved' AND resolved_at < ? LIMIT \(Self.step))
            """, [(now - Self.keepIncidents.timeInterval).milliseconds])
    }

    private func inSteps(_ statement: String, _ arguments: [Int64]) async throws {
        while !Task.isCancelled {
            let removed = try await write { database in
                try database.execute(sql: statement, arguments: StatementArguments(arguments))
                return database.changesCount
            }
            if removed < Self.step { return }
            await Task.yield()
        }
    }
}
