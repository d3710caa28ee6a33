// Sets what the CDN has and serves, at all edges or at one.

import Lab

extension LabCDN {
    /// Used from the next connection on.
    package var certificate: LabCertificate {
        get { site.certificate }
        set { site.certificate = newValue }
    }

    /// Used from the next connection on.
    package var handshake: LabHandshake {
        get { site.handshake }
        set { site.handshake = newValue }
    }

    /// Forces a good copy.
    /// - Parameters:
    ///   - host: in upper or lower case.
    ///   - body: served unchanged, JSON or not.
    ///   - age: the initial value of the `Age` header.
    ///   - maxAge: `max-age` of `Cache-Control`, in whole seconds; six hours if nil, as observed at Apple's CDN.
    ///   - urls: the chain of URLs in `Apple-From`; the well-known URL if nil.
    ///   - edge: the address of the lab that has this copy; all addresses if nil.
    package func holds(
        _ host: String, body: String, age: Duration = .zero, maxAge: Duration? = nil, from urls: [String]? = nil,
        edge: String? = nil
    ) {
        let urls = urls ?? ["https://\(host.lowercased())\(LabOrigin.wellKnownPath)"]
        keep(.body(Array(body.utf8), from: urls), for: host, age: age, maxAge: maxAge, edge: edge)
    }

    /// Forces a failure, at one edge or at all. With `reason` nil it is a bare 404 that says nothing about the origin.
    /// `age` and `maxAge` are as for ``holds(_:body:age:maxAge:from:edge:)``, with a default `max-age` of one hour.
    package func fails(
        _ host: String, status: Int = 404, reason: String?, details: String? = nil, tryDirect: Bool = false,
        age: Duration = .zero, maxAge: Duration? = nil, edge: String? = nil
    ) {
        let failure = LabCDNFailure(status: status, reason: reason, details: details, tryDirect: tryDirect)
        keep(.failure(failure), for: host, age: age, maxAge: maxAge, edge: edge)
    }

    /// Any raw behaviour for a host, at one edge or at all; nil restores the cache.
    package func behaves(_ host: String, _ behaviour: LabBehaviour?, edge: String? = nil) {
        site.on(address: edge, path: "\(Self.basePath)/\(host.lowercased())", behaviour)
    }

    /// Sets whose machine an edge is, which its headers show; the default is Apple's own.
    package func belongs(edge: String, to network: LabEdgeNetwork) {
        let others = edgeHeaders
        edgeHeaders = { $0 == edge ? network.headers(edge: $0, isHit: $1) : others($0, $1) }
    }
}

/// The owner of an edge's machine. Each one has its own headers.
package enum LabEdgeNetwork: Sendable {
    case apple
    /// Lumen's: no `Via`, but `CDN-Server`.
    case lumen

    fileprivate func headers(edge: String, isHit: Bool) -> [(String, String)] {
        switch self {
        case .apple: LabCDN.appleHeaders(edge, isHit)
        case .lumen: [("CDN-Server", "lumn"), ("X-Cache", isHit ? "HIT" : "MISS")]
        }
    }
}
