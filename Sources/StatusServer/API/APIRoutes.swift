// All paths for programs. `APIEndpoint` lists them; Resources/openapi.json documents their answers.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import MonitorMetrics
import Monitoring
import Report
import Storage

struct APIRoutes: Sendable {
    let api: API
    let gate: WriteGate
    let logger: Logger
    /// The answer to `/metrics`.
    let metrics: @Sendable () async throws -> Exposition
    let health: @Sendable () async -> MonitorHealth

    /// The largest request body.
    private static let maximumBytes = 16 * 1024
    /// The longest that a request for a check waits.
    private static let checkWait: Duration = .seconds(15)

    func add(to router: Router<Visit>) {
        for endpoint in APIEndpoint.allCases {
            let path = EndpointPath(endpoint.rawValue)
            router.on(RouterPath(path.path), method: path.method) { request, visit in
                do {
                    return try await answer(endpoint, request, visit)
                } catch {
                    guard let refusal = APIRefusal(of: error) else { throw error }
                    return Response(plain: refusal.description, status: refusal.status)
                }
            }
        }
    }

    private func answer(
        _ endpoint: APIEndpoint, _ request: Request, _ visit: Visit
    ) async throws -> Response {
        let api = api.asked(by: visit.role)
        let id = visit.parameter("id")
        let query = try endpoint.parameters.map { try APIQuery(request, keys: $0) } ?? APIQuery()
        switch endpoint {
        case .status: return try json(await api.status())
        case .domains: return try json(await api.domains(SummaryFilter(query), limit: query.limit()))
        case .domain: return try json(await api.domain(domain(visit)))
        case .history:
            return try json(
                await api.history(
                    of: domain(visit), limit: query.limit(default: 20, atMost: HistoryReport.largestLimit)))
        case .check: return try await writing(request) { try await check(domain(visit), api) }
        case .incidents: return try json(await api.incidents(IncidentQuery(query)))
        case .incident: return try json(await api.incident(named: id))
        case .acknowledge:
            return try await gate.answer(request, upTo: Self.maximumBytes) { body in
                let order = try AcknowledgeOrder(json: body)
                return try json(await api.acknowledge(id, by: order.by, reason: order.reason ?? ""))
            }
        case .unacknowledge: return try await writing(request) { try json(await api.unacknowledge(id)) }
        case .deliveries: return try json(await api.deliveries(DeliveryQuery(query)))
        case .delivery: return try json(await api.message(named: id))
        case .retry:
            return try await writing(request) { try json(await api.retry(channel: visit.parameter("channel"))) }
        case .silences: return try json(await api.silences())
        case .addSilence:
            return try await gate.answer(request, upTo: Self.maximumBytes) { body in
                try json(await api.silence(SilenceOrder(json: body)), .created)
            }
        case .endSilence: return try await writing(request) { try json(await api.endSilence(id)) }
        case .description: return Response(json: Data(PackageResources.openapi_json))
        case .metrics: return Response(metrics: try await metrics(), for: request)
        case .probe: return try await probe(request)
        case .health: return liveness
        case .readiness: return await readiness()
        }
    }

    private func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok) throws -> Response {
        var answer = Response(json: try ReportJSON.encoder.encode(value))
        answer.status = status
        return answer
    }

    private func domain(_ visit: Visit) throws -> Domain {
        guard let domain = try? Domain(visit.parameter("domain")) else { throw APIRefusal.notWatched }
        return domain
    }

    /// A write without a body.
    private func writing(_ request: Request, _ write: () async throws -> Response) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        return try await write()
    }

    /// 200 with the domain after the check; 202 if the check takes longer than `checkWait`.
    private func check(_ domain: Domain, _ api: API) async throws -> Response {
        switch try await api.check(domain, wait: Self.checkWait) {
        case .done:
            logger.info("domain checked by the API", metadata: ["domain": "\(domain)"])
            return try json(await api.domain(domain))
        case .underWay:
            var answer = Response(json: Data(#"{"status":"under_way"}"#.utf8))
            answer.status = .accepted
            answer.headers[.location] = "/api/v1/domains/\(domain.name)"
            return answer
        case .tooOften(let seconds):
            return Response(
                plain: "too many checks requested; try again in \(seconds) s", status: .tooManyRequests,
                headers: [.retryAfter: "\(seconds)"])
        case .notWatched: throw APIRefusal.notWatched
        }
    }
}

extension APIRefusal {
    /// With the reason phrase, which becomes the code of the answer.
    var status: HTTPResponse.Status {
        switch reason {
        case .badRequest: .badRequest
        case .notFound: .notFound
        case .conflict: .conflict
        }
    }
}

/// The body of `POST /api/v1/incidents/{id}/ack`: `{"by": "eva", "reason": "on it"}`; `reason` is optional.
package struct AcknowledgeOrder: Codable, Sendable {
    package let by: String
    package let reason: String?

    package init(by: String, reason: String?) {
        self.by = by
        self.reason = reason
    }

    init(json: Data) throws {
        guard let order = try? JSONDecoder().decode(Self.self, from: json) else {
            throw APIRefusal(.badRequest, "the body must be a JSON object with 'by' and an optional 'reason'")
        }
        self = order
    }
}

/// Every path of the API with its method: the router, `MethodGate` and the test of `openapi.json` use this list.
package enum APIEndpoint: String, CaseIterable, Sendable {
    case status = "GET /api/v1/status"
    case domains = "GET /api/v1/domains"
    case domain = "GET /api/v1/domains/{domain}"
    case history = "GET /api/v1/domains/{domain}/history"
    case check = "POST /api/v1/domains/{domain}/check"
    case incidents = "GET /api/v1/incidents"
    case incident = "GET /api/v1/incidents/{id}"
    case acknowledge = "POST /api/v1/incidents/{id}/ack"
    case unacknowledge = "DELETE /api/v1/incidents/{id}/ack"
    case deliveries = "GET /api/v1/deliveries"
    case delivery = "GET /api/v1/deliveries/{id}"
    case retry = "POST /api/v1/channels/{channel}/retry"
    case silences = "GET /api/v1/silences"
    case addSilence = "POST /api/v1/silences"
    case endSilence = "DELETE /api/v1/silences/{id}"
    case description = "GET /openapi.json"
    case metrics = "GET /metrics"
    case probe = "GET /probe"
    case health = "GET /healthz"
    case readiness = "GET /readyz"

    /// The query parameters that it takes; nil: any, for supervisors and scrapers, and for routes that read the query
    /// themselves.
    fileprivate var parameters: Set<String>? {
        switch self {
        case .domains: ["limit", "cursor", "prefix", "label", "state"]
        case .history: ["limit"]
        case .incidents: ["limit", "cursor", "domain", "kind", "state"]
        case .deliveries: ["limit", "cursor", "channel", "incident", "domain"]
        case .probe, .metrics, .health, .readiness: nil
        case .status, .domain, .check, .incident, .acknowledge, .unacknowledge, .delivery, .retry, .silences,
            .addSilence, .endSilence, .description:
            []
        }
    }

    /// Whether it needs no token if `server.public` is set.
    var isPublic: Bool {
        switch self {
        case .domains, .domain, .history, .description: true
        case .status, .check, .incidents, .incident, .acknowledge, .unacknowledge, .deliveries, .delivery, .retry,
            .silences, .addSilence, .endSilence, .metrics, .probe, .health, .readiness:
            false
        }
    }

    package var method: String { EndpointPath(rawValue).method.rawValue }
    /// As OpenAPI writes it.
    package var path: String { EndpointPath(rawValue).path }
}

/// The query of a request, read strictly: a misspelled filter must fail, not return unfiltered results.
struct APIQuery {
    private let values: [String: String]

    init() { values = [:] }

    /// - Throws: `APIRefusal` for a key that is unknown or given twice.
    init(_ request: Request, keys: Set<String>) throws {
        var values: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            let (key, value) = (String(key), String(value))
            guard keys.contains(key) else {
                let known =
                    keys.isEmpty ? "this path takes none" : "this path takes \(keys.sorted().joined(separator: ", "))"
                throw APIRefusal(
                    .badRequest, "unknown parameter '\(key.displayable.shortened(to: 40))'; \(known)")
            }
            guard values.updateValue(value, forKey: key) == nil else {
                throw APIRefusal(.badRequest, "'\(key)' is given twice")
            }
        }
        self.values = values
    }

    /// nil if it is absent or empty.
    func text(_ key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }

    func limit(default standard: Int = 50, atMost: Int = 500) throws -> Int {
        guard let text = text("limit") else { return standard }
        guard let limit = Int(text), (1...atMost).contains(limit) else {
            throw APIRefusal(.badRequest, "'limit' must be a whole number from 1 to \(atMost)")
        }
        return limit
    }

    /// Where the previous page ended: the `next` of its answer. nil for the first page.
    func place<Place>(_ read: (String) -> Place?) throws -> Place? {
        guard let text = text("cursor") else { return nil }
        guard let place = read(text) else {
            throw APIRefusal(.badRequest, "'cursor' must be the 'next' value of an earlier answer")
        }
        return place
    }

    func choice<Word: RawRepresentable & CaseIterable>(_ key: String, _: Word.Type) throws -> Word?
    where Word.RawValue == String {
        guard let text = text(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw APIRefusal(key, isNoneOf: Word.allCases.map(\.rawValue))
        }
        return word
    }

    func domain(_ key: String) throws -> Domain? {
        guard let text = text(key) else { return nil }
        do { return try Domain(text) } catch { throw APIRefusal(.badRequest, "'\(key)' is not a domain") }
    }

    /// `team=growth` or `team:growth`, as labels are stored: `team=growth`.
    func label(_ key: String) throws -> String? {
        guard let text = text(key) else { return nil }
        guard let sign = text.firstIndex(where: { $0 == "=" || $0 == ":" }), sign > text.startIndex else {
            throw APIRefusal(.badRequest, "'\(key)' must be NAME=VALUE, such as team=growth")
        }
        return text[..<sign] + "=" + text[text.index(after: sign)...]
    }
}

extension SummaryFilter {
    fileprivate init(_ query: APIQuery) throws {
        self.init(
            label: try query.label("label"), comparison: try query.choice("state", Comparison.State.self),
            prefix: Domain.kept(query.text("prefix") ?? ""), after: query.text("cursor") ?? "")
    }
}

extension IncidentQuery {
    fileprivate init(_ query: APIQuery) throws {
        self.init(
            domain: try query.domain("domain"), kind: try query.choice("kind", IncidentKind.self),
            state: try query.choice("state", IncidentQuery.State.self), after: try query.place(IncidentPlace.init),
            limit: try query.limit())
    }
}

extension DeliveryQuery {
    fileprivate init(_ query: APIQuery) throws {
        self.init(
            channel: query.text("channel"), incident: query.text("incident"), domain: try query.domain("domain"),
            after: try query.place(DeliveryPlace.init), limit: try query.limit(default: 100))
    }
}
