import Evidence
import Foundation
import Hummingbird
import Monitoring
import Report
import Storage

/// The overview: the rows that it shows are read from the store, put into words, put into HTML.
extension Pages {
    func overview(_ request: Request) async -> Response {
        await context.answer(request) { time in try await overview(try FrontQuery(request.parameters), time).html }
    }

    func overview(_ query: FrontQuery, _ time: ReportTime) async throws -> FrontPage {
        let store = context.store
        let watched = context.watched.index
        let counts = try await store.statusCounts()
        let (total, records) = try await store.summaries(
            query.filter, order: query.order, limit: query.rows, offset: (query.page - 1) * query.rows)
        let frame = try await context.frame(
            time, role, counts: counts, isPaused: query.isPaused,
            pauseAddress: query.with {
                $0.page = query.page
                $0.isPaused.toggle()
            }.address)
        var page = FrontPage(
            query: query, watched: watched, frame: frame, counts: counts, total: total, records: records)
        page.context = try await api.context(time)
        let incidents = try await store.incidentCounts(since: .distantFuture)
        page.openIncidents = incidents.open
        if role > .visitor {
            let inhibited = try await page.context.inhibited(in: store)
            page.unacknowledged = max(0, incidents.unacknowledged - inhibited)
        }
        if page.isLarge || page.troubled >= FrontPage.many {
            let groups = try await store.reasons(query.filter, limit: 12)
            let examples = try await store.summaries(groups.map(\.example.name))
            page.reasons = groups.map { group in (group, examples.first { $0.domain == group.example }) }
        }
        if !page.isLarge, role > .visitor {
            let ids = records.flatMap { record in
                record.status.needsAttention ? record.summary?.incidents.map(\.incident.id) ?? [] : []
            }
            page.context = try await page.context.notified(of: ids, in: store)
        }
        if page.all == 1, !query.isFiltered, let only = records.first.flatMap({ watched[$0.domain] }) {
            page.single = try await domainView(only, DomainQuery(), page.context, frame)
        }
        return page
    }
}

/// What the address of the overview says: each view has one that can be shared.
struct FrontQuery: Equatable, Sendable {
    /// The name of a status or a tile; nil: any.
    var state: String?
    var search = ""
    var label: String?
    var reason: String?
    var order = SummaryFilter.Order.trouble
    /// From 1.
    var page = 1
    var rows = Self.rowCounts[0]
    var isPaused = false

    static let rowCounts = [25, 50, 100]

    init() {}

    /// `parameters`: as the address has them; how rows are shown counts as absent where it cannot be understood.
    ///
    /// - Throws: `APIRefusal` for a state that there is not: without its filter the list would show others.
    init(_ parameters: [String: String]) throws(APIRefusal) {
        if let state = parameters["state"], !state.isEmpty {
            guard !Self.statuses(of: state).isEmpty else {
                throw APIRefusal(
                    "state",
                    isNoneOf: DomainStatus.Tile.allCases.map(\.rawValue) + DomainStatus.allCases.map(\.rawValue))
            }
            self.state = state
        }
        search = String((parameters["q"] ?? "").trimmingCharacters(in: .whitespaces).lowercased().prefix(253))
        label = parameters["label"].flatMap { $0.isEmpty ? nil : String($0.prefix(500)) }
        reason = parameters["reason"].flatMap { $0.isEmpty ? nil : String($0.prefix(200)) }
        order = parameters["sort"].flatMap(SummaryFilter.Order.init(rawValue:)) ?? .trouble
        page = min(max(1, parameters["page"].flatMap(Int.init) ?? 1), 100_000)
        rows = parameters["rows"].flatMap(Int.init).flatMap { Self.rowCounts.contains($0) ? $0 : nil } ?? rows
        isPaused = parameters["pause"] != nil
    }

    static func statuses(of name: String) -> [DomainStatus] {
        if let status = DomainStatus(rawValue: name) { return [status] }
        return DomainStatus.Tile(rawValue: name)?.statuses ?? []
    }

    var filter: SummaryFilter {
        SummaryFilter(statuses: state.map(Self.statuses) ?? [], search: search, label: label, reason: reason)
    }

    var isFiltered: Bool { state != nil || !search.isEmpty || label != nil || reason != nil }

    /// The address of this view; a change of the filter goes to the first page.
    var address: String {
        .address(
            "/",
            [
                "q": search, "state": state, "label": label, "reason": reason,
                "sort": order == .trouble ? nil : order.rawValue, "rows": rows == Self.rowCounts[0] ? nil : "\(rows)",
                "page": page == 1 ? nil : "\(page)", "pause": isPaused ? "1" : nil,
            ])
    }

    func with(_ change: (inout FrontQuery) -> Void) -> FrontQuery {
        var copy = self
        copy.page = 1
        change(&copy)
        return copy
    }
}
