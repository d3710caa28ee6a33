// Filters, order and counts of incidents, for pages, the API and commands.

import Evidence
import Foundation
import GRDB
import Monitoring

/// A filter for incidents. By default it returns confirmed ones; `state` and `hasPending` change that. It returns
/// changes of a file only if `kind` is `.change`.
package struct IncidentQuery: Equatable, Sendable {
    package var domain: Domain?
    /// Only incidents of many domains, and of the monitor itself.
    package var isGlobal = false
    /// A prefix of a domain's name or of one of its parent domains. For a domain that is no longer watched: a prefix of
    /// the name only. Empty: any.
    package var search: String
    package var kind: IncidentKind?
    package var state: State?
    /// Includes incidents that are not confirmed yet.
    package var hasPending = false
    /// Only incidents that were unresolved at this time, or later.
    package var since: Date?
    package var order: Order
    /// Only incidents that follow this one in the order `newest`.
    package var after: IncidentPlace?
    package var limit: Int
    package var offset = 0

    package enum State: String, Sendable, CaseIterable {
        /// Firing or recovering.
        case open
        case firing, recovering, resolved
        /// Not confirmed yet.
        case pending
    }

    package enum Order: Sendable {
        /// By `openedAt`, the latest first.
        case newest
        /// Unacknowledged ones first, then errors, then by what phones do with the domain now, worst first, then by
        /// `since`, the latest first. Global incidents come before those of domains.
        case attention
        /// By `resolvedAt`, the latest first.
        case ended
    }

    package init(
        domain: Domain? = nil, search: String = "", kind: IncidentKind? = nil, state: State? = nil, since: Date? = nil,
        order: Order = .newest, after: IncidentPlace? = nil, limit: Int
    ) {
        self.domain = domain
        self.search = search
        self.kind = kind
        self.state = state
        self.since = since
        self.order = order
        self.after = after
        self.limit = limit
    }

    /// All open global incidents.
    package static var openGlobal: IncidentQuery {
        var query = IncidentQuery(state: .open, limit: .max)
        query.isGlobal = true
        return query
    }
}

/// The position of a row in a list by time and id, for paging.
package struct ListPlace<ID: LosslessStringConvertible & Equatable & Sendable>: Equatable, Sendable {
    /// In milliseconds, as instants are stored.
    let at: Int64
    let id: ID

    /// Parses `text`, for example `1795244400000-0123abcd`.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[1].utf8.count <= 64, let at = Int64(parts[0]), let id = ID(String(parts[1]))
        else { return nil }
        (self.at, self.id) = (at, id)
    }

    package var text: String { "\(at)-\(id)" }
}

/// The position of an incident in the order `newest`.
package typealias IncidentPlace = ListPlace<String>

extension IncidentPlace {
    package init(_ incident: Incident) { (at, id) = (incident.openedAt.milliseconds, incident.id) }
}

// MARK: - As SQL

extension IncidentQuery {
    /// The same SQL for each combination of filters, so that few statements are compiled.
    var sql: String {
        let columns =
            switch order {
            case .newest: "\(mark)i.opened_at DESC, i.id DESC"
            case .attention: "\(Self.isAcknowledged), i.severity <> 'error', \(Self.urgency), i.since DESC, i.id"
            case .ended: "i.resolved_at DESC, i.id"
            }
        return "\(IncidentRow.select) WHERE \(condition) ORDER BY \(columns) LIMIT :limit OFFSET :offset"
    }

    /// Few incidents are open, many are old: the unary plus keeps SQLite from using an index of both.
    /// https://www.sqlite.org/optoverview.html#disqualifying_where_clause_terms_using_unary_
    private var mark: String { state.map { $0 != .resolved } ?? false ? "+" : "" }

    var condition: String {
        var parts: [String] = []
        switch state {
        case .open: parts.append(IncidentRow.isUnresolved)
        case .firing, .recovering: parts += [IncidentRow.isUnresolved, "i.state = '\(state?.rawValue ?? "")'"]
        case .pending: parts.append("i.change = 0 AND i.state = 'pending'")
        // In the terms of the partial index `incident_ended`.
        case .resolved where since != nil:
            parts.append("i.resolved_at >= :since AND i.resolved_at IS NOT NULL AND i.version > 0")
        case .resolved: parts.append("i.version > 0 AND i.state = 'resolved'")
        case nil where hasPending: break
        case nil: parts.append("i.version > 0")
        }
        if since != nil, state != .resolved { parts.append("(i.resolved_at IS NULL OR i.resolved_at >= :since)") }
        if domain != nil { parts.append("i.domain = :domain") }
        if isGlobal { parts.append("i.kind IN (\(Self.globalKinds))") }
        parts.append(kind == nil ? "i.kind <> 'change'" : "\(mark)i.kind = :kind")
        if !search.isEmpty { parts.append("i.domain IN (\(Self.names))") }
        if after != nil { parts.append("(i.opened_at, i.id) < (:at, :id)") }
        return parts.joined(separator: " AND ")
    }

    /// What phones do with the domain now: `DomainStatus.rank`.
    private static let urgency =
        "coalesce(d.rank, CASE WHEN i.domain IS NULL THEN -1 ELSE \(DomainStatus.allCases.count) END)"

    private static let globalKinds = IncidentKind.allCases.filter(\.isGlobal).map { "'\($0.rawValue)'" }
        .joined(separator: ", ")

    private static let names = """
        \(NameSearch.names) UNION SELECT domain FROM incident WHERE domain >= :kept AND domain < :end
        """

    /// As `Acknowledgement.holds`. An inhibited incident counts too, because people acknowledge the inhibiting one.
    static let isAcknowledged = """
        (i.inhibited_by IS NOT NULL OR i.ack_at IS NOT NULL
            AND i.ack_version >= max(coalesce(i.worse_version, 0), coalesce(i.again_version, 0)))
        """

    /// The arguments of `condition`; with `ofPage`, of `sql`.
    func arguments(ofPage: Bool) -> StatementArguments {
        var all: [String: any DatabaseValueConvertible] = [:]
        if let domain { all["domain"] = domain.name }
        if let kind { all["kind"] = kind.rawValue }
        if let since { all["since"] = since.milliseconds }
        if !search.isEmpty {
            all.merge(NameSearch.arguments(search)) { $1 }
            let kept = Domain.kept(search)
            (all["kept"], all["end"]) = (kept, NameSearch.end(of: kept))
        }
        if let after { (all["at"], all["id"]) = (after.at, after.id) }
        if ofPage { (all["limit"], all["offset"]) = (max(0, limit), max(0, offset)) }
        return StatementArguments(all)
    }
}

// MARK: - Reading

extension Store {
    package func incidents(_ query: IncidentQuery) async throws -> [IncidentRecord] {
        try await read { try IncidentRow.records(query, $0) }
    }

    /// What these incidents were, and what ended them.
    package func incidentAccounts(_ ids: [String]) async throws -> [String: IncidentAccount] {
        guard !ids.isEmpty else { return [:] }
        return try await read { database in
            var all: [String: IncidentAccount] = [:]
            for id in ids { all[id] = try IncidentRow.account(id, database) }
            return all
        }
    }

    /// The channels that accepted at least one message about each of these incidents, by name.
    package func notifiedChannels(_ ids: [String]) async throws -> [String: [String]] {
        guard !ids.isEmpty else { return [:] }
        let list = try Stored.text(ids)
        return try await read { database in
            try Row.fetchAll(database, cached: Self.notifiedOf, arguments: [list]).reduce(into: [:]) {
                $0[$1["incident_id"], default: []].append($1["channel"])
            }
        }
    }

    /// Feeds have rows in the delivery log only.
    private static let notifiedOf = """
        SELECT n.incident_id, n.channel FROM json_each(?1) wanted
        JOIN notification n INDEXED BY notification_of_incident ON n.incident_id = wanted.value
        WHERE n.notified_at IS NOT NULL
        UNION SELECT d.incident_id, d.channel FROM json_each(?1) wanted
        JOIN delivery d INDEXED BY delivery_of_incident ON d.incident_id = wanted.value
        WHERE d.outcome = 'delivered' ORDER BY 2
        """
}

// MARK: - Confirmed incidents of domains

/// A confirmed, unresolved incident of a domain, with what a decision about the domain needs.
package struct ConfirmedIncident: Equatable, Sendable {
    package let id: String
    package let domain: Domain
    package let kind: IncidentKind
    package let state: Incident.State
    package let since: Date
    package let inhibitedBy: IncidentKind?

    package init(
        id: String, domain: Domain, kind: IncidentKind, state: Incident.State, since: Date, inhibitedBy: IncidentKind?
    ) {
        (self.id, self.domain, self.kind, self.state) = (id, domain, kind, state)
        (self.since, self.inhibitedBy) = (since, inhibitedBy)
    }
}

extension Store {
    /// All of them, by domain and kind, without their documents.
    package func confirmedIncidents() async throws -> [ConfirmedIncident] {
        try await read { database in
            try Row.fetchAll(database, cached: Self.confirmed).compactMap { row in
                guard let domain = try? Domain(row[1]), let kind = IncidentKind(rawValue: row[2]),
                    let state = Incident.State(rawValue: row[3])
                else { return nil }
                return ConfirmedIncident(
                    id: row[0], domain: domain, kind: kind, state: state, since: Date(milliseconds: row[4]),
                    inhibitedBy: (row[5] as String?).flatMap(IncidentKind.init(rawValue:)))
            }
        }
    }

    static let confirmed = """
        SELECT i.id, i.domain, i.kind, i.state, i.since, i.inhibited_by
        FROM incident i INDEXED BY incident_unresolved
        WHERE \(IncidentRow.isUnresolved) AND i.kind <> 'change' AND i.domain <> '\(IncidentRow.noDomain)'
        ORDER BY i.domain, i.kind
        """
}

// MARK: - Counting

package struct IncidentCounts: Equatable, Sendable {
    /// Confirmed and not resolved.
    package var open = 0
    package var unacknowledged = 0
    package var pending = 0
    /// Resolved since the start of the period.
    package var resolved = 0
}

extension Store {
    /// `start`: resolved incidents count from this time on.
    package func incidentCounts(
        search: String = "", kind: IncidentKind? = nil, since start: Date
    ) async throws -> IncidentCounts {
        func count(_ state: IncidentQuery.State, _ more: String = "") -> String {
            let query = IncidentQuery(
                search: search, kind: kind, state: state, since: state == .resolved ? start : nil, limit: 0)
            return "(SELECT count(*) FROM incident i WHERE \(query.condition)\(more))"
        }
        let unacknowledged = " AND NOT \(IncidentQuery.isAcknowledged)"
        let sql = """
            SELECT \(count(.open)) AS open, \(count(.open, unacknowledged)) AS unacknowledged,
                \(count(.pending)) AS pending, \(count(.resolved)) AS resolved
            """
        let arguments = IncidentQuery(search: search, kind: kind, since: start, limit: 0).arguments(ofPage: false)
        return try await read { database in
            guard let row = try Row.fetchOne(database, cached: sql, arguments: arguments) else {
                return IncidentCounts()
            }
            return IncidentCounts(
                open: row["open"], unacknowledged: row["unacknowledged"], pending: row["pending"],
                resolved: row["resolved"])
        }
    }

    /// The number of unacknowledged open incidents of these kinds and domains. A global incident inhibits them, and people
    /// acknowledge that one instead.
    package func unacknowledgedIncidents(of kinds: [IncidentKind], in domains: [Domain]) async throws -> Int {
        let arguments: StatementArguments = [
            "kinds": try Stored.text(kinds.map(\.rawValue)), "domains": try Stored.text(domains.map(\.name)),
        ]
        return try await read { database in
            try Int.fetchOne(database, cached: Self.unacknowledgedOfKinds, arguments: arguments) ?? 0
        }
    }

    private static let unacknowledgedOfKinds = """
        SELECT count(*) FROM incident i WHERE \(IncidentRow.isUnresolved) AND NOT \(IncidentQuery.isAcknowledged)
        AND i.kind IN (SELECT value FROM json_each(:kinds)) AND i.domain IN (SELECT value FROM json_each(:domains))
        """

    /// How many incidents are firing or recovering, by kind and severity. Includes errors and warnings of kinds with none.
    package func openIncidentCounts() async throws -> [(kind: IncidentKind, severity: Severity, count: Int)] {
        let counts = try await read { database in
            try Row.fetchAll(database, cached: Self.openCounts).reduce(into: [String: [String: Int]]()) {
                $0[$1["kind"], default: [:]][$1["severity"]] = $1["count"]
            }
        }
        return IncidentKind.allCases.flatMap { kind -> [(kind: IncidentKind, severity: Severity, count: Int)] in
            let ofKind = counts[kind.rawValue] ?? [:]
            return [Severity.error, .warning, .note].map { (kind, $0, ofKind[$0.rawValue] ?? 0) }
                .filter { $0.count > 0 || $0.severity != .note }
        }
    }

    private static let openCounts = """
        SELECT kind, severity, count(*) AS count FROM incident INDEXED BY incident_unresolved_of_kind
        WHERE version > 0 AND state <> 'resolved' GROUP BY kind, severity
        """
}
