// Silences. They begin and end by the wall clock.

import Foundation
import GRDB
import Monitoring

extension Store {
    /// Ended silences are kept this long, for those who ask why nobody was notified.
    package static let keepSilences = Duration.seconds(90 * 86400)

    /// Stores a silence and gives it its id.
    package func add(_ request: Silence) async throws -> Silence {
        // Rounded up it would begin a moment later, and one that was just made would be said to begin in future.
        let nearest = request.startsAt.milliseconds
        let start = Date(milliseconds: nearest) > request.startsAt ? nearest - 1 : nearest
        return try await write(isDurable: true) { database in
            try database.execute(
                cached: """
                    INSERT INTO silence (scope, starts_at, ends_at, author, reason) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    try Stored.encode(request.scope), start, request.endsAt.milliseconds,
                    request.author, request.reason,
                ])
            var silence = request
            silence.id = String(database.lastInsertedRowID)
            silence.startsAt = Date(milliseconds: start)
            silence.endsAt = Date(milliseconds: request.endsAt.milliseconds)
            return silence
        }
    }

    /// Ends a silence now; one that has ended stays as it is. Returns the silence, or nil where none has the id.
    package func endSilence(id: String, now: Date) async throws -> Silence? {
        guard let number = Int64(id) else { return nil }
        let instant = now.milliseconds
        return try await write(isDurable: true) { database in
            // One that has not begun yet never begins.
            try database.execute(
                cached:
                    "UPDATE silence SET starts_at = min(starts_at, :now), ends_at = :now WHERE id = :id AND ends_at > :now",
                arguments: ["now": instant, "id": number])
            return try Row.fetchOne(database, cached: "SELECT * FROM silence WHERE id = ?", arguments: [number])
                .map(Self.silence)
        }
    }

    /// Silences that are active or begin later, by their end.
    package func silences(notOverAt now: Date) async throws -> [Silence] {
        try await read { database in
            try Row.fetchAll(
                database, cached: "SELECT * FROM silence WHERE ends_at > ? ORDER BY ends_at, id",
                arguments: [now.milliseconds]
            ).map(Self.silence)
        }
    }

    private static func silence(_ row: Row) throws -> Silence {
        let id: Int64 = row["id"]
        return Silence(
            id: String(id), scope: try Stored.decode(SilenceScope.self, from: row["scope"], what: "silence \(id)"),
            startsAt: Date(milliseconds: row["starts_at"]), endsAt: Date(milliseconds: row["ends_at"]),
            author: row["author"], reason: row["reason"])
    }
}
