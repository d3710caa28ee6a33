// Rules for every answer under /api/: an entity tag on reads, and one format for all errors.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Report

/// The outermost middleware. Gates and routes answer in plain text; this turns the text of an error into JSON, with a code
/// derived from the status, and a request id.
struct APIEnvelope<Context: RequestContext>: RouterMiddleware {
    static var prefix: String { "/api/" }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.uri.path.hasPrefix(Self.prefix) || request.uri.path == APIEndpoint.description.path else {
            return try await next(request, context)
        }
        // HEAD runs as GET, and the body is dropped at the end: the headers must describe that body.
        var head = request.head
        if request.method == .head { head.method = .get }
        let asked = Request(head: head, body: request.body)
        let response = try await answer(asked, context, next)
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(
        _ request: Request, _ context: Context, _ next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        let id = Self.makeID()
        response.headers[HTTPField.Name("X-Request-ID") ?? .server] = id
        if response.status.code >= 400 {
            return try await asError(response, id)
        }
        guard request.method == .get, response.status == .ok else { return response }
        return try await tagged(response, for: request)
    }

    /// A request id: unique, without meaning.
    private static func makeID() -> String {
        String(UUID().uuidString.lowercased().filter { $0 != "-" }.prefix(16))
    }

    private func asError(_ response: Response, _ id: String) async throws -> Response {
        let words = String(buffer: try await response.body.collected())
        let error = APIErrorDocument(status: response.status, words: words, requestID: id)
        var answer = Response(json: try error.encoded())
        answer.status = response.status
        for field in response.headers where field.name != .contentType && field.name != .contentLength {
            answer.headers[field.name] = field.value
        }
        return answer
    }

    /// The tag is a hash of the bytes: the same answer has the same tag, even after a restart.
    private func tagged(_ response: Response, for request: Request) async throws -> Response {
        var response = response
        let body = try await response.body.collected()
        let tag = "\"\(ContentHash(of: body.readableBytesView).hex.prefix(24))\""
        response.headers[.eTag] = tag
        // Shared caches must not keep it; private ones must revalidate.
        response.headers[.cacheControl] = "private, no-cache"
        if let known = request.headers[.ifNoneMatch], Self.names(known, tag) {
            response.status = .notModified
            response.headers[.contentType] = nil
            response.headers[.contentLength] = nil
            response.body = ResponseBody()
            return response
        }
        response.body = ResponseBody(byteBuffer: body)
        return response
    }

    /// Weak comparison: https://www.rfc-editor.org/rfc/rfc9110#name-if-none-match
    private static func names(_ header: String, _ tag: String) -> Bool {
        header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.contains { entry in
            entry == "*" || entry == tag || entry == "W/" + tag
        }
    }
}

/// `{"error": {"code": …, "message": …, "request_id": …}}`
package struct APIErrorDocument: Codable {
    package let error: Content

    package struct Content: Codable {
        package let code: String
        package let message: String
        package let requestId: String
    }

    /// `words`: the plain answer, with or without the status code at its start.
    init(status: HTTPResponse.Status, words: String, requestID: String) {
        var message = words.trimmingCharacters(in: .whitespacesAndNewlines)
        if message.hasPrefix("\(status.code) ") { message = String(message.dropFirst(4)) }
        error = Content(
            code: Self.code(status), message: message.isEmpty ? status.reasonPhrase : message, requestId: requestID)
    }

    /// For programs to compare: the reason phrase as one word.
    static func code(_ status: HTTPResponse.Status) -> String {
        status.reasonPhrase.lowercased().replacing(/[^a-z]+/, with: "_")
    }

    func encoded() throws -> Data { try ReportJSON.encoder.encode(self) }
}

extension ResponseBody {
    /// The whole body, in memory, where the API builds its answers anyway.
    func collected() async throws -> ByteBuffer {
        let collector = Collector()
        try await write(collector)
        return collector.buffer
    }

    private final class Collector: ResponseBodyWriter {
        var buffer = ByteBuffer()

        func write(_ part: ByteBuffer) async throws {
            var part = part
            buffer.writeBuffer(&part)
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }
}
