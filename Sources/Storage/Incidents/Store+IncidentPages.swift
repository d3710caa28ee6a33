// Incidents in pages, newest first, for the API and those who list the past.

import Evidence
import Foundation
import GRDB
import Monitoring

/// Which incidents are asked for. Only confirmed ones are; changes, where `kind` is that.
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
        var conditions = ["i.version > 0"]
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
