// The copy of Apple's CDN: one cache, which edges (the lab's addresses) may differ from. What a crawl of an
// origin yields is in LabCrawler.

import Foundation
import NIOCore
import Synchronization

/// The copy of Apple's CDN. It crawls a host at the first request for it, and keeps
/// what it saw until ``refresh(_:)``, as the real one does for up to a day.
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
        var entries: [Place: Entry] = [:]
        var edgeHeaders: @Sendable (_ edge: String, _ isHit: Bool) -> [(String, String)] = LabCDN.appleHeaders
        var logs: [String: LabRequestLog] = [:]
    }

    /// Hosts come from requests; above this many, unknown ones are answered without being remembered.
    private static let hostLimit = 16_384

    /// Its certificate and handshake, and rules that outrank the cache.
    package let site = LabOrigin(host: LabCDN.host)
    private let crawler: LabCrawler
    /// What ages are counted by.
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(origins: LabOrigins, now: @escaping @Sendable () -> Date) {
        crawler = LabCrawler(origins: origins)
        self.now = now
    }

    /// Crawls now, as `AASA-Bot/1.0.0`: what the origin says in this moment becomes the cached answer, at every edge. A
    /// crawl is worked out in memory and takes no time; no origin records it.
    package func refresh(_ host: String) {
        keep(crawler.crawl(host.lowercased()), for: host)
    }

    /// Puts a copy into the cache: of the edge at one of the lab's addresses, or of every edge, which outranks older words
    /// on single ones. `age` is what the `Age` header starts from, `maxAge` that of `Cache-Control` in whole seconds, when
    /// nil what the real one was seen to say.
    package func keep(
        _ copy: LabCDNCopy, for host: String, age: Duration = .zero, maxAge: Duration? = nil, edge: String? = nil
    ) {
        let host = host.lowercased()
        state.withLock { state in
            if edge == nil { state.entries = state.entries.filter { $0.key.host != host } }
            state.entries[Place(host: host, edge: edge)] = Entry(
                copy: copy, since: now() - age / .seconds(1), maxAge: maxAge?.components.seconds)
        }
    }

    /// By which headers an edge names itself: as Apple's own do at first.
    package var edgeHeaders: @Sendable (_ edge: String, _ isHit: Bool) -> [(String, String)] {
        get { state.withLock { $0.edgeHeaders } }
        set { state.withLock { $0.edgeHeaders = newValue } }
    }

    /// `Via` names the place, `X-Cache` the outcome at it.
    package static let appleHeaders: @Sendable (_ edge: String, _ isHit: Bool) -> [(String, String)] = { edge, isHit in
        let place = edge.split { ".:".contains($0) }.last ?? "1"
        return [
            ("Via", "https/1.1 uslab\(place)-edge-lx-001.ts.apple.com (acdn/270.14589)"),
            ("X-Cache", isHit ? "hit-fresh" : "miss"),
        ]
    }

    /// The last 1000 requests for a host.
    package func requests(for host: String) -> [LabRequest] {
        state.withLock { $0.logs[host.lowercased()]?.requests ?? [] }
    }

    func tenant(at address: String) -> LabTenant {
        site.tenant(at: address) { [self] in answer($0) }
    }

    private func answer(_ request: LabRequest) -> LabBehaviour {
        let prefix = Self.basePath + "/"
        let path = request.pathOnly
        guard path.hasPrefix(prefix), path.count > prefix.count else { return .reply(.cdnBare(status: 404)) }
        let host = path.dropFirst(prefix.count).lowercased()
        let edge = Place(host: host, edge: request.address)
        let everywhere = Place(host: host, edge: nil)
        let behaviour = site.rule(for: request)
        return state.withLock { state in
            let isKnown = state.logs[host] != nil || state.logs.count < Self.hostLimit
            if isKnown { state.logs[host, default: LabRequestLog()].append(request) }
            if let behaviour { return behaviour }
            if state.entries[edge] == nil && state.entries[everywhere] == nil {
                guard isKnown else { return .reply(.cdnBare(status: 404)) }
                state.entries[everywhere] = Entry(copy: crawler.crawl(host), since: now(), maxAge: nil)
            }
            let place = state.entries[edge] == nil ? everywhere : edge
            guard let entry = state.entries[place] else { return .reply(.cdnBare(status: 404)) }
            state.entries[place]?.hits += 1
            let age = Int64(now().timeIntervalSince(entry.since))
            return .reply(
                LabReply(
                    entry.copy, of: host, age: max(0, age), maxAge: entry.maxAge, id: entry.id,
                    edgeHeaders: state.edgeHeaders(request.address, entry.hits > 0)))
        }
    }
}

/// What the CDN's copy holds for one host.
package enum LabCDNCopy: Sendable {
    /// A good copy. `from` is the chain of URLs that the crawler followed, the last of them the real source.
    case body([UInt8], from: [String])
    case failure(LabCDNFailure)
}
