// The secret that opens the pages, and how a request may show it.

import Foundation
import HTTPTypes
import Hummingbird

struct AccessToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var description: String { "(hidden)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// An empty token equals nothing.
    func equals(_ shown: [UInt8]) -> Bool { !bytes.isEmpty && Self.isEqual(shown, bytes) }

    /// Takes the same time whichever byte is wrong. Timing reveals only the length of what was shown, which its sender
    /// knows.
    private static func isEqual(_ shown: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty else { return shown.isEmpty }
        var difference = secret.count ^ shown.count
        for index in shown.indices {
            difference |= Int(shown[index] ^ secret[index % secret.count])
        }
        return difference == 0
    }
}

/// A token that a request shows, right or wrong.
struct ShownToken: Sendable {
    /// How a request shows it. Basic, with the token as password, is for browsers without cookies.
    enum Way: String, Sendable { case bearer, basic, form }

    let bytes: [UInt8]
    let way: Way

    init(form text: String) {
        bytes = Array(text.utf8)
        way = .form
    }

    /// From an `Authorization` header; nil if it has no token.
    init?(authorization: String) {
        guard let blank = authorization.firstIndex(of: " ") else { return nil }
        let credentials = authorization[blank...].drop { $0 == " " }
        switch authorization[..<blank].lowercased() {
        case "bearer":
            (bytes, way) = (Array(credentials.utf8), .bearer)
        case "basic":
            guard let decoded = Data(base64Encoded: String(credentials)),
                let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
            else { return nil }
            (bytes, way) = (Array(decoded[(colon + 1)...]), .basic)
        default: return nil
        }
    }
}

/// Requires a token, if one is set, on every path, existing or not. Exceptions are health probes, the login form and its
/// assets, and public paths. Browsers are redirected to the form.
struct AccessGate: RouterMiddleware {
    let key: AccessKey

    func handle(
        _ request: Request, context: Visit, next: (Request, Visit) async throws -> Response
    ) async throws -> Response {
        let policy = key.policy
        func enter(_ role: Role) async throws -> Response {
            var visit = context
            visit.role = policy.limited(role)
            return try await next(request, visit)
        }
        guard policy.token != nil else { return try await enter(.writer) }
        let path = request.uri.path
        if APIRoutes.openPaths.contains(path) || path == Pages.loginPath || path.hasPrefix(Assets.path) {
            return try await next(request, context)
        }
        let session = Session.value(of: request)
        if let authorization = request.headers[.authorization] {
            switch ShownToken(authorization: authorization).map({ key.judge($0, of: context, request) }) {
            case .right(let role): return try await enter(role)
            case .slowed(let seconds): return .slowedDown(seconds)
            case .wrong, nil: break
            }
        } else if let role = session.flatMap(key.role(ofSession:)) {
            return try await enter(role)
        } else if policy.isPublic, Self.isPublic(request) {
            return try await enter(.visitor)
        } else if request.headers[.accept]?.contains("text/html") == true, !Self.isFetch(request) {
            // A write returns to no page: its session has ended, and the user must repeat the change after the login.
            return .seeOther(request.method == .get ? Pages.loginAddress(from: request.uri.string) : Pages.loginPath)
        }
        var answer = Response(
            plain: "this page needs the token from server.token, as a Bearer token or as the Basic password\n",
            status: .unauthorized)
        // A challenge would make a browser open its own dialog over the page.
        if session == nil, !Self.isFetch(request) {
            answer.headers[.wwwAuthenticate] = #"Basic realm="aasa-monitor", charset="UTF-8""#
        }
        return answer
    }

    private static let publicPaths =
        PageEndpoint.allCases.filter(\.isPublic).map { EndpointPath($0.rawValue) }
        + APIEndpoint.allCases.filter(\.isPublic).map { EndpointPath($0.rawValue) }

    private static func isPublic(_ request: Request) -> Bool {
        let parts = request.uri.path.split(separator: "/")
        return [.get, .head].contains(request.method) && publicPaths.contains { $0.method == .get && $0.matches(parts) }
    }

    /// Whether a page's script sent the request. Browsers send Sec-Fetch-Mode only to secure origins; our script sends
    /// X-Requested-With.
    private static func isFetch(_ request: Request) -> Bool {
        if let name = HTTPField.Name("Sec-Fetch-Mode"), let mode = request.headers[name] { return mode != "navigate" }
        return HTTPField.Name("X-Requested-With").map { request.headers[$0] != nil } ?? false
    }
}

extension Response {
    /// For a client that showed too many wrong tokens.
    static func slowedDown(_ seconds: Int) -> Response {
        Response(
            plain: "429 too many wrong tokens came from this address; try again in \(seconds) s\n",
            status: .tooManyRequests, headers: [.retryAfter: "\(seconds)"])
    }
}
