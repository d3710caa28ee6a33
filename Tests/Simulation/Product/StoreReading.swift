// The content of the store, read with plain SQL on a separate connection: the audit does not trust the code that it
// audits.

import Evidence
import Foundation
import GRDB
import Monitoring

/// An incident as it was committed.
struct CommittedIncident: Equatable {
    struct Mark: Equatable {
        let version: Int
        let at: Date
    }

    let id: String
    /// Empty for a global incident.
    let domain: String
    /// Empty for an incident of a domain.
    let cause: String
    let kind: IncidentKind
    let isError: Bool
    let state: Incident.State
    let version: Int
    let since: Date
    let openedAt: Date
    let firedAt: Date?
    let resolvedAt: Date?
    let worse: Mark?
    let again: Mark?
    let flapping: Mark?
    let isFlapping: Bool
    /// The acknowledgement: its version and its instant. It may have lapsed.
    let acknowledged: Mark?
    let change: Int64
    /// For an incident of a domain: the kind of the incident that inhibits it.
    let inhibitedBy: IncidentKind?
    /// For a global incident: the domains that it counts, and the kinds that it inhibits.
    let affected: Set<String>
    let explains: Set<IncidentKind>

    var isGlobal: Bool { domain.isEmpty }
    var isOver: Bool { state == .resolved }

    /// An acknowledgement lapses when the incident becomes worse or comes back.
    var isAcknowledged: Bool {
        acknowledged.map { $0.version >= max(worse?.version ?? 0, again?.version ?? 0) } ?? false
    }

    init?(_ row: Row) {
        func date(_ name: String) -> Date? {
            (row[name] as Int64?).map { Date(timeIntervalSince1970: Double($0) / 1000) }
        }
        func mark(_ name: String) -> Mark? {
            guard let version = row["\(name)_version"] as Int?, let at = date("\(name)_at") else { return nil }
            return Mark(version: version, at: at)
        }
        guard let kind = IncidentKind(rawValue: row["kind"]), let state = Incident.State(rawValue: row["state"]),
            let since = date("since"), let openedAt = date("opened_at")
        else { return nil }
        id = row["id"]
        domain = row["domain"]
        cause = row["cause"] ?? ""
        self.kind = kind
        isError = row["severity"] == "error"
        self.state = state
        version = row["version"]
        self.since = since
        self.openedAt = openedAt
        firedAt = date("fired_at")
        resolvedAt = date("resolved_at")
        worse = mark("worse")
        again = mark("again")
        flapping = mark("flapping")
        isFlapping = row["is_flapping"]
        acknowledged = mark("ack")
        change = row["change"]
        struct Facts: Decodable {
            struct Affected: Decodable {
                let domains: Set<String>
                let kinds: Set<IncidentKind>
            }
            let affected: Affected?
        }
        let facts = domain.isEmpty ? row["facts"] as Data? : nil
        let counted = facts.flatMap { try? JSONDecoder().decode(Facts.self, from: $0) }?.affected
        affected = counted?.domains ?? []
        explains = counted?.kinds ?? []
        inhibitedBy = (row["inhibited_by"] as String?).flatMap(IncidentKind.init(rawValue:))
    }
}

/// The stored bytes of a message, and what they are about.
struct StoredMessage: Equatable {
    struct Member: Equatable {
        let incident: String
        let version: Int
        let isEnd: Bool
        let acknowledgedAt: Date?
    }

    let key: String
    let reason: NotificationReason
    let body: Data
    let members: [Member]

    var words: String {
        guard let first = members.first else { return "nothing" }
        return "\(first.incident.prefix(8)) v\(first.version)"
            + (members.count > 1 ? " and \(members.count - 1) more" : "")
    }
}

struct StoreReading {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Copies the store in its present state, as `store backup` does.
    func copy(to path: String) throws { try queue.vacuum(into: path) }

    func close() throws { try queue.close() }

    /// The incidents that have fired and have a higher number than `change`.
    func incidents(changedAfter change: Int64) throws -> [CommittedIncident] {
        try queue.read { database in
            try Row.fetchAll(
                database, sql: "SELECT * FROM incident WHERE change > ? ORDER BY change", arguments: [change]
            ).compactMap(CommittedIncident.init)
        }
    }

    /// The messages that are under way to a channel.
    func messages(channel: String) throws -> [StoredMessage] {
        try queue.read { database in
            try Row.fetchAll(
                database, sql: "SELECT key, reason, body, members FROM message WHERE channel = ? ORDER BY id",
                arguments: [channel]
            ).compactMap { row in
                guard let reason = NotificationReason(rawValue: row["reason"]) else { return nil }
                let members = try Row.fetchAll(
                    database,
                    sql: """
                        SELECT value ->> 'incident' AS incident_id, value ->> 'version' AS version,
                            value ->> 'state' AS state, value ->> 'acknowledged_at' AS acknowledged_at
                        FROM json_each(?)
                        """, arguments: [row["members"] as String])
                return StoredMessage(
                    key: row["key"], reason: reason, body: row["body"],
                    members: members.map { member in
                        StoredMessage.Member(
                            incident: member["incident_id"], version: member["version"],
                            isEnd: member["state"] == "resolved",
                            acknowledgedAt: (member["acknowledged_at"] as Int64?).map {
                                Date(timeIntervalSince1970: Double($0) / 1000)
                            })
                    })
            }
        }
    }

    /// Whether a global incident is about to change by itself.
    func isGlobalUnsettled() throws -> Bool {
        try queue.read { database in
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM incident WHERE domain = '' AND state IN ('pending', 'recovering'))"
            ) ?? false
        }
    }

    /// The channels that do not accept messages, as far as the process knows.
    func troubled() throws -> Set<String> {
        try queue.read { database in
            Set(try String.fetchAll(database, sql: "SELECT name FROM channel WHERE trouble IS NOT NULL"))
        }
    }

    /// What still waits to be sent, as text; empty if nothing does.
    func leftovers() throws -> [String] {
        try queue.read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT 'pending at ' || channel || ': ' || incident_id FROM notification WHERE pending_since IS NOT NULL
                    UNION ALL SELECT 'under way to ' || channel || ': ' || key FROM message
                    UNION ALL SELECT 'pending: ' || id FROM incident WHERE state = 'pending' AND domain <> ''
                    """)
        }
    }
}
