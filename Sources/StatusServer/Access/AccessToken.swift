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

    /// Takes as long for a first byte that is wrong as for a last one; only the length of what was shown can be timed,
    /// which its sender knows.
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
    /// By which a request can show one. The password of Basic lets a browser without cookies in.
    enum Way: String, Sendable { case bearer, basic, form }

    let bytes: [UInt8]
    let way: Way

    init(form text: String) {
        bytes = Array(text.utf8)
        way = .form
    }

    /// Of an `Authorization` header; nil where it has none.
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

/// Asks for a token, where there is one, on every path but those of probes, the login form and its files, and those that
/// are public, whether the path exists or not. Browsers are led to the form.
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
            // A form of a page whose session has ended; what it would have changed is to be asked for again.
            return .seeOther(request.method == .get ? Pages.loginAddress(from: request.uri.string) : Pages.loginPath)
        }
        var answer = Response(
            plain: "this page needs the token of server.token, as a Bearer token or as the password\n",
            status: .unauthorized)
        // A browser answers a challenge with a dialog of its own, above whatever page is shown.
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

    /// Whether the script of a page asks. Browsers name the mode to hosts that they deem safe alone; our script names itself.
    private static func isFetch(_ request: Request) -> Bool {
        if let name = HTTPField.Name("Sec-Fetch-Mode"), let mode = request.headers[name] { return mode != "navigate" }
        return HTTPField.Name("X-Requested-With").map { request.headers[$0] != nil } ?? false
    }
}

extension Response {
    /// To who showed too many wrong tokens.
    static func slowedDown(_ seconds: Int) -> Response {
        Response(
            plain: "429 too many wrong tokens came from this address; try again in \(seconds) s\n",
            status: .tooManyRequests, headers: [.retryAfter: "\(seconds)"])
    }
}
