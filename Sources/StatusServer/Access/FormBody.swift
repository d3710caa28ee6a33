// What a form of our own pages sends.

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

struct FormBody: Sendable {
    private let fields: [String: String]

    static let maximumBytes = 16 * 1024

    subscript(name: String) -> String { fields[name] ?? "" }

    /// `a=b+c&d=%C3%A4`; of two fields of one name the first counts.
    init(_ text: String) {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&").prefix(64) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func decoded(_ part: Substring) -> String {
                part.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            let name = decoded(parts[0])
            if fields[name] == nil { fields[name] = parts.count > 1 ? decoded(parts[1]) : "" }
        }
        self.fields = fields
    }

    /// Where to go afterwards: a path of ours, whatever the form says.
    static func ownPath(_ text: String, otherwise: String) -> String {
        let isOwn =
            text.hasPrefix("/") && !text.hasPrefix("//") && !text.contains("\\")
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }
        return isOwn ? text : otherwise
    }
}

extension WriteGate {
    /// A form needs more than the API: it can be sent without asking first, so the browser must name our own page.
    func form(_ request: Request, _ write: (FormBody) async throws -> Response) async throws -> Response {
        if let refusal = refusal(request) { return Self.plain(refusal.status) }
        let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        guard site == "same-origin" || request.headers[.origin] != nil else { return Self.plain(.forbidden) }
        let type = request.headers[.contentType]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces)
        guard type?.lowercased() == "application/x-www-form-urlencoded" else {
            return Self.plain(.unsupportedMediaType)
        }
        guard let body = try? await request.body.collect(upTo: FormBody.maximumBytes) else {
            return Self.plain(.contentTooLarge)
        }
        return try await write(FormBody(String(decoding: body.readableBytesView, as: UTF8.self)))
    }

    private static func plain(_ status: HTTPResponse.Status) -> Response {
        Response(plain: "\(status.code) this form must be sent by a page of this site\n", status: status)
    }
}

extension Response {
    /// After a form: the browser asks for this page.
    static func seeOther(_ path: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.location] = path
        return Response(status: .seeOther, headers: headers)
    }
}
