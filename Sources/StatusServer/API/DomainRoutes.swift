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
    /// States that one request reads where it asks for one state. A page may then be short, or empty, and have a next one.
    private static let maximumExamined = 2000

    func list(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit", "cursor", "prefix", "label", "state"])
        let limit = try query.limit()
        let wanted = try query.choice("state", Comparison.State.self)
        var names = chosen(
            prefix: query.text("prefix")?.lowercased() ?? "", label: try query.label("label"),
            after: query.text("cursor") ?? "")
        let time = PageTime(timekeeper)
        let context = try await IncidentContext(store, windows: windows.current, wall: time.wall)
        var page: [DomainSummaryDocument] = []
        var last: String?
        var examined = 0
        while page.count < limit, !names.isEmpty, examined < Self.maximumExamined {
            let part = names.prefix(wanted == nil ? limit - page.count : 200)
            examined += part.count
            last = part.last?.domain.name
            names = names.dropFirst(part.count)
            let states = try await store.states(of: part.map(\.domain))
            for (index, info) in part.enumerated() {
                let state = states[info.domain]
                if let wanted, state?.verdict?.comparison.state != wanted { continue }
                page.append(DomainSummaryDocument(watched: info, state: state, context: context, time: time))
                guard page.count == limit else { continue }
                names = part.dropFirst(index + 1) + names
                last = info.domain.name
                break
            }
        }
        let next = names.isEmpty ? nil : last
        return Response(json: try APIDocument.encoder.encode(Page(domains: page, next: Nullable(next))))
    }

    /// The watched domains that fit, by name.
    private func chosen(
        prefix: String, label: (name: String, value: String)?, after cursor: String
    ) -> ArraySlice<WatchedDomainInfo> {
        watched.domains.filter { info in
            info.domain.name.hasPrefix(prefix) && info.domain.name > cursor
                && (label.map { info.labels[$0.name] == $0.value } ?? true)
        }.sorted { $0.domain.name < $1.domain.name }[...]
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
            logger.info("domain checked at the wish of the API", metadata: ["domain": "\(info.domain)"])
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
        guard let domain = try? Domain(name) else { return nil }
        return watched.domains.first { $0.domain == domain }
    }

    private static var notWatched: Response {
        Response(plain: "this domain is not watched here", status: .notFound)
    }
}
