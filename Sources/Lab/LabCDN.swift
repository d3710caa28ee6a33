// The copy of Apple's CDN: one cache, which edges (the lab's addresses) may differ from. What a crawl of an
// origin yields is in LabCrawler.

import Foundation
import NIOCore
import Synchronization

/// The copy of Apple's CDN. It keeps what it crawled until a test makes it crawl again, as the real one does for up to a day.
package final class LabCDN: Sendable {
    /// The name under which the lab serves it, and to which its certificate is made out.
    package static let host = "app-site-association.cdn-apple.test"
    /// What comes before the host in a path.
    package static let basePath = "/a/v1"

    private struct Entry {
        let copy: LabCDNCopy
        let since: Date
        let maxAge: Int64?
        let id = UUID().uuidString
        var hits = 0
    }

    /// One host at one edge; nil is the cache that every edge falls back to.
    private struct Place: Hashable {
        let host: String
        let edge: String?
    }

    private struct State {
        var certificate = LabCertificate.valid
        var handshake = LabHandshake.normal
        var refreshesByItself = true
        var entries: [Place: Entry] = [:]
        var behaviours: [Place: LabBehaviour] = [:]
        var networks: [String: LabEdgeNetwork] = [:]
        var delay = Duration.zero
        var logs: [String: LabRequestLog] = [:]
    }

    /// Hosts come from requests; above this many, unknown ones are answered without being remembered.
    private static let hostLimit = 16_384

    private let crawler: LabCrawler
    /// What ages are counted by.
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(origins: LabOrigins, now: @escaping @Sendable () -> Date) {
        crawler = LabCrawler(origins: origins)
        self.now = now
    }

    /// Shown from the next connection on.
    package var certificate: LabCertificate {
        get { state.withLock { $0.certificate } }
        set { state.withLock { $0.certificate = newValue } }
    }

    /// Holds from the next connection on.
    package var handshake: LabHandshake {
        get { state.withLock { $0.handshake } }
        set { state.withLock { $0.handshake = newValue } }
    }

    /// Whether a never-seen host is crawled at its first request, and then cached until ``refresh(_:)``. True at first;
    /// when false, such a host gets a bare 404.
    package var refreshesByItself: Bool {
        get { state.withLock { $0.refreshesByItself } }
        set { state.withLock { $0.refreshesByItself = newValue } }
    }

    /// What the cache holds for a host, nil for a never-seen one. Setting nil forgets the host at every edge.
    package subscript(copyOf host: String) -> LabCDNCopy? {
        get { state.withLock { $0.entries[Place(host: host.lowercased(), edge: nil)]?.copy } }
        set {
            guard let newValue else { return forget(host) }
            keep(newValue, for: host)
        }
    }

    /// Crawls now, as `AASA-Bot/1.0.0`: what the origin says in this moment becomes the cached answer, at every edge. A
    /// crawl is worked out in memory and takes no time; no origin records it.
    package func refresh(_ host: String) {
        let copy = crawler.crawl(host.lowercased())
        forget(host)
        keep(copy, for: host)
    }

    /// Forces a good copy.
    /// - Parameters:
    ///   - host: in any case.
    ///   - body: served as it is, JSON or not.
    ///   - age: what the `Age` header starts from.
    ///   - maxAge: `max-age` of `Cache-Control`, in whole seconds; six hours when nil, as the real one was seen to say.
    ///   - from: the chain of URLs in `Apple-From`; the well-known one when nil.
    ///   - edge: the one of the lab's addresses that has this copy; every address when nil.
    package func holds(
        _ host: String, body: String, age: Duration = .zero, maxAge: Duration? = nil, from: [String]? = nil,
        edge: String? = nil
    ) {
        let from = from ?? [LabCrawler.url(of: host.lowercased())]
        keep(.body(Array(body.utf8), from: from), for: host, age: age, maxAge: maxAge, edge: edge)
    }

    /// Forces a failure, at one edge or at all; `reason` nil is a bare 404, without a word on the origin. `age` and
    /// `maxAge` are as for ``holds(_:body:age:maxAge:from:edge:)``, with an hour as the usual `max-age`.
    package func fails(
        _ host: String, status: Int = 404, reason: String?, details: String? = nil, tryDirect: Bool = false,
        age: Duration = .zero, maxAge: Duration? = nil, edge: String? = nil
    ) {
        let failure = LabCDNFailure(
            status: status, reason: reason, details: details, tryDirect: tryDirect,
            from: [LabCrawler.url(of: host.lowercased())])
        keep(.failure(failure), for: host, age: age, maxAge: maxAge, edge: edge)
    }

    /// Any raw behaviour for a host, at one edge or at all; nil goes back to the cache.
    package func behaves(_ host: String, _ behaviour: LabBehaviour?, edge: String? = nil) {
        state.withLock { $0.behaviours[Place(host: host.lowercased(), edge: edge)] = behaviour }
    }

    /// Whose machine an edge is, which shows in its headers; Apple's own where nothing was said.
    package func belongs(edge: String, to network: LabEdgeNetwork) {
        state.withLock { $0.networks[edge] = network }
    }

    /// A delay before each answer; zero at first.
    package var delay: Duration {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    /// The last 1000 requests for a host.
    package func requests(for host: String) -> [LabRequest] {
        state.withLock { $0.logs[host.lowercased()]?.requests ?? [] }
    }

    var tenant: LabTenant {
        LabTenant(host: Self.host, certificate: certificate, handshake: handshake) { [self] request, _ in
            let delay = delay
            return delay > .zero ? .after(delay, answer(request)) : answer(request)
        }
    }

    private func forget(_ host: String) {
        let host = host.lowercased()
        state.withLock { state in
            state.entries = state.entries.filter { $0.key.host != host }
        }
    }

    private func keep(
        _ copy: LabCDNCopy, for host: String, age: Duration = .zero, maxAge: Duration? = nil, edge: String? = nil
    ) {
        let host = host.lowercased()
        state.withLock { state in
            // A word on every edge outranks older words on single ones.
            if edge == nil { state.entries = state.entries.filter { $0.key.host != host } }
            state.entries[Place(host: host, edge: edge)] = Entry(
                copy: copy, since: now() - age / .seconds(1), maxAge: maxAge?.components.seconds)
        }
    }

    private func answer(_ request: LabRequest) -> LabBehaviour {
        let prefix = Self.basePath + "/"
        let path = request.pathOnly
        guard path.hasPrefix(prefix), path.count > prefix.count else { return .reply(.cdnBare(status: 404)) }
        let host = path.dropFirst(prefix.count).lowercased()
        let edge = Place(host: host, edge: request.address)
        let everywhere = Place(host: host, edge: nil)
        return state.withLock { state in
            let isKnown = state.logs[host] != nil || state.logs.count < Self.hostLimit
            if isKnown { state.logs[host, default: LabRequestLog()].append(request) }
            if let behaviour = state.behaviours[edge] ?? state.behaviours[everywhere] { return behaviour }
            if state.entries[edge] == nil && state.entries[everywhere] == nil {
                guard state.refreshesByItself, isKnown else { return .reply(.cdnBare(status: 404)) }
                state.entries[everywhere] = Entry(copy: crawler.crawl(host), since: now(), maxAge: nil)
            }
            let place = state.entries[edge] == nil ? everywhere : edge
            guard let entry = state.entries[place] else { return .reply(.cdnBare(status: 404)) }
            state.entries[place]?.hits += 1
            let age = Int64(now().timeIntervalSince(entry.since))
            return .reply(
                LabReply(
                    entry.copy, age: max(0, age), maxAge: entry.maxAge, isHit: entry.hits > 0, id: entry.id,
                    edge: request.address, network: state.networks[request.address] ?? .apple))
        }
    }
}

/// What the CDN's copy holds for one host.
package enum LabCDNCopy: Sendable {
    /// A good copy. `from` is the chain of URLs that the crawler followed, the last of them the real source.
    case body([UInt8], from: [String])
    case failure(LabCDNFailure)
}

/// A failure as the CDN serves it: always "Not Found" as text; the reason is in the headers.
package struct LabCDNFailure: Sendable, Equatable {
    /// 404 on the real one, whatever the origin did.
    package var status: Int
    /// `SWCERRnnnnn text`, the value of `Apple-Failure-Reason`. Nil is a bare 404, which says nothing about the origin.
    package var reason: String?
    /// A JSON object, the value of `Apple-Failure-Details`.
    package var details: String?
    package var tryDirect: Bool
    /// The URLs tried.
    package var from: [String]

    /// A failure of that status; bare where `reason` is nil.
    package init(
        status: Int = 404, reason: String? = nil, details: String? = nil, tryDirect: Bool = false, from: [String] = []
    ) {
        self.status = status
        self.reason = reason
        self.details = details
        self.tryDirect = tryDirect
        self.from = from
    }
}

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
