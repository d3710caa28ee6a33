import Evidence
import Foundation
import Hummingbird
import Monitoring
import Storage

/// The list of incidents, and the page of one.
struct IncidentPagesRoute: Sendable {
    let context: PageContext

    private static let maximumOpen = 200
    private static let rows = 50

    func list(_ request: Request) async -> Response {
        let query = IncidentsQuery(
            Dictionary(request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first })
        return await context.answer(request, .incidents) { time in
            let view = try await list(query, time)
            return (view, view.frame)
        }
    }

    private func list(_ query: IncidentsQuery, _ time: PageTime) async throws -> IncidentsView {
        let store = context.store
        let start = time.now - Double(query.days) * 86400
        let resolved = try await store.resolvedIncidents(
            since: start, limit: Self.rows + 1, offset: (query.page - 1) * Self.rows)
        let watched = context.watched.index
        var reading = IncidentsView.Reading(
            query: query, open: try await store.unresolvedIncidents(limit: Self.maximumOpen),
            pending: try await store.pendingIncidents(limit: Self.maximumOpen),
            resolved: Array(resolved.prefix(Self.rows)),
            resolvedCount: try await store.resolvedIncidentCount(since: start))
        reading.hasMore = resolved.count > Self.rows
        reading.labels = { watched[$0]?.labels ?? [:] }
        let shown = (reading.open + reading.pending + reading.resolved).map(\.incident).filter(query.admits).map(\.id)
        reading.notes = try await store.incidentNotes(shown)
        reading.facts = try await store.incidentFacts(shown)
        reading.context = try await IncidentContext(store, windows: context.windows.current, wall: time.wall)
        let basis = try await context.basis(
            time, counts: try await store.statusCounts(), isPaused: query.isPaused,
            pauseAddress: query.with {
                $0.page = query.page
                $0.isPaused.toggle()
            }.address)
        return IncidentsView(reading, basis: basis, time: time)
    }

    func one(_ request: Request, _ id: String) async -> Response {
        let isPaused = request.uri.queryParameters["pause"] != nil
        return await context.answer(request, .incident) { time in
            let store = context.store
            guard let (record, facts) = try await store.incidentWithFacts(id: String(id.prefix(64))) else { return nil }
            let basis = try await context.basis(
                time, counts: try await store.statusCounts(), isPaused: isPaused,
                pauseAddress: isPaused ? "/incidents/\(record.incident.id)" : "/incidents/\(record.incident.id)?pause=1"
            )
            let view = IncidentView(
                record, facts: facts, note: try await store.incidentNotes([record.incident.id])[record.incident.id],
                deliveries: try await store.deliveries(incident: record.incident.id, limit: 200),
                context: try await IncidentContext(store, windows: context.windows.current, wall: time.wall),
                labels: record.incident.domain.flatMap { context.watched.index[$0]?.labels } ?? [:], basis: basis,
                time: time)
            return (view, view.frame)
        }
    }
}
