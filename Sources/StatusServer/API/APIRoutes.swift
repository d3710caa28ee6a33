// All paths for programs. The list of them is `APIEndpoint`; what each answers is documented in Templates/openapi.json.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import Storage

struct APIRoutes: Sendable {
    let domains: DomainRoutes
    let incidents: IncidentRoutes
    let acknowledgements: AcknowledgeRoute
    let deliveries: DeliveryRoute
    let silences: SilenceRoute
    /// What `/metrics` answers.
    let metrics: @Sendable () async throws -> [UInt8]
    let probe: ProbeRoute
    let readiness: ReadyRoute

    func add(to router: Router<Visit>) {
        for endpoint in APIEndpoint.allCases {
            let path = EndpointPath(endpoint.rawValue)
            router.on(RouterPath(path.path), method: path.method) { request, visit in
                do {
                    return try await answer(endpoint, request, visit)
                } catch let fault as QueryFault {
                    return Response(plain: fault.description, status: .badRequest)
                } catch let fault as UnknownName {
                    return Response(plain: fault.description, status: .notFound)
                }
            }
        }
    }

    private func answer(
        _ endpoint: APIEndpoint, _ request: Request, _ visit: Visit
    ) async throws -> Response {
        let (id, domain) = (visit.parameter("id"), visit.parameter("domain"))
        if !endpoint.readsItsQuery { _ = try APIQuery(request, keys: []) }
        switch endpoint {
        case .domains: return try await domains.list(request, visit.role)
        case .domain: return try await domains.one(domain, visit.role)
        case .history: return try await domains.history(request, domain, visit.role)
        case .check: return try await domains.check(request, domain)
        case .incidents: return try await incidents.list(request)
        case .incident: return try await incidents.one(id)
        case .acknowledge: return try await acknowledgements.acknowledge(request, id: id)
        case .unacknowledge: return try await acknowledgements.unacknowledge(request, id: id)
        case .deliveries: return try await deliveries.list(request)
        case .delivery: return try await deliveries.one(id)
        case .retry:
            return try await deliveries.retry(request, channel: visit.parameter("channel"))
        case .silences: return try await silences.list()
        case .addSilence: return try await silences.add(request)
        case .endSilence: return try await silences.end(request, id: id)
        case .description: return Response(json: Data(PackageResources.openapi_json))
        case .metrics: return Response(metrics: try await metrics())
        case .probe: return try await probe.answer(request)
        case .health: return HealthRoute.answer()
        case .readiness: return await readiness.answer()
        }
    }
}

/// Every path of the API with its method: the router, `MethodGate` and the test of `openapi.json` go by this list.
package enum APIEndpoint: String, CaseIterable, Sendable {
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

    /// Whether its route reads the query, and refuses what it does not know; all others take none.
    fileprivate var readsItsQuery: Bool {
        switch self {
        case .domains, .history, .incidents, .deliveries, .probe: true
        // Supervisors and scrapers may put what they like behind these.
        case .metrics, .health, .readiness: true
        case .domain, .check, .incident, .acknowledge, .unacknowledge, .delivery, .retry, .silences, .addSilence,
            .endSilence, .description:
            false
        }
    }

    /// Whether it needs no token where `server.public` is set.
    var isPublic: Bool {
        switch self {
        case .domains, .domain, .history, .description: true
        case .check, .incidents, .incident, .acknowledge, .unacknowledge, .deliveries, .delivery, .retry, .silences,
            .addSilence, .endSilence, .metrics, .probe, .health, .readiness:
            false
        }
    }

    package var method: String { EndpointPath(rawValue).method.rawValue }
    /// As OpenAPI writes it.
    package var path: String { EndpointPath(rawValue).path }
}

/// Why a request cannot be answered, for who sent it; a 400.
struct QueryFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    init(_ key: String, isNoneOf words: [String]) {
        description = "'\(key)' is none of \(words.joined(separator: ", "))"
    }
}

/// The query of a request, read strictly: a misspelt filter must not look like an answer to what was meant.
struct APIQuery {
    private let values: [String: String]

    /// - Throws: `QueryFault` for a key that is unknown or given twice.
    init(_ request: Request, keys: Set<String>) throws {
        var values: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            let (key, value) = (String(key), String(value))
            guard keys.contains(key) else {
                let known =
                    keys.isEmpty ? "there are none here" : "the parameters are \(keys.sorted().joined(separator: ", "))"
                throw QueryFault("unknown parameter '\(key.displayable.shortened(to: 40))'; \(known)")
            }
            guard values.updateValue(value, forKey: key) == nil else { throw QueryFault("'\(key)' is given twice") }
        }
        self.values = values
    }

    /// nil where it is absent or empty.
    func text(_ key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }

    func limit(default standard: Int = 50, atMost: Int = 500) throws -> Int {
        guard let text = text("limit") else { return standard }
        guard let limit = Int(text), (1...atMost).contains(limit) else {
            throw QueryFault("'limit' is not a whole number from 1 to \(atMost)")
        }
        return limit
    }

    /// Where the page before ended, as `next` of its answer has it; nil for the first page.
    func place<Place>(_ read: (String) -> Place?) throws -> Place? {
        guard let text = text("cursor") else { return nil }
        guard let place = read(text) else { throw QueryFault("'cursor' is none that this server gave") }
        return place
    }

    func choice<Word: RawRepresentable & CaseIterable>(_ key: String, _: Word.Type) throws -> Word?
    where Word.RawValue == String {
        guard let text = text(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw QueryFault(key, isNoneOf: Word.allCases.map(\.rawValue))
        }
        return word
    }

    func domain(_ key: String) throws -> Domain? {
        guard let text = text(key) else { return nil }
        do { return try Domain(text) } catch { throw QueryFault("'\(key)' is no domain") }
    }

    /// `team:growth`
    func label(_ key: String) throws -> (name: String, value: String)? {
        guard let text = text(key) else { return nil }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw QueryFault("'\(key)' is not NAME:VALUE, such as team:growth")
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
