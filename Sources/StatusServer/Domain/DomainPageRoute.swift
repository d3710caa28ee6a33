import Evidence
import Foundation
import Hummingbird
import Monitoring
import Report
import Storage

/// The page of one domain. Each part has its own address.
extension Pages {
    private static let maximumIncidents = 40
    private static let maximumDeliveries = 40

    func domain(_ request: Request, _ name: String, _ tab: DomainTab = .now) async -> Response {
        guard let domain = try? Domain(name), let watched = context.watched.index[domain] else {
            return Response(plain: "404 this domain is not watched here\n", status: .notFound)
        }
        var query = DomainQuery(request.parameters, tab)
        if refusal != nil { query.isPaused = true }
        return await context.answer(request) { [query] time in
            var frame = try await context.frame(
                time, role, refusal, counts: try await context.store.statusCounts(), isPaused: query.isPaused,
                pauseAddress: query.with { $0.isPaused.toggle() }.address("/domains/\(domain.name)"))
            if context.api.actions.isChecking(domain) { frame.refreshSeconds = PageContext.fastRefreshSeconds }
            return try await domainView(watched, query, try await api.context(time), frame).html
        }
    }

    func domainView(
        _ watched: WatchedDomain, _ query: DomainQuery, _ current: IncidentContext, _ frame: Frame
    ) async throws -> DomainView {
        let (store, domain, time) = (context.store, watched.domain, frame.time)
        let record =
            try await store.summaries([domain.name]).first ?? SummaryRecord(unchecked: domain)
        var window = query.window ?? 90 * 86400
        window = max(window, 86400)
        var view = DomainView(
            query: query, watched: watched, frame: frame, cdnBaseURL: context.cdnBaseURL, record: record,
            state: try await store.state(of: domain), full: try await store.lastFullCheck(of: domain),
            propagation: try await store.propagation(of: domain, since: time.now - window))
        if query.tab == .history {
            view.past = try await store.past(of: domain, since: time.now - Double(HistoryBar.count) * 86400)
        }
        view.isChecking = context.api.actions.isChecking(domain)
        if role > .visitor {
            var query = IncidentQuery(domain: domain, limit: Self.maximumIncidents)
            query.hasPending = true
            let records = try await store.incidents(query)
            // The page itself says what is wrong in open incidents.
            let ended = records.filter { $0.incident.state == .resolved }.prefix(DomainView.mostEarlier)
            view.incidents = try await api.reports(
                records, time, current, accounts: try await store.incidentAccounts(ended.map(\.incident.id)))
        }
        for id in view.incidents.filter({ $0.state != .resolved }).map(\.id) {
            view.deliveries[id] = try await api.reports(
                try await store.deliveries(incident: id, limit: Self.maximumDeliveries), time)
        }
        view.silences = current.silences.silences.filter {
            $0.scope.isAbout(domain, labels: watched.labels)
        }.map { SilenceReport($0, now: time.wall) }
        return view
    }
}

/// The parts of a domain's page. Each has its own address, such as `/domains/example.com/edges`.
enum DomainTab: String, CaseIterable, Sendable {
    case now = ""
    case changes, edges, history, findings, evidence

    var title: String {
        switch self {
        case .now: "Now"
        case .changes: "What changes"
        case .edges: "Edges and origin"
        case .history: "History"
        case .findings: "Findings"
        case .evidence: "Evidence"
        }
    }
}

/// What the address of a domain's page says.
struct DomainQuery: Equatable, Sendable {
    var tab = DomainTab.now
    /// Seconds; nil: what the last changes suggest.
    var window: TimeInterval?
    /// The URL to try; empty: none.
    var url = ""
    var isPaused = false

    init() {}

    init(_ parameters: [String: String], _ tab: DomainTab) {
        self.tab = tab
        window = parameters["window"].flatMap(Int.init).flatMap {
            (3600...(400 * 86400)).contains($0) ? TimeInterval($0) : nil
        }
        url = String((parameters["url"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).prefix(2000))
        isPaused = parameters["pause"] != nil
    }

    /// `path`: of the domain.
    func address(_ path: String) -> String {
        .address(
            tab == .now ? path : "\(path)/\(tab.rawValue)",
            ["window": window.map { "\(Int($0))" }, "url": url, "pause": isPaused ? "1" : nil])
    }

    func with(_ change: (inout DomainQuery) -> Void) -> DomainQuery {
        var copy = self
        change(&copy)
        return copy
    }
}
