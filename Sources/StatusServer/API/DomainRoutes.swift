// Watched domains for programs: the list, one of them, its history, and a check now.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import Storage

struct DomainRoutes: Sendable {
    let store: Store
    let timekeeper: any Timekeeper
    let logger: Logger
    let watched: WatchList
    let windows: WindowList
    let gate: WriteGate
    let actions: MonitorActions

    // MARK: - The list

    private struct Page: Encodable {
        let schema = "aasa-monitor/domains/v1"
        let domains: [DomainSummaryDocument]
        /// `cursor` of the next page.
        let next: Nullable<String>
    }

    /// By name. The cursor is the last name of the page before.
    func list(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit", "cursor", "prefix", "label", "state"])
        let limit = try query.limit()
        let filter = BriefFilter(
            label: try query.label("label").map { "\($0.name)=\($0.value)" },
            comparison: try query.choice("state", Comparison.State.self),
            prefix: query.text("prefix")?.lowercased() ?? "", after: query.text("cursor") ?? "")
        let time = PageTime(timekeeper)
        try await watched.show(in: store, at: time)
        let names = try await store.names(filter, limit: limit + 1)
        let page = names.prefix(limit).compactMap { name in (try? Domain(name)).flatMap { watched.index[$0] } }
        let states = try await store.states(of: page.map(\.domain))
        let context = try await IncidentContext(store, windows: windows.current, wall: time.wall)
        let domains = page.map {
            DomainSummaryDocument(watched: $0, state: states[$0.domain], context: context, time: time)
        }
        let next = names.count > limit ? names[limit - 1] : nil
        return Response(json: try APIDocument.encoder.encode(Page(domains: domains, next: Nullable(next))))
    }

    // MARK: - One domain

    func one(_ name: String) async throws -> Response {
        guard let info = info(name) else { return Self.notWatched }
        return Response(json: try await document(info))
    }

    func history(_ request: Request, _ name: String) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit"])
        let limit = try query.limit(default: 20, atMost: DomainHistory.largestLimit)
        guard let info = info(name) else { return Self.notWatched }
        guard
            let history = try await DomainHistory(
                store, domain: info.domain, limit: limit, time: PageTime(timekeeper))
        else { return Response(plain: "the domain was not checked yet", status: .notFound) }
        return Response(json: try history.document())
    }

    /// One who asks for a check waits so long at most.
    private static let patience: Duration = .seconds(15)

    /// 200 with the domain as the check left it; 202 where it takes longer.
    func check(_ request: Request, _ name: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        guard let info = info(name) else { return Self.notWatched }
        switch await actions.checkNow(info.domain, Self.patience) {
        case .done:
            logger.info("domain checked by the API", metadata: ["domain": "\(info.domain)"])
            return Response(json: try await document(info))
        case .underWay:
            var answer = Response(json: Data(#"{"status":"under_way"}"#.utf8))
            answer.status = .accepted
            answer.headers[.location] = "/api/v1/domains/\(info.domain.name)"
            return answer
        case .tooOften(let seconds):
            return Response(
                plain: "checks were asked for too often; again in \(seconds) s", status: .tooManyRequests,
                headers: [.retryAfter: "\(seconds)"])
        case .notWatched: return Self.notWatched
        }
    }

    private func document(_ info: WatchedDomainInfo) async throws -> Data {
        let time = PageTime(timekeeper)
        let context = try await IncidentContext(store, windows: windows.current, wall: time.wall)
        return try DomainDocument(
            watched: info, state: try await store.state(of: info.domain),
            full: try await store.lastFullLook(of: info.domain), context: context, time: time
        ).encoded()
    }

    private func info(_ name: String) -> WatchedDomainInfo? {
        (try? Domain(name)).flatMap { watched.index[$0] }
    }

    private static var notWatched: Response {
        Response(plain: "this domain is not watched here", status: .notFound)
    }
}
