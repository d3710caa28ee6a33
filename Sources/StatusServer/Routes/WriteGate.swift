// Who may write. A browser that shows some other page must not be able to do it for that page.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

struct WriteGate: Sendable {
    /// Names under which the site is asked for; no other may write where no token guards it.
    let hosts: Set<String>
    let key: AccessKey

    /// A browser names the page that makes it send something; other clients name none. And a page whose name was
    /// made to point to this machine asks for its own name, not for ours.
    func refusal(_ request: Request) -> Response? {
        let asked = (request.head.authority ?? request.headers[HTTPField.Name("Host") ?? .origin] ?? "").lowercased()
        if key.token == nil, !hosts.contains(Self.name(ofHost: asked)) {
            return fault("ask for this site by its address, or set server.token", .forbidden)
        }
        if let origin = request.headers[.origin], !Self.isSame(origin: origin.lowercased(), host: asked) {
            return fault("a page of another site may not ask for this", .forbidden)
        }
        if let name = HTTPField.Name("Sec-Fetch-Site"), let site = request.headers[name],
            site != "same-origin", site != "none"
        {
            return fault("a page of another site may not ask for this", .forbidden)
        }
        return nil
    }

    private static func isSame(origin: String, host: String) -> Bool {
        origin == "http://" + host || origin == "https://" + host
    }

    /// `localhost:9630` → `localhost`, `[::1]:9630` → `::1`.
    static func name(ofHost host: String) -> String {
        if host.hasPrefix("[") { return String(host.dropFirst().prefix { $0 != "]" }) }
        return String(host.prefix { $0 != ":" })
    }

    /// Answers a request that may write and bears JSON of at most `limit` bytes.
    func answer(
        _ request: Request, upTo limit: Int, _ write: (Data) async throws -> Response
    ) async throws -> Response {
        if let refusal = refusal(request) ?? wrongType(request) { return refusal }
        guard let body = try? await request.body.collect(upTo: limit) else {
            return fault("the body is larger than \(limit / 1024) KiB", .contentTooLarge)
        }
        return try await write(Data(body.readableBytesView))
    }

    /// A form of another site can send only three types without asking first, and this is none of them.
    private func wrongType(_ request: Request) -> Response? {
        let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() != "application/json" else { return nil }
        return fault("the content type must be application/json", .unsupportedMediaType)
    }

    func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok) throws -> Response {
        var answer = Response(json: try APIDocument.encoder.encode(value))
        answer.status = status
        return answer
    }

    func fault(_ words: String, _ status: HTTPResponse.Status) -> Response { Response(plain: words, status: status) }
}
