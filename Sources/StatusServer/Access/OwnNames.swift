// The names under which people and their browsers reach the site.

import Evidence
import Facts
import Foundation
import Hummingbird
import HTTPTypes

struct OwnNames: Sendable {
    private let hosts: Set<String>
    /// Where people reach the page by way of a proxy, which may ask for another host: `https://aasa.example.net`.
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

    /// Whether an `Origin` is that of a page of ours.
    func isOwn(origin: String, authority: String) -> Bool {
        let (origin, authority) = (origin.lowercased(), authority.lowercased())
        return origin == "http://" + authority || origin == "https://" + authority || origin == publicOrigin
    }

    /// One form for what is the same: addresses as numbers, names without regard to case.
    private static func form(_ host: String) -> String { HostAddress(host: host)?.description ?? host.lowercased() }
}

extension Request {
    /// Of the query; of two of one name the first.
    var parameters: [String: String] {
        Dictionary(uri.queryParameters.map { (String($0.key), String($0.value)) }) { first, _ in first }
    }

    /// The host that it asks for, with a port where it names one.
    var authority: String { head.authority ?? HTTPField.Name("Host").flatMap { headers[$0] } ?? "" }
}

/// Without a token the server answers to its own names alone; probes may use any. A name that was made to point to this
/// machine (DNS rebinding) must not open the pages in somebody's browser: that browser asks for the name, not for ours.
struct HostGate: RouterMiddleware {
    let key: AccessKey

    func handle(
        _ request: Request, context: Visit, next: (Request, Visit) async throws -> Response
    ) async throws -> Response {
        // A token opens the pages under whatever name they are reached: a page of another name does not have it.
        if key.policy.token != nil || APIRoutes.openPaths.contains(request.uri.path)
            || key.names.contains(authority: request.authority)
        {
            return try await next(request, context)
        }
        return Response(
            plain: "421 this server does not answer to that name; ask for localhost, or set server.public_url\n",
            status: .misdirectedRequest)
    }
}
