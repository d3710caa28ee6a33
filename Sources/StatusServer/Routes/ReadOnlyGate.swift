import HTTPTypes
import Hummingbird

/// Nothing here can be changed from outside but silences and who has an incident in hand: whatever else is not GET or HEAD is refused.
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
