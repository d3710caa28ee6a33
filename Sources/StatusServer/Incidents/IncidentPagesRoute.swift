import Evidence
import Foundation
import Hummingbird
import Monitoring
import Report
import Storage

/// The list of incidents, and the page of one.
extension Pages {
    /// In each section.
    private static let incidentRows = 50

    func incidents(_ request: Request) async -> Response {
        await context.answer(request) { time in
            var query = try IncidentsQuery(request.parameters)
            if refusal != nil { query.isPaused = true }
            return try await incidents(query, time).html
        }
    }

    func incidents(_ query: IncidentsQuery, _ time: ReportTime) async throws -> IncidentsView {
        let store = context.store
        let start = time.now - Double(query.days) * 86400
        func section(_ state: IncidentQuery.State) -> IncidentQuery {
            IncidentQuery(
                search: query.search, kind: query.kind, state: state, order: .attention, limit: Self.incidentRows)
        }
        var ended = section(.resolved)
        (ended.since, ended.order) = (start, .ended)
        (ended.limit, ended.offset) = (Self.incidentRows + 1, (query.page - 1) * Self.incidentRows)
        let resolved = try await store.incidents(ended)
        let isFirst = query.page == 1
        let open = isFirst ? try await store.incidents(section(.open)) : []
        let pending = isFirst ? try await store.incidents(section(.pending)) : []
        let known = try await api.context(time)
        let shown = try await api.reports(open + pending + resolved.prefix(Self.incidentRows), time, known)
        let frame = try await context.frame(
            time, role, refusal, counts: try await store.statusCounts(), isPaused: query.isPaused,
            pauseAddress: query.with {
                $0.page = query.page
                $0.isPaused.toggle()
            }.address)
        var view = IncidentsView(
            query: query, frame: frame, open: shown.filter(\.isOpen), pending: shown.filter { $0.state == .pending },
            resolved: shown.filter { $0.state == .resolved }, all: try await store.incidentCounts(since: start),
            counts: try await store.incidentCounts(search: query.search, kind: query.kind, since: start))
        view.all.unacknowledged = max(0, view.all.unacknowledged - (try await known.inhibited(in: store)))
        view.hasMore = resolved.count > Self.incidentRows
        return view
    }

    func incident(_ request: Request, _ id: String) async -> Response {
        let isPaused = refusal != nil || request.uri.queryParameters["pause"] != nil
        let link = refusal?.link ?? request.parameters["link"] ?? ""
        return await context.answer(request) { time in
            try await incidentView(id, isPaused: isPaused, link: link, time)?.html
        }
    }

    /// `link`: from a message; empty: none. Showing the page never uses up the link, because chats and mail servers open
    /// links by themselves. nil: there is no such incident.
    func incidentView(_ id: String, isPaused: Bool, link: String = "", _ time: ReportTime) async throws -> IncidentView?
    {
        let incident: IncidentDetail
        do {
            incident = try await api.incident(named: String(id.prefix(64)))
        } catch is UnknownName {
            return nil
        }
        let path = "/incidents/\(incident.id)"
        var frame = try await context.frame(
            time, role, refusal, counts: try await context.store.statusCounts(), isPaused: isPaused,
            pauseAddress: isPaused ? path : path + "?pause=1")
        if !link.isEmpty {
            do {
                frame.link = try await context.store.link(LinkUse(link, incidentID: incident.id, wall: time.wall))
                if !frame.canWrite { frame.refuse("\(context.key.policy.whyNoWrites.atStart).") }
            } catch let fault as AcknowledgeLink.Fault {
                frame.refuse("\(fault)\(frame.canWrite ? " Use the forms on this page." : "")")
            }
            if !incident.isOpen { frame.refuse("The incident has ended: there is nothing to acknowledge.") }
        }
        return IncidentView(incident: incident, frame: frame)
    }
}

extension Frame {
    /// Says why a request is refused, and keeps what was typed.
    fileprivate mutating func refuse(_ words: String) {
        var refused = refusal ?? Refusal("", FormBody(""))
        refused.words = words
        refusal = refused
    }
}

/// The query of the address of the incident list.
struct IncidentsQuery: Equatable, Sendable {
    var search = ""
    var kind: IncidentKind?
    var days = 14
    var page = 1
    var isPaused = false

    static let windows = [1, 7, 14, 90]

    /// - Throws: `APIRefusal` for an unknown kind: without a filter the list would show the wrong incidents.
    init(_ parameters: [String: String]) throws(APIRefusal) {
        search = String((parameters["q"] ?? "").trimmingCharacters(in: .whitespaces).lowercased().prefix(253))
        if let text = parameters["kind"], !text.isEmpty {
            guard let kind = IncidentKind(rawValue: text) else {
                throw APIRefusal("kind", isNoneOf: IncidentKind.allCases.map(\.rawValue))
            }
            self.kind = kind
        }
        days = parameters["days"].flatMap(Int.init).flatMap { Self.windows.contains($0) ? $0 : nil } ?? days
        page = min(max(1, parameters["page"].flatMap(Int.init) ?? 1), 10_000)
        isPaused = parameters["pause"] != nil
    }

    var address: String {
        .address(
            "/incidents",
            [
                "q": search, "kind": kind?.rawValue, "days": days == 14 ? nil : "\(days)",
                "page": page > 1 ? "\(page)" : nil, "pause": isPaused ? "1" : nil,
            ])
    }

    func with(_ change: (inout IncidentsQuery) -> Void) -> IncidentsQuery {
        var copy = self
        copy.page = 1
        change(&copy)
        return copy
    }
}
