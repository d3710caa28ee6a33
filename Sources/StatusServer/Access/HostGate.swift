// A name that was made to point to this machine (DNS rebinding) must not open the pages in somebody's browser: that browser
// asks for the name, not for ours.

import Evidence
import HTTPTypes
import Hummingbird

/// Where only this machine can reach the server, it answers to its own names alone; probes may use any.
struct HostGate<Context: RequestContext>: RouterMiddleware {
    /// nil: any name.
    let hosts: Set<String>?
    let key: AccessKey

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // A token opens the pages under whatever name they are reached: a page of another name does not have it.
        guard let hosts, key.token == nil, !HealthRoute.openPaths.contains(request.uri.path) else {
            return try await next(request, context)
        }
        let asked = (request.head.authority ?? request.headers[HTTPField.Name("Host") ?? .origin] ?? "").lowercased()
        guard hosts.contains(WriteGate.name(ofHost: asked)) else {
            return Response(
                plain: "421 this server does not answer to that name; ask for localhost, or set server.public_url\n",
                status: .misdirectedRequest)
        }
        return try await next(request, context)
    }
}

extension StatusServerSettings {
    /// Names under which the site is asked for.
    var ownHosts: Set<String> {
        var hosts: Set<String> = ["localhost", "127.0.0.1", "::1", host.lowercased()]
        if let publicURL, let authority = publicURL.split(separator: "/").dropFirst().first {
            hosts.insert(WriteGate.name(ofHost: authority.lowercased()))
        }
        return hosts
    }

    /// Whether only this machine can reach it.
    var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }
}
