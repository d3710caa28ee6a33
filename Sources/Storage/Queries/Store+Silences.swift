// Silences, and the incidents about which a message was withheld.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Ended silences are kept this long, for those who ask why nobody was told.
    package static let keepSilences = Duration.seconds(90 * 86400)

    /// Writes a silence down and gives it its id.
    package func add(_ request: SilenceRequest, now: Date) async throws -> Silence {
        try await write { database in
            try database.execute(
                cached: """
                    INSERT INTO silence (scope, starts_at, ends_at, author, reason, created_at) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    try Stored.encode(request.scope), request.startsAt.milliseconds, request.endsAt.milliseconds,
                    request.author, request.reason, now.milliseconds,
                ])
            return Silence(
                id: String(database.lastInsertedRowID), scope: request.scope,
                startsAt: Date(milliseconds: request.startsAt.milliseconds),
                endsAt: Date(milliseconds: request.endsAt.milliseconds), author: request.author, reason: request.reason)
        }
    }

    /// Ends a silence now; one that is over already stays as it is.
    /// Returns the silence, or nil where none has the id.
    package func endSilence(id: String, now: Date) async throws -> Silence? {
        guard let number = Int64(id) else { return nil }
        let instant = now.milliseconds
        return try await write { database in
            // One that has not begun yet never will.
            try database.execute(
                cached:
                    "UPDATE silence SET starts_at = min(starts_at, :now), ends_at = :now WHERE id = :id AND ends_at > :now",
                arguments: ["now": instant, "id": number])
            return try Row.fetchOne(database, cached: "SELECT * FROM silence WHERE id = ?", arguments: [number])
                .map(Self.silence)
        }
    }

    /// Silences that are active, or will be, by their end.
    package func silences(notOverAt now: Date) async throws -> [Silence] {
        try await read { database in
            try Row.fetchAll(
                database, cached: "SELECT * FROM silence WHERE ends_at > ? ORDER BY ends_at, id",
                arguments: [now.milliseconds]
            ).map(Self.silence)
        }
    }

    /// Incidents about which something was withheld and not yet made good.
    package func withheldIncidents() async throws -> [Incident] {
        try await read { database in
            try Row.fetchAll(
                database,
                cached: "SELECT i.* FROM withheld w JOIN incident i ON i.id = w.incident_id ORDER BY w.since, i.id"
            ).map(Self.incident)
        }
    }

    /// Makes good what was withheld about an incident of a domain: `drafts` says from the present state which messages would
    /// be owed, and those go into the outbox whose condition holds, in the one transaction that forgets the withholding. A
    /// crash before it changes nothing, one after it repeats nothing.
    ///
    /// `drafts` gets the incident and what is remembered of its domain (nil: it is watched no longer). nil from it: it is
    /// not yet clear how the incident stands, and the withholding stays.
    /// Returns how many messages are owed now.
    package func makeGood(
        incidentID: String, _ drafts: @escaping @Sendable (Incident, DomainState?) throws -> [OutboxDraft]?
    ) async throws -> Int {
        try await settleWithheld(incidentID) { incident, database in
            let name = incident.domain?.name ?? Self.noDomain
            let state = try Row.fetchOne(database, cached: Self.stateOfDomain, arguments: [name])
                .map { try Self.state($0, of: name) }
            return try drafts(incident, state)
        }
    }

    /// As `makeGood`, for an incident of the fleet. `drafts` gets what is remembered of the fleet.
    package func makeGoodOfFleet(
        incidentID: String, _ drafts: @escaping @Sendable (Incident, FleetState?) throws -> [OutboxDraft]?
    ) async throws -> Int {
        try await settleWithheld(incidentID) { incident, database in
            try drafts(incident, try Self.fleetState(database))
        }
    }

    private func settleWithheld(
        _ incidentID: String, _ drafts: @escaping @Sendable (Incident, Database) throws -> [OutboxDraft]?
    ) async throws -> Int {
        try await write { database in
            let isWithheld = try Bool.fetchOne(
                database, cached: "SELECT EXISTS (SELECT 1 FROM withheld WHERE incident_id = ?)",
                arguments: [incidentID])
            guard isWithheld == true else { return 0 }
            var owed = 0
            let row = try Row.fetchOne(database, cached: "SELECT * FROM incident WHERE id = ?", arguments: [incidentID])
            if let row {
                guard let drafts = try drafts(try Self.incident(row), database) else { return 0 }
                for var draft in drafts {
                    let before = database.totalChangesCount
                    try Self.useOwnKey(&draft, database)
                    try self.owe(draft, database)
                    owed += database.totalChangesCount > before ? 1 : 0
                }
            }
            try database.execute(cached: "DELETE FROM withheld WHERE incident_id = ?", arguments: [incidentID])
            return owed
        }
    }

    // MARK: - Within a transaction

    /// A channel that was disabled may have let the message of the beginning expire: it still has the key, and this one is
    /// another.
    private static func useOwnKey(_ draft: inout OutboxDraft, _ database: Database) throws {
        let isTaken = try Bool.fetchOne(
            database, cached: "SELECT EXISTS (SELECT 1 FROM outbox WHERE message_key = ?)",
            arguments: [draft.messageKey])
        let isOfBefore = draft.condition == .always || draft.condition == .isToldOfTrouble
        guard !isOfBefore, isTaken == true else { return }
        draft.messageKey = ContentHash(of: "\(draft.messageKey)\n\(draft.createdAt.milliseconds)".utf8).hex
    }

    static func withhold(_ incidentID: String, at now: Date, _ database: Database) throws {
        try database.execute(
            cached: "INSERT INTO withheld (incident_id, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
            arguments: [incidentID, now.milliseconds])
    }

    /// What a channel knows of an incident once its open messages are delivered: of those that were delivered or may yet
    /// be, the latest row counts. One that was given up, by hand or not, counts where its attempts had no clear end: the
    /// receiver may have it. That somebody has it in hand says nothing of the trouble itself.
    ///
    /// `isCertain`: leaves out what the receiver may have, and may as well not have.
    static func lastRowTold(
        channel: String, incidentID: String, isCertain: Bool = false, _ database: Database
    ) throws -> Row? {
        try Row.fetchOne(
            database,
            cached: """
                SELECT type, severity, facts FROM outbox
                WHERE incident_id = ? AND channel = ? AND type <> 'incident.acknowledged'
                AND (state IN ('queued', 'leased', 'delivered')
                    OR NOT ? AND state IN ('expired', 'dead', 'dropped') AND receipt = 2)
                ORDER BY sequence DESC, id DESC LIMIT 1
                """, arguments: [incidentID, channel, isCertain])
    }

    private static func silence(_ row: Row) throws -> Silence {
        let id: Int64 = row["id"]
        return Silence(
            id: String(id), scope: try Stored.decode(SilenceScope.self, from: row["scope"], what: "silence \(id)"),
            startsAt: Date(milliseconds: row["starts_at"]), endsAt: Date(milliseconds: row["ends_at"]),
            author: row["author"], reason: row["reason"])
    }
}
