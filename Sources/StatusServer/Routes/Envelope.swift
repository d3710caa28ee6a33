import Evidence
import HTTPTypes
import Hummingbird
import Logging
import Storage

/// What holds for every answer: headers that keep a browser from doing more than showing it, errors in plain words, and no
/// body after HEAD.
struct Envelope<Context: RequestContext>: RouterMiddleware {
    private static var headers: HTTPFields {
        var fields = HTTPFields()
        // The page has its style inside and nothing else: no script, no image, no frame, no form.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        fields[.xContentTypeOptions] = "nosniff"
        if let referrerPolicy = HTTPField.Name("Referrer-Policy") { fields[referrerPolicy] = "no-referrer" }
        fields[.cacheControl] = "no-store"
        return fields
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as HTTPError {
            response = Response(plain: "\(error.status.code) \(error.status.reasonPhrase)\n", status: error.status)
        } catch let error as StoreError {
            context.logger.error(
                "request failed: store failed",
                metadata: ["path": "\(request.uri.path.displayable)", "error": "\(error.message.displayable)"])
            response = .storeAway()
        } catch {
            context.logger.error(
                "request failed",
                metadata: [
                    "path": "\(request.uri.path.displayable)", "error": "\(String(describing: error).displayable)",
                ])
            response = Response(plain: "500 internal error\n", status: .internalServerError)
        }
        for field in Self.headers { response.headers[field.name] = field.value }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
