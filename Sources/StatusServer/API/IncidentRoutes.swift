import Evidence
import Foundation
import Hummingbird
import Monitoring
import Storage

/// Incidents, open and past, for programs.
struct IncidentRoutes: Sendable {
    let store: Store
    let timekeeper: any Timekeeper

    private struct Page: Encodable {
        let schema = "aasa-monitor/incidents/v1"
        let incidents: [IncidentDocument]
        /// `cursor` of the next page.
        let next: Nullable<String>
    }

    /// Deliveries of one incident that are shown at most.
    private static let deliveries = 200

    /// Newest first.
    func list(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit", "cursor", "domain", "kind", "state"])
        let limit = try query.limit()
        var after: IncidentPlace?
        if let cursor = query.text("cursor") {
            guard let place = IncidentPlace(cursor) else { throw QueryFault("'cursor' is none that this server gave") }
            after = place
        }
        let wanted = IncidentQuery(
            domain: try query.domain("domain"), kind: try query.choice("kind", IncidentKind.self),
            state: try query.choice("state", IncidentQuery.State.self), after: after, limit: limit + 1)
        let found = try await store.incidents(wanted)
        let time = PageTime(timekeeper)
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { IncidentPlace($0.record.incident).text } : nil
        return Response(
            json: try APIDocument.encoder.encode(
                Page(
                    incidents: page.map { IncidentDocument($0.record, $0.facts, time: time) },
                    next: Nullable(next))))
    }

    func one(_ id: String) async throws -> Response {
        guard let (record, facts) = try await store.incidentWithFacts(id: id.lowercased()) else {
            return Response(plain: "no incident has this id", status: .notFound)
        }
        let deliveries = try await store.deliveries(incident: record.incident.id, limit: Self.deliveries)
        return Response(
            json: try APIDocument.encoder.encode(
                IncidentDetailDocument(record, facts, deliveries: deliveries, time: PageTime(timekeeper))))
    }
}
