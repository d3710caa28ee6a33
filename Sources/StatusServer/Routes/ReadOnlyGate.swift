import HTTPTypes
import Hummingbird

/// Requests that change something go to paths of the API that take them: every other one but GET and HEAD is refused.
struct ReadOnlyGate<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard
            request.method == .get || request.method == .head || APIEndpoint.takes(request)
                || PageWritesRoute.takes(request)
        else {
            return Response(
                plain: "405 this server only answers GET and HEAD\n", status: .methodNotAllowed,
                headers: [.allow: "GET, HEAD"])
        }
        return try await next(request, context)
    }
}
