// The data of the propagation chart and of the history bar.

import Evidence
import Foundation
import GRDB
import Monitoring

/// Which version of a domain's file each place served, and when.
package struct PropagationRecord: Equatable, Sendable {
    package var versions: [Int64: Version] = [:]
    /// By place, oldest first. The first interval of a place may begin before the window.
    package var places: [PlaceReading.Place: [VersionInterval]] = [:]
    /// Periods without a running monitor, oldest first.
    package var pauses: [ClosedRange<Date>] = []
    /// When the origin changed to another version, oldest first.
    package var changes: [Date] = []

    package static let empty = PropagationRecord()

    package struct Version: Equatable, Sendable {
        /// Counts up in the order in which the origin first served them; nil: only edges served it.
        package var number: Int?
        package var content: ContentHash
        package var meaning: ContentHash
    }

    package struct VersionInterval: Equatable, Sendable {
        package var at: Date
        /// When the previous content was last seen.
        package var after: Date?
        package var served: Served
    }

    package enum Served: Hashable, Sendable {
        case version(Int64)
        case noFile
        case noAnswer
        /// The domain was not in the configuration.
        case notWatched
    }
}

extension Store {
    /// From `start` on, including the interval that contains `start`.
    package func propagation(of domain: Domain, since start: Date) async throws -> PropagationRecord {
        let name = domain.name
        return try await read { database in
            var record = PropagationRecord()
            for row in try Row.fetchAll(
                database, cached: Self.intervals, arguments: ["domain": name, "start": start.milliseconds])
            {
                let served: PropagationRecord.Served =
                    switch row["version"] as Int64 {
                    case VersionIntervalRow.noFile: .noFile
                    case VersionIntervalRow.noAnswer: .noAnswer
                    case VersionIntervalRow.notWatched: .notWatched
                    case let id: .version(id)
                    }
                record.places[PlaceReading.Place(name: row["place"]), default: []].append(
                    PropagationRecord.VersionInterval(
                        at: Date(milliseconds: row["at"]), after: row.instant("after"), served: served))
            }
            for row in try Row.fetchAll(
                database, cached: "SELECT id, number, content, meaning FROM version WHERE domain = ?",
                arguments: [name])
            {
                guard let content = ContentHash(hex: row["content"]), let meaning = ContentHash(hex: row["meaning"])
                else {
                    continue
                }
                record.versions[row["id"]] = PropagationRecord.Version(
                    number: row["number"], content: content, meaning: meaning)
            }
            record.changes = try Int64.fetchAll(database, cached: Self.lastChanges, arguments: [name])
                .reversed().map(Date.init(milliseconds:))
            record.pauses = try Self.pauses(since: start, database)
            return record
        }
    }

    static let intervals = """
        SELECT place, at, after, version FROM version_interval WHERE domain = :domain
        AND at >= coalesce((
            SELECT max(at) FROM version_interval e WHERE e.domain = :domain AND e.place = version_interval.place AND e.at <= :start), 0)
        ORDER BY place, at
        """
    static let lastChanges = """
        SELECT at FROM version_interval WHERE domain = ? AND place = '' AND version > 0 ORDER BY at DESC LIMIT 20
        """

    /// Records that the monitor runs, and the pause before it.
    ///
    /// `last`: this process's previous call, even if its write failed; nil: the first call, so the store is asked.
    /// `shortest`: in seconds; a shorter gap is not a pause. Must be longer than the time between two calls.
    package func notePresence(at now: Date, since last: Date?, shortest: TimeInterval) async throws {
        let began = if let last { last } else { try await lastInstant() }
        try await write { database in
            if let began, now.timeIntervalSince(began) > shortest {
                try database.execute(
                    cached: "INSERT INTO pause VALUES (?, ?) ON CONFLICT DO NOTHING",
                    arguments: [began.milliseconds, now.milliseconds])
            }
            if last == nil { try Self.setMeta("began_at", String(now.milliseconds), database) }
            try Self.setMeta("present_at", String(now.milliseconds), database)
        }
    }
}

/// Which version each place served, and when. A row is written only if a place changed since the previous check.
enum VersionIntervalRow {
    static let noFile: Int64 = 0
    static let noAnswer: Int64 = -1
    static let notWatched: Int64 = -2
    /// The limit of places for one domain: the addresses of a CDN change from time to time.
    static let maximumPlaces = 64

    /// `before`: the last check of the domain, at any depth and at full depth.
    /// Returns the number of the origin's version and its start; nil if the origin serves no version.
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
                        INSERT INTO version_interval (domain, place, at, after, version) VALUES (?, ?, ?, ?, ?)
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

    /// Ends the interval of each place at the last check. If the domain is watched again, new intervals begin.
    static func end(_ domain: Domain, _ database: Database) throws {
        try database.execute(cached: ending, arguments: ["domain": domain.name, "end": notWatched])
    }

    static let ending = """
        INSERT INTO version_interval (domain, place, at, version)
        SELECT :domain, place, max(at, coalesce((SELECT last_checked_at FROM domain WHERE name = :domain), 0)) + 1, :end
        FROM (SELECT place, version, max(at) AS at FROM version_interval WHERE domain = :domain GROUP BY place)
        WHERE version <> :end
        """

    /// SQLite takes the other columns from the row with the maximum.
    /// https://www.sqlite.org/lang_select.html#bareagg
    static let latest = "SELECT place, version, max(at) AS at FROM version_interval WHERE domain = ? GROUP BY place"

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

// MARK: - The past of a domain

package struct DomainPast: Equatable, Sendable {
    /// The first check; nil: no check yet.
    package var firstSeen: Date?
    /// Confirmed incidents, newest first.
    package var incidents: [Incident] = []
    /// Periods without a running monitor, oldest first.
    package var pauses: [ClosedRange<Date>] = []

    package static let empty = DomainPast()
}

extension Store {
    /// More incidents than a chart of days can show; beyond that the newest are kept.
    private static let mostPast = 500

    /// The incidents and pauses of a domain from `start` on.
    package func past(of domain: Domain, since start: Date) async throws -> DomainPast {
        try await pasts(of: [domain], since: start)[domain] ?? .empty
    }

    /// The same for the domains of one list.
    package func pasts(of domains: [Domain], since start: Date) async throws -> [Domain: DomainPast] {
        guard !domains.isEmpty else { return [:] }
        let names = try Stored.text(domains.map(\.name))
        return try await read { database in
            let pauses = try Self.pauses(since: start, database)
            var pasts: [Domain: DomainPast] = [:]
            for row in try Row.fetchAll(database, cached: Self.firstSights, arguments: [names]) {
                guard let domain = try? Domain(row["name"]) else { continue }
                pasts[domain] = DomainPast(firstSeen: row.instant("first"), pauses: pauses)
            }
            let records = try IncidentRow.records(
                database, cached: Self.pastIncidents,
                ["names": names, "since": start.milliseconds, "limit": Self.mostPast * min(domains.count, 10)])
            for incident in records.map(\.incident) {
                if let domain = incident.domain { pasts[domain]?.incidents.append(incident) }
            }
            return pasts
        }
    }

    /// The origin is asked at each check.
    private static let firstSights = """
        SELECT value AS name,
            (SELECT min(at) FROM version_interval WHERE domain = value AND place = '') AS first
        FROM json_each(?)
        """

    private static let pastIncidents = """
        \(IncidentRow.select) WHERE i.domain IN (SELECT value FROM json_each(:names)) AND i.version > 0
            AND i.kind <> 'change' AND (i.resolved_at IS NULL OR i.resolved_at >= :since)
        ORDER BY i.opened_at DESC, i.id DESC LIMIT :limit
        """

    static func pauses(since start: Date, _ database: Database) throws -> [ClosedRange<Date>] {
        try Row.fetchAll(
            database, cached: "SELECT began, ended FROM pause WHERE began > ? - 366 * 86400000 AND ended > ?",
            arguments: [start.milliseconds, start.milliseconds]
        ).map { Date(milliseconds: $0["began"])...Date(milliseconds: $0["ended"]) }
    }
}
