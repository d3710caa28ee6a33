// The secret that opens the pages, and how a request may show it.

import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

struct AccessToken: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var description: String { "(hidden)" }
    var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether the value of an `Authorization` header shows the token: as Bearer, or as the password of Basic, by
    /// which a browser can be used.
    func opens(authorization: String) -> Bool {
        guard let blank = authorization.firstIndex(of: " ") else { return false }
        let credentials = authorization[blank...].drop { $0 == " " }
        switch authorization[..<blank].lowercased() {
        case "bearer":
            return equals(Array(credentials.utf8))
        case "basic":
            guard let decoded = Data(base64Encoded: String(credentials)),
                let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
            else { return false }
            return equals(Array(decoded[(colon + 1)...]))
        default:
            return false
        }
    }

    /// An empty token equals nothing.
    func equals(_ shown: [UInt8]) -> Bool { !bytes.isEmpty && Self.isEqual(shown, bytes) }

    /// Takes as long for a first byte that is wrong as for a last one; only the length of what was shown can be timed,
    /// which its sender knows.
    static func isEqual(_ shown: [UInt8], _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty else { return shown.isEmpty }
        var difference = secret.count ^ shown.count
        for index in shown.indices {
            difference |= Int(shown[index] ^ secret[index % secret.count])
        }
        return difference == 0
    }
}

/// The token of the running configuration; a reload replaces it while the server goes on.
final class AccessKey: Sendable {
    private let current: Mutex<AccessToken?>

    init(_ token: AccessToken?) { current = Mutex(token) }

    /// nil: the pages are open to everybody who reaches the address.
    var token: AccessToken? { current.withLock { $0 } }

    func replace(with token: AccessToken?) { current.withLock { $0 = token } }
}

/// Asks for the token, where there is one, on every path but those of probes, the login form and its files, whether the path
/// exists or not. Browsers are led to the form.
struct AccessGate<Context: RequestContext>: RouterMiddleware {
    let key: AccessKey

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let token = key.token else { return try await next(request, context) }
        let path = request.uri.path
        if HealthRoute.openPaths.contains(path) || path == LoginRoute.path || path.hasPrefix(Assets.path) {
            return try await next(request, context)
        }
        if let shown = request.headers[.authorization] {
            if token.opens(authorization: shown) { return try await next(request, context) }
        } else if let session = Session.value(of: request), token.opens(session: session) {
            return try await next(request, context)
        } else if request.method == .get, request.headers[.accept]?.contains("text/html") == true {
            return .seeOther(LoginRoute.address(from: request.uri.string))
        }
        return Response(
            plain: "this page needs the token of server.token, as a Bearer token or as the password\n",
            status: .unauthorized, headers: [.wwwAuthenticate: #"Basic realm="aasa-monitor", charset="UTF-8""#])
    }
}
