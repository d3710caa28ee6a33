// Who may write. A page of another site must not be able to write through its reader's browser.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

struct WriteGate: Sendable {
    let key: AccessKey

    /// Why a request may not write; nil: it may.
    func refusal(_ request: Request) -> Response? {
        // DNS rebinding: a request of an attacker's page names that page's host, not ours.
        if key.policy.token == nil, !key.names.contains(authority: request.authority) {
            return fault("use this site's own address, or set server.token", .forbidden)
        }
        return foreignPage(request)
    }

    /// Refuses requests that a page of another site makes a browser send. Other hosts of the same domain count as other
    /// sites: somebody else may own them. Browsers name the page in a header; other clients name none.
    func foreignPage(_ request: Request) -> Response? {
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] } ?? "none"
        let isOwn = request.headers[.origin].map { key.names.isOwn(origin: $0, authority: request.authority) } ?? true
        guard isOwn, site == "same-origin" || site == "none" else {
            return fault("a page of another site may not request this", .forbidden)
        }
        return nil
    }

    /// Answers a request if it may write and has a JSON body of at most `limit` bytes.
    func answer(
        _ request: Request, upTo limit: Int, _ write: (Data) async throws -> Response
    ) async throws -> Response {
        if let refusal = refusal(request) ?? wrongType(request) { return refusal }
        guard let body = try? await request.body.collect(upTo: limit) else {
            return fault("the body is larger than \(limit / 1024) KiB", .contentTooLarge)
        }
        return try await write(Data(body.readableBytesView))
    }

    /// Without a CORS preflight, a form of another site can send only three content types. JSON is not one of them.
    private func wrongType(_ request: Request) -> Response? {
        let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() != "application/json" else { return nil }
        return fault("the content type must be application/json", .unsupportedMediaType)
    }

    func fault(_ words: String, _ status: HTTPResponse.Status) -> Response { Response(plain: words, status: status) }
}

/// What a form of our own pages sends.
struct FormBody: Sendable {
    private var fields: [(name: String, value: String)] = []

    static let maximumBytes = 16 * 1024

    /// If a name occurs twice, the first field counts.
    subscript(name: String) -> String { fields.first { $0.name == name }?.value ?? "" }

    /// The values of all fields of a name.
    func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The sender. A form that came from a link in a message needs no name: the link says which channel it came through.
    var author: String {
        let name = self["by"]
        return name.allSatisfy(\.isWhitespace) && !self["link"].isEmpty ? "someone" : name
    }

    /// `a=b+c&d=%C3%A4`
    init(_ text: String) {
        for pair in text.split(separator: "&").prefix(256) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func decoded(_ part: Substring) -> String {
                part.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            fields.append((decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : ""))
        }
    }

    /// Where to go afterwards. Only a path of this site: a form must not redirect elsewhere.
    static func ownPath(_ text: String, otherwise: String) -> String {
        let isOwn =
            text.hasPrefix("/") && !text.hasPrefix("//") && !text.contains("\\")
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
        return isOwn ? text : otherwise
    }
}

extension WriteGate {
    /// Forms need a stricter check than the API. Browsers send a form without a CORS preflight, so the request must name
    /// our own page.
    func form(_ request: Request, _ write: (FormBody) async throws -> Response) async throws -> Response {
        if let refusal = refusal(request) { return Self.plain(refusal.status) }
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == "same-origin" || request.headers[.origin] != nil else { return Self.plain(.forbidden) }
        let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() == "application/x-www-form-urlencoded" else {
            return Self.plain(.unsupportedMediaType)
        }
        guard let body = try? await request.body.collect(upTo: FormBody.maximumBytes) else {
            return Response(
                plain: "413 this form is larger than \(FormBody.maximumBytes / 1024) KiB\n", status: .contentTooLarge)
        }
        return try await write(FormBody(String(decoding: body.readableBytesView, as: UTF8.self)))
    }

    private static func plain(_ status: HTTPResponse.Status) -> Response {
        Response(plain: "\(status.code) this form must be sent by a page of this site\n", status: status)
    }
}

extension Response {
    /// After a form: sends the browser to this page.
    static func seeOther(_ path: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.location] = path
        return Response(status: .seeOther, headers: headers)
    }
}
