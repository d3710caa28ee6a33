// Which methods a path takes, and who may change something.

import HTTPTypes
import Hummingbird

/// A method and a path with its parameters in braces, as OpenAPI writes it: `GET /domains/{domain}`.
struct EndpointPath: Sendable {
    let method: HTTPRequest.Method
    let path: String
    private let segments: [Substring]

    init(_ line: String) {
        method = HTTPRequest.Method(String(line.prefix { $0 != " " })) ?? .get
        path = String(line.drop { $0 != " " }.dropFirst())
        segments = path.split(separator: "/")
    }

    /// Ignores empty segments, as the router does.
    func matches(_ parts: [Substring]) -> Bool {
        segments.count == parts.count && zip(segments, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}

/// Refuses methods that a path does not take, and writes from clients that may only read.
struct MethodGate: RouterMiddleware {
    let key: AccessKey

    private static let endpoints =
        APIEndpoint.allCases.map { EndpointPath($0.rawValue) } + PageEndpoint.allCases.map { EndpointPath($0.rawValue) }

    func handle(
        _ request: Request, context: Visit, next: (Request, Visit) async throws -> Response
    ) async throws -> Response {
        let parts = request.uri.path.split(separator: "/")
        let taken = Self.endpoints.filter { $0.matches(parts) }.flatMap { endpoint in
            endpoint.method == .get ? [HTTPRequest.Method.get, .head] : [endpoint.method]
        }
        // No endpoint has this path: the router answers 404.
        guard !taken.isEmpty else { return try await next(request, context) }
        guard taken.contains(request.method) else {
            let names = taken.map(\.rawValue).joined(separator: ", ")
            return Response(
                plain: "405 this path takes \(names)\n", status: .methodNotAllowed, headers: [.allow: names])
        }
        let isWrite = request.method != .get && request.method != .head && request.uri.path != Pages.loginPath
        if isWrite, context.role < .writer {
            return Response(plain: "403 \(key.policy.whyNoWrites)\n", status: .forbidden)
        }
        return try await next(request, context)
    }
}
