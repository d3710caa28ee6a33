// The row of an incident. Only this file reads and writes all columns of `incident`.

import Evidence
import Foundation
import GRDB
import Monitoring

package struct IncidentRecord: Equatable, Sendable {
    package var incident: Incident
    /// The current acknowledgement; nil if there is none, or if it no longer holds.
    package var acknowledgement: Acknowledgement?
    /// The change number of its last change.
    package var change: Int64
    /// When the domain was last checked; nil for a global incident, and before the first check.
    package var checkedAt: Date?

    package init(
        incident: Incident, acknowledgement: Acknowledgement? = nil, change: Int64 = 0, checkedAt: Date? = nil
    ) {
        self.incident = incident
        self.acknowledgement = acknowledgement
        self.change = change
        self.checkedAt = checkedAt
    }
}

/// The facts while an incident was open, and those of its end. Both are kept: a later investigation needs the former.
package struct IncidentAccount: Equatable, Sendable {
    /// At the last change while it was open.
    package var facts: IncidentFacts
    /// What the check that ended it saw; nil: it is open.
    package var ending: IncidentFacts?

    package init(_ facts: IncidentFacts, ending: IncidentFacts? = nil) {
        self.facts = facts
        self.ending = ending
    }
}

enum IncidentRow {
    /// The value of `domain` for a global incident.
    static let noDomain = ""

    /// All columns except `facts` and `ending`, which are kilobytes; plus the domain's last check.
    static let select = """
        SELECT i.id, i.domain, i.cause, i.kind, i.severity, i.state, i.since, i.opened_at, i.fired_at, i.resolved_at,
            i.reason, i.version, i.worse_version, i.worse_at, i.again_version, i.again_at, i.flapping_version,
            i.flapping_at, i.is_flapping, i.inhibited_by, i.ack_by, i.ack_reason, i.ack_at, i.ack_version, i.change,
            d.last_checked_at
        FROM incident i LEFT JOIN domain d ON d.name = i.domain
        """

    /// Confirmed and not resolved, in the terms of the partial indexes.
    static let isUnresolved = "i.version > 0 AND i.state <> 'resolved'"

    static let byID = "\(select) WHERE i.id = ?"

    static func record(_ id: String, _ database: Database) throws -> IncidentRecord? {
        try Row.fetchOne(database, cached: byID, arguments: [id]).flatMap(record)
    }

    static func records(
        _ database: Database, cached constant: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [IncidentRecord] {
        try Row.fetchAll(database, cached: constant, arguments: arguments).compactMap(record)
    }

    static func records(_ query: IncidentQuery, _ database: Database) throws -> [IncidentRecord] {
        try records(database, cached: query.sql, query.arguments(ofPage: true))
    }

    /// nil if the row cannot be read: one bad row must not stop a channel's loop or a page.
    static func record(_ row: Row) -> IncidentRecord? {
        guard let subject = subject(row), let kind = IncidentKind(rawValue: row["kind"]),
            let severity = Severity(rawValue: row["severity"]), let state = Incident.State(rawValue: row["state"])
        else { return nil }
        let incident = Incident(
            id: row["id"], subject: subject, kind: kind, severity: severity, state: state,
            since: Date(milliseconds: row["since"]), openedAt: Date(milliseconds: row["opened_at"]),
            firedAt: row.instant("fired_at"), resolvedAt: row.instant("resolved_at"),
            reason: (row["reason"] as String?).flatMap(Incident.Resolution.init(rawValue:)), version: row["version"],
            worse: mark(row, "worse"), again: mark(row, "again"), flapping: mark(row, "flapping"),
            isFlapping: row["is_flapping"],
            inhibitedBy: (row["inhibited_by"] as String?).flatMap(IncidentKind.init(rawValue:)))
        var record = IncidentRecord(
            incident: incident, change: row["change"], checkedAt: row.instant("last_checked_at"))
        if let acknowledgement = acknowledgement(row), acknowledgement.holds(for: incident) {
            record.acknowledgement = acknowledgement
        }
        return record
    }

    private static func subject(_ row: Row) -> Incident.Subject? {
        if let name = row["cause"] as String? { return GlobalCause(rawValue: name).map(Incident.Subject.global) }
        return (try? Domain(row["domain"])).map(Incident.Subject.domain)
    }

    private static func mark(_ row: Row, _ name: String) -> Incident.Mark? {
        guard let version = row["\(name)_version"] as Int?, let at = row.instant("\(name)_at") else { return nil }
        return Incident.Mark(version: version, at: at)
    }

    private static func acknowledgement(_ row: Row) -> Acknowledgement? {
        guard let by = row["ack_by"] as String?, let at = row.instant("ack_at") else { return nil }
        return Acknowledgement(by: by, reason: row["ack_reason"] ?? "", at: at, version: row["ack_version"] ?? 0)
    }

    // MARK: - Writing

    /// Writes the incident changes of an evaluation. Returns true if an incident got a change number.
    static func write(_ changes: [IncidentChange], _ database: Database) throws -> Bool {
        var isNews = false
        for change in changes {
            guard change.transition != .dropped else {
                try database.execute(cached: "DELETE FROM incident WHERE id = ?", arguments: [change.incident.id])
                continue
            }
            // A pending incident concerns no channel.
            let number = change.incident.version > 0 ? try nextChange(database) : 0
            isNews = isNews || number > 0
            try write(change, number: number, database)
        }
        return isNews
    }

    /// The next change number. All incidents share one counter.
    static func nextChange(_ database: Database) throws -> Int64 {
        let number = try latestChange(database) + 1
        try Store.setMeta("change", String(number), database)
        return number
    }

    static func latestChange(_ database: Database) throws -> Int64 {
        try Store.meta("change", database).flatMap(Int64.init) ?? 0
    }

    /// Leaves the acknowledgement alone, and the facts too if the change has none.
    private static func write(_ change: IncidentChange, number: Int64, _ database: Database) throws {
        let incident = change.incident
        var row: [String: (any DatabaseValueConvertible)?] = [
            "id": incident.id, "domain": incident.domain?.name ?? noDomain, "cause": incident.cause?.rawValue,
            "kind": incident.kind.rawValue, "severity": incident.severity.rawValue, "state": incident.state.rawValue,
            "since": incident.since.milliseconds, "opened_at": incident.openedAt.milliseconds,
            "fired_at": incident.firedAt?.milliseconds, "resolved_at": incident.resolvedAt?.milliseconds,
            "reason": incident.reason?.rawValue, "version": incident.version, "is_flapping": incident.isFlapping,
            "inhibited_by": incident.inhibitedBy?.rawValue, "change": number,
        ]
        for (name, mark) in [("worse", incident.worse), ("again", incident.again), ("flapping", incident.flapping)] {
            row["\(name)_version"] = .some(mark?.version)
            row["\(name)_at"] = .some(mark?.at.milliseconds)
        }
        let isOver = incident.state == .resolved
        if let facts = change.facts { row[isOver ? "ending" : "facts"] = try Stored.encode(facts) }
        // An incident that comes back is open again.
        if !isOver { row["ending"] = .some(nil) }
        try database.upsert(row, into: "incident", key: ["id"])
    }

    /// nil if it has no facts, or if they cannot be read.
    static func account(_ id: String, _ database: Database) throws -> IncidentAccount? {
        let row = try Row.fetchOne(
            database, cached: "SELECT facts, ending FROM incident WHERE id = ?", arguments: [id])
        func decoded(_ column: String) -> IncidentFacts? {
            (row?[column] as Data?).flatMap {
                try? Stored.decode(IncidentFacts.self, from: $0, what: "\(column) of an incident")
            }
        }
        let ending = decoded("ending")
        return (decoded("facts") ?? ending).map { IncidentAccount($0, ending: ending) }
    }
}

extension Row {
    func instant(_ column: String) -> Date? { (self[column] as Int64?).map(Date.init(milliseconds:)) }
}
