// What the CDN holds and shows at a test's word, everywhere or at one edge.

import Lab

extension LabCDN {
    /// Shown from the next connection on.
    package var certificate: LabCertificate {
        get { site.certificate }
        set { site.certificate = newValue }
    }

    /// Holds from the next connection on.
    package var handshake: LabHandshake {
        get { site.handshake }
        set { site.handshake = newValue }
    }

    /// Forces a good copy.
    /// - Parameters:
    ///   - host: in any case.
    ///   - body: served as it is, JSON or not.
    ///   - age: what the `Age` header starts from.
    ///   - maxAge: `max-age` of `Cache-Control`, in whole seconds; six hours when nil, as the real one was seen to say.
    ///   - urls: the chain of URLs in `Apple-From`; the well-known one when nil.
    ///   - edge: the one of the lab's addresses that has this copy; every address when nil.
    package func holds(
        _ host: String, body: String, age: Duration = .zero, maxAge: Duration? = nil, from urls: [String]? = nil,
        edge: String? = nil
    ) {
        let urls = urls ?? ["https://\(host.lowercased())\(LabOrigin.wellKnownPath)"]
        keep(.body(Array(body.utf8), from: urls), for: host, age: age, maxAge: maxAge, edge: edge)
    }

    /// Forces a failure, at one edge or at all; `reason` nil is a bare 404, without a word on the origin. `age` and
    /// `maxAge` are as for ``holds(_:body:age:maxAge:from:edge:)``, with an hour as the usual `max-age`.
    package func fails(
        _ host: String, status: Int = 404, reason: String?, details: String? = nil, tryDirect: Bool = false,
        age: Duration = .zero, maxAge: Duration? = nil, edge: String? = nil
    ) {
        let failure = LabCDNFailure(status: status, reason: reason, details: details, tryDirect: tryDirect)
        keep(.failure(failure), for: host, age: age, maxAge: maxAge, edge: edge)
    }

    /// Any raw behaviour for a host, at one edge or at all; nil goes back to the cache.
    package func behaves(_ host: String, _ behaviour: LabBehaviour?, edge: String? = nil) {
        site.on(address: edge, path: "\(Self.basePath)/\(host.lowercased())", behaviour)
    }

    /// Whose machine an edge is, which shows in its headers; Apple's own where nothing was said.
    package func belongs(edge: String, to network: LabEdgeNetwork) {
        let others = edgeHeaders
        edgeHeaders = { $0 == edge ? network.headers(edge: $0, isHit: $1) : others($0, $1) }
    }
}

/// Whose machines an edge of the CDN runs on. Each kind names itself by other headers.
package enum LabEdgeNetwork: Sendable {
    case apple
    /// Hired from another: no `Via`, but `CDN-Server`.
    case lumen

    fileprivate func headers(edge: String, isHit: Bool) -> [(String, String)] {
        switch self {
        case .apple: LabCDN.appleHeaders(edge, isHit)
        case .lumen: [("CDN-Server", "lumn"), ("X-Cache", isHit ? "HIT" : "MISS")]
        }
    }
}
