import HTTPTypes
import Hummingbird

/// Asks for the token on every path but `/healthz`, whether the path exists or not.
struct AccessGate<Context: RequestContext>: RouterMiddleware {
    let token: AccessToken

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if request.uri.path == HealthRoute.path { return try await next(request, context) }
        if let shown = request.headers[.authorization], token.opens(authorization: shown) {
            return try await next(request, context)
        }
        return Response(
            plain: "this page needs the token of server.token, as a Bearer token or as the password\n",
            status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="aasa-monitor", charset="UTF-8""#])
    }
}
