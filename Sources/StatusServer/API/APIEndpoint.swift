import HTTPTypes
import Hummingbird

/// Every path of the API with its method: the router, the gate before it and the test of `openapi.json` go by this list.
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

    package var method: String { String(rawValue.prefix { $0 != " " }) }
    /// As OpenAPI writes it.
    package var path: String { String(rawValue.drop { $0 != " " }.dropFirst()) }

    var requestMethod: HTTPRequest.Method { HTTPRequest.Method(method) ?? .get }
    var routerPath: RouterPath { RouterPath(path) }

    /// Whether a request that changes something goes to one of these.
    static func takes(_ request: Request) -> Bool {
        guard request.method != .get, request.method != .head else { return false }
        let parts = request.uri.path.split(separator: "/", omittingEmptySubsequences: false)
        return allCases.contains { endpoint in
            let wanted = endpoint.path.split(separator: "/", omittingEmptySubsequences: false)
            return endpoint.requestMethod == request.method && wanted.count == parts.count
                && zip(wanted, parts).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0 == $1 }
        }
    }
}
