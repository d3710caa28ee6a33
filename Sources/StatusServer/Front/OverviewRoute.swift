import Evidence
import Foundation
import Hummingbird
import Monitoring
import Report
import Storage

/// The overview: reads its rows from the store and turns them into HTML.
extension Pages {
    func overview(_ request: Request) async -> Response {
        await context.answer(request) { time in try await overview(try FrontQuery(request.parameters), time).html }
    }

    func overview(_ query: FrontQuery, _ time: ReportTime) async throws -> FrontPage {
        let store = context.store
        let watched = context.watched.index
        let counts = try await store.statusCounts()
        let frame = try await context.frame(
            time, role, counts: counts, isPaused: query.isPaused,
            pauseAddress: query.with {
                $0.page = query.page
                $0.isPaused.toggle()
            }.address)
        let incidents = try await api.context(time)
        let confirmed = try await store.confirmedIncidents()
        let decisions = Decisions(
            try await store.troubled(query.filter), confirmed, incidents, watched, time)
        var page = FrontPage(
            query: query, watched: watched, frame: frame, counts: counts,
            context: try await incidents.notified(of: decisions.acknowledgeable(query.rows), in: store),
            decisions: query.isList ? Decisions() : decisions)
        page.records = try await records(of: page)
        let known = try await store.incidentCounts(since: .distantFuture)
        page.openIncidents = known.open
        if role > .visitor {
            page.unacknowledged = max(0, known.unacknowledged - (try await incidents.inhibited(in: store)))
        }
        let starts = confirmed.map(\.since)
        if let first = starts.min(), let last = starts.max() { page.began = first...last }
        // More domains may match a filter than decisions name.
        let isCut = (query.state != nil || query.reason != nil) && !decisions.namesAll(query.rows)
        page.list = try await list(query, isOfAll: query.order != .trouble || isCut, watched, time)
        if !query.isFiltered, !query.isList { page.ended = try await ended(time, watched) }
        if page.all == 1, !query.isFiltered, let only = watched.domains.first {
            page.single = try await domainView(only, DomainQuery(), page.context, frame)
        }
        return page
    }

    private func records(of page: FrontPage) async throws -> [Domain: SummaryRecord] {
        let groups = Decisions.Section.allCases.flatMap { page.shownGroups($0) }
        let names = groups.flatMap { $0.domains.prefix(FrontPage.mostNames).map(\.domain.name) }
        let records = try await context.store.summaries(names)
        return Dictionary(records.map { ($0.domain, $0) }) { first, _ in first }
    }

    private func list(
        _ query: FrontQuery, isOfAll: Bool, _ watched: WatchIndex, _ time: ReportTime
    ) async throws -> DomainList {
        var list = DomainList(isOfAll: isOfAll)
        var filter = query.filter
        if !isOfAll {
            let calm = DomainStatus.Tile.current.statuses
            filter.statuses = filter.statuses.isEmpty ? calm : calm.filter(filter.statuses.contains)
            guard !filter.statuses.isEmpty else { return list }
        }
        (list.total, list.records) = try await context.store.summaries(
            filter, order: query.order, limit: query.rows, offset: (query.page - 1) * query.rows)
        list.pasts = try await context.store.pasts(
            of: list.records.map(\.domain), since: time.now - Double(DomainList.days) * 86400)
        return list
    }

    /// The incidents that ended in the last 24 hours, except those of domains that are no longer watched.
    private func ended(_ time: ReportTime, _ watched: WatchIndex) async throws -> [IncidentReport] {
        let query = IncidentQuery(
            state: .resolved, since: time.now - 86400, order: .ended, limit: 4 * FrontPage.mostEnded)
        let records = try await context.store.incidents(query).filter { record in
            record.incident.inhibitedBy == nil
                && (record.incident.domain.map { watched[$0] != nil } ?? (role > .visitor))
        }
        return try await api.reports(Array(records.prefix(FrontPage.mostEnded + 1)), time)
    }
}

/// The query of the overview's address. Each view has its own address, which can be shared.
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

    /// `parameters`: from the address. An invalid order, page or number of rows is ignored.
    ///
    /// - Throws: `APIRefusal` for an unknown state: without a filter the list would show the wrong domains.
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

    /// Whether it asks for a list of domains and not for decisions.
    var isList: Bool { page > 1 || order != .trouble }

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
