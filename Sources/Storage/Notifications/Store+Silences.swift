// Silences. They start and end by the wall clock.

import Foundation
import GRDB
import Monitoring

extension Store {
    /// Ended silences stay this long, so that people can find out why no notification was sent.
    package static let keepSilences = Duration.seconds(90 * 86400)

    /// Stores a silence and gives it its id.
    /// `link`: the link of a message; it is used up.
    /// - Throws: `AcknowledgeLink.Fault`.
    package func add(_ request: Silence, by link: LinkUse? = nil) async throws -> Silence {
        // Round down: rounded up, a silence that starts now would start in the future.
        let nearest = request.startsAt.milliseconds
        let start = Date(milliseconds: nearest) > request.startsAt ? nearest - 1 : nearest
        return try await write(isDurable: true) { database in
            var silence = request
            if let link { silence.author = try link.spend(database).author(request.author) }
            try database.execute(
                cached: """
                    INSERT INTO silence (scope, starts_at, ends_at, author, reason) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    try Stored.encode(request.scope), start, request.endsAt.milliseconds,
                    silence.author, request.reason,
                ])
            silence.id = String(database.lastInsertedRowID)
            silence.startsAt = Date(milliseconds: start)
            silence.endsAt = Date(milliseconds: request.endsAt.milliseconds)
            return silence
        }
    }

    /// Expires an active or future silence; an ended one stays as it is. Returns nil if no silence has this id.
    package func endSilence(id: String, now: Date) async throws -> Silence? {
        guard let number = Int64(id) else { return nil }
        let instant = now.milliseconds
        return try await write(isDurable: true) { database in
            // A silence that has not started never does.
            try database.execute(
                cached:
                    "UPDATE silence SET starts_at = min(starts_at, :now), ends_at = :now WHERE id = :id AND ends_at > :now",
                arguments: ["now": instant, "id": number])
            return try Row.fetchOne(database, cached: "SELECT * FROM silence WHERE id = ?", arguments: [number])
                .map(Self.silence)
        }
    }

    /// Active and future silences, by their end.
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
