/// Whose machines an edge of the CDN runs on. Each kind names itself by other headers.
package enum LabEdgeNetwork: String, Sendable, CaseIterable {
    /// Apple's own: `Via` names the place, `X-Cache` the outcome at it.
    case apple
    /// Hired from another: no `Via`, but `CDN-Server`.
    case lumen

    func headers(edge: String, isHit: Bool) -> [(String, String)] {
        switch self {
        case .apple:
            let place = edge.split { ".:".contains($0) }.last ?? "1"
            return [
                ("Via", "https/1.1 uslab\(place)-edge-lx-001.ts.apple.com (acdn/270.14589)"),
                ("X-Cache", isHit ? "hit-fresh" : "miss"),
            ]
        case .lumen: return [("CDN-Server", "lumn"), ("X-Cache", isHit ? "HIT" : "MISS")]
        }
    }
}
