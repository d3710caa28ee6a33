// The names under which people and their browsers reach the site.

import Evidence
import Facts
import Foundation
import Hummingbird
import HTTPTypes

struct OwnNames: Sendable {
    private let hosts: Set<String>
    /// The origin of `server.public_url`, `https://aasa.example.net`. A proxy may send another `Host`.
    private let publicOrigin: String?

    /// `host`: where the server listens.
    init(host: String, publicURL: String?) {
        var hosts: Set<String> = [Self.form(host)]
        var publicOrigin: String?
        if let url = publicURL.flatMap({ URLComponents(string: $0) }), let scheme = url.scheme?.lowercased(),
            let host = url.encodedHost?.lowercased()
        {
            hosts.insert(Self.form(host))
            let isUsualPort = url.port == nil || url.port == (scheme == "https" ? 443 : 80)
            publicOrigin = "\(scheme)://\(host)" + (isUsualPort ? "" : ":\(url.port ?? 0)")
        }
        self.hosts = hosts
        self.publicOrigin = publicOrigin
    }

    /// `authority`: of a `Host` header, with or without a port.
    func contains(authority: String) -> Bool {
        let host =
            authority.hasPrefix("[")
            ? String(authority.dropFirst().prefix { $0 != "]" }) : String(authority.prefix { $0 != ":" })
        return HostAddress.isLoopback(host: host) || hosts.contains(Self.form(host))
    }

    /// Whether an `Origin` header names one of our pages.
    func isOwn(origin: String, authority: String) -> Bool {
        let (origin, authority) = (origin.lowercased(), authority.lowercased())
        return origin == "http://" + authority || origin == "https://" + authority || origin == publicOrigin
    }

    /// One form for equal hosts: addresses as numbers, names in lower case.
    private static func form(_ host: String) -> String { HostAddress(host: host)?.description ?? host.lowercased() }
}

extension Request {
    /// The query parameters. If a name occurs twice, the first one counts.
    var parameters: [String: String] {
        Dictionary(uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first }
    }

    /// The requested host, with its port if it has one.
    var authority: String { head.authority ?? HTTPField.Name("Host").flatMap { headers[$0] } ?? "" }
}

/// Without a token the server answers only to its own names; health probes may use any name. This prevents DNS rebinding:
/// an attacker's name that resolves to this machine must not open the pages in a victim's browser.
struct HostGate: RouterMiddleware {
    let key: AccessKey

    func handle(
        _ request: Request, context: Visit, next: (Request, Visit) async throws -> Response
    ) async throws -> Response {
        // With a token every name is safe: an attacker's page does not have the token.
        if key.policy.token != nil || APIRoutes.openPaths.contains(request.uri.path)
            || key.names.contains(authority: request.authority)
        {
            return try await next(request, context)
        }
        return Response(
            plain: "421 this server does not answer to that name; use localhost, or set server.public_url\n",
            status: .misdirectedRequest)
    }
}
