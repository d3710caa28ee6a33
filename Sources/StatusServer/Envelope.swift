import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Storage

/// Rules for every answer: headers that limit what a browser may do with it, errors in plain text, and no body for HEAD.
struct Envelope<Context: RequestContext>: RouterMiddleware {
    private static var headers: HTTPFields {
        var fields = HTTPFields()
        // A page loads only files of this server: no inline style or script, nothing from other sites.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
            + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        fields[.xContentTypeOptions] = "nosniff"
        if let referrerPolicy = HTTPField.Name("Referrer-Policy") { fields[referrerPolicy] = "same-origin" }
        if let policy = HTTPField.Name("Cross-Origin-Opener-Policy") { fields[policy] = "same-origin" }
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
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        // Only badges are meant for other sites.
        if let policy = HTTPField.Name("Cross-Origin-Resource-Policy"), response.headers[policy] == nil {
            response.headers[policy] = "same-origin"
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension Response {
    /// A sentence for people and scripts.
    init(plain text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = "text/plain; charset=utf-8"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    init(json data: Data) {
        self.init(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}

extension Response {
    /// The store cannot be read or written now; clients may retry in half a minute. `headers`: additional ones.
    static func storeAway(_ headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.retryAfter] = "30"
        return Response(
            plain: "503 the store cannot be read or written at the moment; the log of aasa-monitor says why\n",
            status: .serviceUnavailable, headers: headers)
    }
}
