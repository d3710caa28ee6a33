import HTTPTypes
import Hummingbird

/// Asks for the token, where there is one, on every path but `/healthz`, whether the path exists or not.
struct AccessGate<Context: RequestContext>: RouterMiddleware {
    let key: AccessKey

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let token = key.token else { return try await next(request, context) }
        if request.uri.path == HealthRoute.path { return try await next(request, context) }
        if let shown = request.headers[.authorization], token.opens(authorization: shown) {
            return try await next(request, context)
        }
        return Response(
            plain: "this page needs the token of server.token, as a Bearer token or as the password\n",
            status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="aasa-monitor", charset="UTF-8""#])
    }
}
