// The copy of Apple's CDN: one cache, which edges (the lab's addresses) can override. See LabCrawler for crawls.

import Foundation
import NIOCore
import Synchronization

/// The copy of Apple's CDN. It crawls a host at the first request for it, and keeps the result until ``refresh(_:)``,
/// as the real one does for up to a day.
package final class LabCDN: Sendable {
    /// The host name of the copy, also in its certificate.
    package static let host = "app-site-association.cdn-apple.test"
    /// The path prefix before the host.
    package static let basePath = "/a/v1"

    private struct Entry {
        let copy: LabCDNCopy
        let since: Date
        let maxAge: Int64?
        let id = UUID().uuidString
        var hits = 0
    }

    /// One host at one edge; a nil edge is the shared cache, which every edge falls back to.
    private struct Place: Hashable {
        let host: String
        let edge: String?
    }

    private struct State {
        var entries: [Place: Entry] = [:]
        var edgeHeaders: @Sendable (_ edge: String, _ isHit: Bool) -> [(String, String)] = LabCDN.appleHeaders
        var logs: [String: LabRequestLog] = [:]
    }

    /// Host names come from requests; beyond this many, new ones are answered but not remembered.
    private static let hostLimit = 16_384

    /// Its certificate and handshake, and rules that override the cache.
    package let site = LabOrigin(host: LabCDN.host)
    private let crawler: LabCrawler
    /// The clock for ages.
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(origins: LabOrigins, now: @escaping @Sendable () -> Date) {
        crawler = LabCrawler(origins: origins)
        self.now = now
    }

    /// Crawls now, as `AASA-Bot/1.0.0`: the origin's current answer becomes the cached answer at every edge. A crawl is
    /// computed in memory and takes no time; origins do not record it.
    package func refresh(_ host: String) {
        keep(crawler.crawl(host.lowercased()), for: host)
    }

    /// Puts a copy into the cache: for the edge at one of the lab's addresses, or for every edge, which replaces the
    /// copies of single edges. `age` is the start value of the `Age` header, `maxAge` the one of `Cache-Control` in
    /// whole seconds; nil: the observed value of the real CDN.
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

    /// The headers that identify an edge; by default those of Apple's edges.
    package var edgeHeaders: @Sendable (_ edge: String, _ isHit: Bool) -> [(String, String)] {
        get { state.withLock { $0.edgeHeaders } }
        set { state.withLock { $0.edgeHeaders = newValue } }
    }

    /// `Via` names the edge, `X-Cache` the result of its cache.
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

    func forgetRequests() { state.withLock { $0.logs = [:] } }

    func forgetRequests(of host: String) { state.withLock { $0.logs[host.lowercased()] = nil } }

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

/// The content of the CDN's copy for one host.
package enum LabCDNCopy: Sendable {
    /// A good copy. `from` is the chain of URLs that the crawler followed; the last one is the actual source.
    case body([UInt8], from: [String])
    case failure(LabCDNFailure)
}
