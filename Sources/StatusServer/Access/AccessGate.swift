import HTTPTypes
import Hummingbird

/// Asks for the token, where there is one, on every path but those of probes, the login form and its files, whether the path
/// exists or not. Browsers are led to the form.
struct AccessGate<Context: RequestContext>: RouterMiddleware {
    let key: AccessKey

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let token = key.token else { return try await next(request, context) }
        let path = request.uri.path
        if HealthRoute.openPaths.contains(path) || path == LoginRoute.path || path.hasPrefix(Assets.path) {
            return try await next(request, context)
        }
        if let shown = request.headers[.authorization] {
            if token.opens(authorization: shown) { return try await next(request, context) }
        } else if let session = Session.value(of: request), token.opens(session: session) {
            return try await next(request, context)
        } else if request.method == .get, request.headers[.accept]?.contains("text/html") == true {
            return .seeOther(LoginRoute.address(from: request.uri.string))
        }
        return Response(
            plain: "this page needs the token of server.token, as a Bearer token or as the password\n",
            status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="aasa-monitor", charset="UTF-8""#])
    }
}
