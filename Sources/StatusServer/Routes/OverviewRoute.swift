import Evidence
import Foundation
import Hummingbird
import Monitoring
import Storage

/// The overview: the rows that it shows are read from the store, put into words, put into HTML.
struct OverviewRoute: Sendable {
    let context: PageContext

    func answer(_ request: Request) async -> Response {
        let query = FrontQuery(
            Dictionary(request.uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first })
        return await context.answer(request, .overview) { time in
            let page = try await page(query, time)
            return (page, page.frame)
        }
    }

    func page(_ query: FrontQuery, _ time: PageTime) async throws -> FrontPage {
        let store = context.store
        let watched = context.watched.index
        let counts = try await store.statusCounts()
        let (total, records) = try await store.briefs(
            query.filter, order: query.order, limit: query.rows, offset: (query.page - 1) * query.rows)
        var reading = FrontPage.Reading(query: query, counts: counts, total: total, records: records)
        reading.trend = try await store.statusCounts(since: time.now - Trend.window)
        reading.context = try await IncidentContext(store, windows: context.windows.current, wall: time.wall)
        reading.acknowledged = reading.context.acknowledgements.count
        reading.openIncidents = try await store.openIncidentCount()
        let all = counts.values.reduce(0, +)
        let troubled = counts.reduce(0) { $0 + ($1.key.needsAttention ? $1.value : 0) }
        let isLarge = all > FrontPage.large
        if isLarge || troubled > FrontPage.many {
            let groups = try await store.reasons(query.filter, limit: 12)
            let examples = try await store.briefs(groups.map(\.example.name))
            reading.reasons = groups.map { group in (group, examples.first { $0.domain == group.example }) }
        }
        if isLarge {
            if let key = query.by ?? watched.labelKeys.first, !query.isFiltered {
                reading.attention = try await store.attention(byLabel: key)
            }
        } else {
            let ids = records.flatMap { record in
                record.status.needsAttention ? record.brief?.incidents.map(\.id) ?? [] : []
            }
            reading.incidents = try await store.incidentNotes(ids)
        }
        let basis = try await context.basis(
            time, counts: counts, isPaused: query.isPaused,
            pauseAddress: query.with {
                $0.page = query.page
                $0.isPaused.toggle()
            }.address)
        return FrontPage(reading, watched: watched, basis: basis, time: time)
    }
}
