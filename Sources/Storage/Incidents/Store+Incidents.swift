// Incidents for pages, the API and commands.

import Evidence
import Foundation
import GRDB
import Monitoring

extension Store {
    /// Incidents, newest first, pending ones included and changes left out.
    /// `domain`: nil for all incidents.
    package func incidents(domain: Domain?, limit: Int) async throws -> [Incident] {
        try await read { database in
            let records =
                if let domain {
                    try IncidentRow.records(database, cached: Self.incidentsOfDomain, [domain.name, max(0, limit)])
                } else {
                    try IncidentRow.records(database, cached: Self.newestIncidents, [max(0, limit)])
                }
            return records.map(\.incident)
        }
    }

    static let newestIncidents =
        "\(IncidentRow.select) WHERE i.kind <> 'change' ORDER BY i.opened_at DESC, i.id LIMIT ?"
    static let incidentsOfDomain = """
        \(IncidentRow.select) WHERE i.domain = ? AND i.kind <> 'change' ORDER BY i.opened_at DESC, i.id LIMIT ?
        """

    /// One incident by its id.
    package func incident(id: String) async throws -> Incident? {
        try await read { try IncidentRow.record(id, $0)?.incident }
    }

    /// Confirmed global incidents that are not resolved, oldest first, with what a message would say of each.
    package func openGlobalIncidents() async throws -> [(IncidentRecord, IncidentFacts?)] {
        try await read { database in
            try IncidentRow.records(database, cached: ChannelTransaction.unresolvedOfGlobal).map { record in
                (record, try IncidentRow.facts(record.incident.id, database))
            }
        }
    }
}

extension Store {
    /// How many incidents of each kind fire or recover, kinds without one included.
    package func openIncidentCounts() async throws -> [(kind: IncidentKind, count: Int)] {
        let counts = try await read { database in
            try Row.fetchAll(database, cached: Self.openCounts).reduce(into: [String: Int]()) {
                $0[$1["kind"]] = $1["count"]
            }
        }
        return IncidentKind.allCases.map { ($0, counts[$0.rawValue] ?? 0) }
    }

    static let openCounts = """
        SELECT kind, count(*) AS count FROM incident INDEXED BY incident_unresolved_of_kind
        WHERE version > 0 AND state <> 'resolved' GROUP BY kind
        """
}

// MARK: - Who was notified

/// An incident, and the channels that were notified of it.
package struct IncidentNote: Equatable, Sendable {
    package let record: IncidentRecord
    /// By name; each took at least one message.
    package let notified: [String]

    package init(record: IncidentRecord, notified: [String]) {
        self.record = record
        self.notified = notified
    }
}

extension Store {
    /// By id; those that the store does not hold are left out.
    package func incidentNotes(_ ids: [String]) async throws -> [String: IncidentNote] {
        guard !ids.isEmpty else { return [:] }
        let list = try Stored.text(ids)
        return try await read { database in
            let records = try IncidentRow.records(database, cached: Self.incidentsByID, [list])
            var notified: [String: [String]] = [:]
            for row in try Row.fetchAll(database, cached: Self.notifiedOf, arguments: [list]) {
                notified[row["incident_id"], default: []].append(row["channel"])
            }
            let notes = records.map {
                ($0.incident.id, IncidentNote(record: $0, notified: notified[$0.incident.id] ?? []))
            }
            return Dictionary(notes) { first, _ in first }
        }
    }

    static let incidentsByID = "\(IncidentRow.select) WHERE i.id IN (SELECT value FROM json_each(?))"
    /// A feed is in the log of deliveries alone.
    static let notifiedOf = """
        SELECT n.incident_id, n.channel FROM json_each(?1) wanted
        JOIN notification n INDEXED BY notification_of_incident ON n.incident_id = wanted.value
        WHERE n.notified_at IS NOT NULL
        UNION SELECT d.incident_id, d.channel FROM json_each(?1) wanted
        JOIN delivery d INDEXED BY delivery_of_incident ON d.incident_id = wanted.value
        WHERE d.outcome = 'delivered' ORDER BY 2
        """
}

// MARK: - In pages, newest first, for the API and those who list the past

/// Which incidents are asked for: confirmed ones, where `state` does not say otherwise; changes, where `kind` is that.
package struct IncidentQuery: Equatable, Sendable {
    package var domain: Domain?
    package var kind: IncidentKind?
    package var state: State?
    /// Only what comes after this one in the order of the list.
    package var after: IncidentPlace?
    package var limit: Int

    package enum State: String, Sendable, CaseIterable {
        /// Firing or recovering.
        case open
        case firing, recovering, resolved
        /// Not confirmed yet.
        case pending
    }

    package init(
        domain: Domain? = nil, kind: IncidentKind? = nil, state: State? = nil, after: IncidentPlace? = nil, limit: Int
    ) {
        self.domain = domain
        self.kind = kind
        self.state = state
        self.after = after
        self.limit = limit
    }
}

/// Where an incident stands in the list.
package struct IncidentPlace: Equatable, Sendable {
    let openedAt: Int64
    let id: String

    package init(_ incident: Incident) {
        openedAt = incident.openedAt.milliseconds
        id = incident.id
    }

    /// `1795244400000-0123abcd`, as `description` gives it.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let openedAt = Int64(parts[0]), parts[1].utf8.count <= 64 else { return nil }
        self.openedAt = openedAt
        id = String(parts[1])
    }

    package var text: String { "\(openedAt)-\(id)" }
}

extension Store {
    /// One page; each with what a message would say of it.
    package func incidents(_ query: IncidentQuery) async throws -> [(record: IncidentRecord, facts: IncidentFacts?)] {
        try await read { database in
            try IncidentRow.records(database, cached: Self.incidentPage(query), Self.arguments(of: query))
                .map { ($0, try IncidentRow.facts($0.incident.id, database)) }
        }
    }

    /// One text for each combination of filters, so that few are compiled.
    static func incidentPage(_ query: IncidentQuery) -> String {
        // Few are open among many of the past: the order must not lead the search.
        let isOpen = query.state.map { $0 != .resolved } ?? false
        let mark = isOpen ? "+" : ""
        var conditions = [query.state == .pending ? "i.change = 0" : "i.version > 0"]
        if isOpen { conditions.append("i.state <> 'resolved'") }
        if let state = query.state, state != .open { conditions.append("i.state = '\(state.rawValue)'") }
        if query.domain != nil { conditions.append("i.domain = :domain") }
        conditions.append(query.kind == nil ? "i.kind <> 'change'" : "\(mark)i.kind = :kind")
        if query.after != nil { conditions.append("(i.opened_at, i.id) < (:at, :id)") }
        return """
            \(IncidentRow.select) WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(mark)i.opened_at DESC, i.id DESC LIMIT :limit
            """
    }

    private static func arguments(of query: IncidentQuery) -> StatementArguments {
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let domain = query.domain { arguments["domain"] = domain.name }
        if let kind = query.kind { arguments["kind"] = kind.rawValue }
        if let place = query.after {
            arguments["at"] = place.openedAt
            arguments["id"] = place.id
        }
        return StatementArguments(arguments)
    }
}
