// A watched site as it really is: what its origin serves, and what each edge of Apple's CDN holds of it.

import Evidence
import Foundation
import Monitoring
import TestSupport

/// What a site does by itself.
enum SiteTurn: Equatable, Sendable {
    case change
    case mend
    case crawl(edge: Int, version: Int?)
    case cdnTrouble
    case cdnMend
    case renew
}

struct SimulatedSite {
    enum Origin: Equatable {
        case well
        /// Servers behind one name that were not all brought up to date.
        case alternating([Int])
        case status(Int)
        case page
        case failed(Failure.Kind, Failure.Phase)
    }

    enum Copy: Equatable {
        case file(Int)
        case refused(maxAge: Int)
    }

    let name: String
    /// What the origin serves where it is well.
    var version = 1
    var former = 1
    var newest = 1
    var origin = Origin.well
    var edges: [Copy] = [.file(1), .file(1)]
    var isCDNAway = false
    var certificateEnds: Date
    private var looks = 0

    init(name: String, certificateEnds: Date) {
        self.name = name
        self.certificateEnds = certificateEnds
    }

    /// What a check that looks now meets.
    /// `loss`: how every request fails while our own network is away.
    mutating func look(_ depth: Depth, loss: Origin?) -> (origin: Reply, edges: [Reply], sight: Sight) {
        looks += 1
        var sight = Sight(depth: depth, origin: .unknown, copies: [])
        var reply: Reply
        switch loss ?? origin {
        case .well:
            sight.origin = .file(version)
            reply = .file(SampleFile.version(version))
        case .alternating(let versions):
            let served = versions[looks % max(1, versions.count)]
            sight.origin = .file(served)
            reply = .file(SampleFile.version(served))
        case .status(let status):
            sight.origin = .broken
            reply = .status(status)
        case .page:
            sight.origin = .broken
            reply = .file("<html>log in</html>")
        case .failed(let kind, let phase):
            sight.origin = kind == .own ? .unknown : .unreachable
            reply = .failed(kind, phase)
        }
        if reply.failure == nil { reply = reply.expiring(at: certificateEnds) }
        let asked = depth == .full ? edges : Array(edges.prefix(1))
        let copies: [Reply] = asked.map { copy in
            if case .failed(let kind, let phase) = loss { return .failed(kind, phase) }
            if isCDNAway { return .failed(.timedOut, .waiting) }
            switch copy {
            case .file(let version): return .file(SampleFile.version(version))
            case .refused(let maxAge):
                return .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden", maxAge: maxAge)
            }
        }
        if loss == nil, !isCDNAway { sight.copies = asked }
        return (reply, copies, sight)
    }

    /// Apple's crawler comes by: it takes what the origin serves then, or notes that there is nothing.
    mutating func crawl(edge: Int, version: Int?) {
        guard edges.indices.contains(edge) else { return }
        switch origin {
        case .well: edges[edge] = .file(version ?? self.version)
        case .alternating(let versions): edges[edge] = .file(versions[looks % max(1, versions.count)])
        case .status(404), .status(403): edges[edge] = .refused(maxAge: 3600)
        case .status, .page, .failed: break
        }
    }

    mutating func calm(certificateEnds: Date) {
        origin = .well
        edges = edges.map { _ in .file(version) }
        isCDNAway = false
        self.certificateEnds = certificateEnds
    }
}

/// What one check saw, in the simulation's own terms: the ground that the product's judgement is compared with.
struct Sight: Equatable {
    enum Origin: Equatable {
        case file(Int)
        case broken
        case unreachable
        /// Our own network was at fault.
        case unknown
    }

    var depth: Depth
    var origin: Origin
    /// Empty where the CDN said nothing.
    var copies: [SimulatedSite.Copy]
}

extension Sight {
    var text: String {
        let origin =
            switch self.origin {
            case .file(let version): "v\(version)"
            case .broken: "broken"
            case .unreachable: "unreachable"
            case .unknown: "unknown"
            }
        let copies = copies.map { copy in
            if case .file(let version) = copy { "v\(version)" } else { "none" }
        }
        return "\(depth.rawValue) \(origin) copies \(copies.joined(separator: " "))"
    }
}
