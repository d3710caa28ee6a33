import HTTPTypes
import Hummingbird

/// Only silences and acknowledgements can be changed from outside: every other request but GET and HEAD is refused.
struct ReadOnlyGate<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard
            request.method == .get || request.method == .head || SilenceRoute.takes(request)
                || AcknowledgeRoute.takes(request)
        else {
            return Response(
                plain: "405 this server only answers GET and HEAD\n", status: .methodNotAllowed,
                headers: [.allow: "GET, HEAD"])
        }
        return try await next(request, context)
    }
}
