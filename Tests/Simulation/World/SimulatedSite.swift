// The true state of a watched site: what its origin serves, the certificates of its addresses, and what each edge of
// Apple's CDN has.

import Evidence
import Facts
import Foundation
import Monitoring
import TestSupport

/// What a site does by itself.
enum SiteTurn: Equatable, Sendable {
    case change
    case mend
    /// It breaks again, or in another way.
    case breakAs(SimulatedSite.Origin)
    case crawl(edge: Int, version: Int?)
    /// Its caches agree again.
    case agree
    case cdnTrouble
    case cdnMend
    case fallSilent(edge: Int, SimulatedSite.Muteness)
    case speak(edge: Int)
    case renew(address: Int)
}

struct SimulatedSite {
    enum Origin: Equatable {
        case well
        /// Several servers behind one name, not all of them up to date.
        case alternating([Int])
        case status(Int)
        case page
        case failed(Failure.Kind, Failure.Phase)
    }

    enum Copy: Equatable {
        case file(Int)
        case refused(maxAge: Int)
    }

    /// How an edge fails to answer about the file.
    enum Muteness: Equatable, Sendable, CaseIterable {
        case unavailable, timeout
        /// It is missing from the DNS answer for the CDN's name.
        case absent
    }

    let name: String
    /// What the origin serves when it works.
    var version = 1
    var former = 1
    var newest = 1
    var origin = Origin.well
    var edges: [Copy] = [.file(1), .file(1)]
    /// The silent edges, by number.
    var mute: [Int: Muteness] = [:]
    var isCDNAway = false
    /// What some caches behind each edge have instead of its copy. Which cache answers is random.
    var otherCaches: Int?
    /// When the certificate of each address expires, by the wall clock. One or two addresses.
    var certificates: [Date]
    private var results = 0

    init(name: String, addresses: Int, certificateEnds: Date) {
        self.name = name
        certificates = Array(repeating: certificateEnds, count: max(1, addresses))
    }

    /// From this version on, files open no app.
    static let appless = 500_000

    static func body(of version: Int) -> String {
        version < appless
            ? SampleFile.version(version) : #"{"applinks":{"details":[]},"version":\#(version)}"#
    }

    static func address(_ number: Int) -> String { "192.0.2.\(number + 1)" }
    static func edge(_ number: Int) -> String { "198.51.100.\(number + 1)" }

    /// What a check gets now, and how much of it the check can see.
    /// `loss`: how every request fails while our own network is down.
    mutating func result(_ depth: Depth, at now: Date, loss: Origin?) throws -> (Observation, FetchResult) {
        results += 1
        var fetched = FetchResult(depth: depth, origin: .unknown)
        let reply = originReply(loss ?? origin, &fetched)
        let asked = edges.indices.filter { mute[$0] != .absent && (depth == .full || $0 == firstEdge) }
        let copies = asked.map { ($0, edgeReply($0, loss, &fetched)) }
        guard depth == .full else {
            let own = results % certificates.count
            var observation = try Observation.of(
                name, at: now, origin: served(reply, at: own, &fetched),
                cdn: copies.first?.1 ?? .failed(.nameNotFound, .resolving))
            observation.origin.connection?.address = Self.address(own)
            if case .asked(var retrieval) = observation.cdn {
                retrieval.connection?.address = Self.edge(copies.first?.0 ?? 0)
                observation.cdn = .asked(retrieval)
            }
            return (observation, fetched)
        }
        var scene = Scene()
        scene.source = .system
        scene.addresses = certificates.indices.map { (Self.address($0), .public, served(reply, at: $0, &fetched)) }
        scene.edges = copies.map { (Self.edge($0), $1) }
        let first = scene.addresses.first?.reply ?? reply
        return (
            try Observation.of(
                name, at: now, origin: first, cdn: copies.first?.1 ?? .failed(.nameNotFound, .resolving), scene: scene),
            fetched
        )
    }

    private var firstEdge: Int { edges.indices.first { mute[$0] != .absent } ?? 0 }

    private func originReply(_ origin: Origin, _ fetched: inout FetchResult) -> Reply {
        switch origin {
        case .well:
            fetched.origin = .file(version)
            return .file(Self.body(of: version))
        case .alternating(let versions):
            let served = versions[results % max(1, versions.count)]
            fetched.origin = .file(served)
            return .file(Self.body(of: served))
        case .status(let status):
            fetched.origin = status == 403 ? .refused : .broken
            return .status(status)
        case .page:
            fetched.origin = .broken
            return .file("<html>log in</html>")
        case .failed(let kind, let phase):
            fetched.origin = kind == .own ? .unknown : .unreachable
            return .failed(kind, phase)
        }
    }

    private func served(_ reply: Reply, at address: Int, _ fetched: inout FetchResult) -> Reply {
        guard reply.failure == nil else { return reply }
        fetched.certificates[address] = certificates[address]
        return reply.expiring(at: certificates[address])
    }

    private func edgeReply(_ edge: Int, _ loss: Origin?, _ fetched: inout FetchResult) -> Reply {
        if case .failed(let kind, let phase) = loss { return .failed(kind, phase) }
        if isCDNAway { return .failed(.timedOut, .waiting) }
        switch mute[edge] {
        case .unavailable: return .status(503)
        case .timeout, .absent: return .failed(.timedOut, .waiting)
        case nil: break
        }
        let copy = otherCaches.map { (results + edge) % 3 == 0 ? .file($0) : edges[edge] } ?? edges[edge]
        fetched.edges[edge] = copy
        switch copy {
        case .file(let version): return .file(Self.body(of: version))
        case .refused(let maxAge): return .crawler("SWCERR00101 Bad HTTP Response: 403 Forbidden", maxAge: maxAge)
        }
    }

    /// Apple's crawler fetches: it takes what the origin serves, or records that there is nothing.
    mutating func crawl(edge: Int, version: Int?) {
        guard edges.indices.contains(edge) else { return }
        switch origin {
        case .well: edges[edge] = .file(version ?? self.version)
        case .alternating(let versions): edges[edge] = .file(versions[results % max(1, versions.count)])
        case .status(404), .status(403): edges[edge] = .refused(maxAge: 3600)
        case .status, .page, .failed: break
        }
    }

    mutating func calm(certificateEnds: Date) {
        origin = .well
        if version >= Self.appless {
            newest += 1
            version = newest
        }
        edges = edges.map { _ in .file(version) }
        mute = [:]
        isCDNAway = false
        otherCaches = nil
        certificates = certificates.map { _ in certificateEnds }
    }
}

/// The result of one check in the simulation's own terms. The product's evaluation is compared with it.
struct FetchResult: Equatable {
    enum Origin: Equatable {
        case file(Int)
        case broken
        /// Status 403, perhaps only for this machine.
        case refused
        case unreachable
        /// Our own network failed.
        case unknown
    }

    var depth: Depth
    var origin: Origin
    /// The copies of the edges that answered, by number.
    var edges: [Int: SimulatedSite.Copy] = [:]
    /// When the certificates that the check saw expire, by the number of the address.
    var certificates: [Int: Date] = [:]

    var copies: [SimulatedSite.Copy] { edges.sorted { $0.key < $1.key }.map(\.value) }
}

extension FetchResult {
    var text: String {
        let origin =
            switch self.origin {
            case .file(let version): "v\(version)"
            case .broken: "broken"
            case .refused: "refused"
            case .unreachable: "unreachable"
            case .unknown: "unknown"
            }
        let copies = copies.map { copy in
            if case .file(let version) = copy { "v\(version)" } else { "none" }
        }
        return "\(depth.rawValue) \(origin) copies \(copies.joined(separator: " "))"
    }
}
