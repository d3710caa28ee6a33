// What a browser shows if there is no page, or if a request is refused.

import AASA
import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Report

/// Puts refusals into the frame of the pages, for browsers. Programs get the plain text of gates and routes unchanged.
struct ErrorPage: RouterMiddleware {
    let context: PageContext

    func handle(
        _ request: Request, context visit: Visit, next: (Request, Visit) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, visit)
        } catch let error as HTTPError where error.status == .notFound {
            response = Response(plain: "404 there is no such page\n", status: .notFound)
        }
        guard response.status.code >= 400, isPlain(response), isShown(request) else { return response }
        let words = String(buffer: try await response.body.collected())
        let page = html(words, response.status, request, visit)
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: page.bytes))
        response.headers[.contentType] = "text/html; charset=utf-8"
        response.headers[.contentLength] = nil
        return response
    }

    private func isPlain(_ response: Response) -> Bool {
        response.headers[.contentType]?.hasPrefix("text/plain") ?? false
    }

    /// Whether a person sees the answer. Requests for images and styles, and programs, ask for other types.
    private func isShown(_ request: Request) -> Bool {
        request.headers[.accept]?.contains("text/html") ?? false
            && !request.uri.path.hasPrefix(APIEnvelope<Visit>.prefix)
    }

    private func html(_ words: String, _ status: HTTPResponse.Status, _ request: Request, _ visit: Visit) -> HTML {
        let words = words.trimmingPrefix("\(status.code) ").trimmingCharacters(in: .whitespacesAndNewlines)
        let frame = Frame(
            version: context.version, time: ReportTime(context.timekeeper), isPaused: true,
            pauseAddress: request.method == .get ? FormBody.ownPath(request.uri.path, otherwise: "/") : "/",
            role: visit.role, needsLogin: context.key.policy.token != nil)
        let meant = status == .notFound ? nearest(to: request.uri.path) : nil
        return frame.page(
            words.atStart, .warn, of: nil, json: "/api/v1/domains",
            """
            <div class="lead"><div><h1>\(words.atStart)</h1>
            <p class="soft">\(status.code) \(status.reasonPhrase). \(meant)<a href="/">All domains</a></p></div></div>
            """)
    }

    /// A link to the watched domain with the name nearest to the one in the path.
    private func nearest(to path: String) -> HTML? {
        let parts = path.split(separator: "/")
        guard parts.count >= 2, parts[0] == "domains", let name = parts[1].removingPercentEncoding,
            let meant = Spelling.nearest(to: name, among: context.watched.index.domains.map(\.domain.name))
        else { return nil }
        return #"Did you mean <a href="/domains/\#(meant)"><bdi>\#(meant)</bdi></a>? "#
    }
}
