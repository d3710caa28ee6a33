// Reads Apple's copy as a device does: a plain GET. Connections are kept and the rate is limited, so that watching many
// domains does not burden the CDN.

import Curl
import Evidence
import Facts
import Foundation
import Synchronization

struct CDNProbe: Sendable {
    private let driver: CurlDriver
    private let settings: ProbeSettings
    private let pace: RateLimiter
    private let pools = EdgePools()
    private let health = CircuitBreaker()
    private let host: String
    private let port: Int
    /// The name server's current answer for the CDN's name.
    private let names = Shared<Resolution>(for: .seconds(1))
    private let references = Shared<ConnectionResult>(for: .seconds(30))

    init(driver: CurlDriver, settings: ProbeSettings) {
        self.driver = driver
        self.settings = settings
        pace = RateLimiter(perSecond: settings.cdnRequestsPerSecond)
        let parts = CurlURL.components(settings.cdnBaseURL)
        host = parts?.host ?? ""
        port = parts?.port ?? 443
    }

    func url(of domain: Domain) -> String { "\(settings.cdnBaseURL)/\(domain.name)" }

    /// The answer of one edge.
    func retrieve(_ domain: Domain, edge: String, timeout: Duration) async throws -> FetchResult {
        try await pools.places(edge).with { try await ask(domain, edge, timeout: timeout) }
    }

    /// The answer of the first usable edge: one that accepts no connection within `firstTimeout` is skipped for the
    /// next. `places`: the CDN's addresses; nil looks them up.
    func retrieve(_ domain: Domain, at places: Resolution? = nil, timeout: Duration) async throws -> FetchResult {
        var places = places
        if places == nil { places = try await self.places(timeout: timeout) }
        if let failure = places?.failure {
            return FetchResult(retrieval: Retrieval(url: url(of: domain), outcome: .failed(failure)))
        }
        let edges = places?.addresses.map(\.address) ?? []
        return try await pools.places(nil).with {
            let ordered = health.ordered(edges)
            guard let first = ordered.first, let second = ordered.dropFirst().first, timeout > Self.firstTimeout * 2
            else { return try await ask(domain, nil, timeout: timeout) }
            let fetched = try await ask(domain, first, connectTimeout: Self.firstTimeout, timeout: timeout)
            guard let failure = fetched.retrieval.failure,
                failure.phase == .connecting || failure.phase == .handshaking && failure.kind == .timedOut
            else { return fetched }
            health.notePassedOver(first)
            return try await ask(domain, second, timeout: timeout - Self.firstTimeout)
        }
    }

    /// A near edge accepts sooner. A distant one only loses its turn: the second edge gets all remaining time.
    private static let firstTimeout: Duration = .milliseconds(100)

    /// `edge`: nil for any address of the CDN's name.
    private func ask(
        _ domain: Domain, _ edge: String?, connectTimeout: Duration? = nil, timeout: Duration
    ) async throws -> FetchResult {
        let url = url(of: domain)
        if let edge, !health.mayAsk(edge) {
            return FetchResult(retrieval: Retrieval(url: url, outcome: .failed(.silentEdge)))
        }
        try await pace.turn()
        let request = TransferRequest(
            url: url, userAgent: settings.userAgent, allowPlainHTTP: url.hasPrefix("http://"), keepsConnection: true,
            limits: TransferLimits(
                connectTimeout: connectTimeout ?? timeout, totalTimeout: timeout, bodyBytes: ProbeSettings.bodyLimit),
            family: settings.family, address: edge)
        let began = ContinuousClock.now
        let fetched = try await driver.ask(request, first: url, within: timeout).fetched
        // A time-out after less than the usual time says nothing about the edge.
        let isUsual = connectTimeout == nil && timeout >= settings.timeout
        if let edge, isUsual || fetched.retrieval.answer != nil {
            health.note(fetched.retrieval, from: edge, began: began)
        }
        return fetched
    }

    /// The addresses of the CDN's edges; empty if they are not known here. They are looked up from time to time, not
    /// for every domain.
    func places(timeout: Duration) async throws -> Resolution {
        // A failure in a family that this machine does not speak says nothing about the edge.
        var found = try await driver.resolution(
            of: host, port: port, family: settings.family, isRecentEnough: true, reachableFamiliesOnly: true,
            timeout: timeout)
        if found.source == .system {
            // A stable order, the preferred family first: one edge represents the CDN as long as it answers.
            let preferred = found.addresses.first?.family
            found.addresses.sort { one, other in
                one.family == other.family ? one.address < other.address : one.family == preferred
            }
        }
        return found
    }

    /// The name server's current answer for the CDN's name. Throws `CancellationError` only.
    func lookUpName(timeout: Duration) async throws -> Resolution {
        try await names.probed { [self] in
            try await driver.resolution(
                of: host, port: port, family: settings.family, reachableFamiliesOnly: true, timeout: timeout)
        }
    }

    /// Connects to the CDN without a request: shows what this machine can do when the CDN is not asked about a domain.
    /// Sends nothing that could make Apple ask the domain. A result is shared for half a minute. Throws
    /// `CancellationError` only.
    func reference(timeout: Duration) async throws -> ConnectionResult {
        try await references.probed { [self] in
            try await pace.turn()
            let request = TransferRequest(
                url: settings.cdnBaseURL, userAgent: settings.userAgent,
                allowPlainHTTP: settings.cdnBaseURL.hasPrefix("http://"),
                limits: TransferLimits(connectTimeout: timeout, totalTimeout: timeout, bodyBytes: 0),
                purpose: .handshake, family: settings.family)
            let (result, fetched) = try await driver.ask(request, first: request.url, within: timeout)
            return ConnectionResult(failure: result.failure, connection: fetched.retrieval.connection)
        }
    }

    /// Probes every edge at once.
    func survey(
        _ domain: Domain, at places: Resolution, timeout: Duration
    ) async throws -> (results: [EdgeResult], contents: [ContentHash: Data]) {
        let edges = places.addresses.map(\.address)
        let fetches = try await together(edges) { try await retrieve(domain, edge: $0, timeout: timeout) }
        let results = zip(edges, fetches).map { EdgeResult(address: $0, retrieval: $1.retrieval) }
        return (results, fetches.contents)
    }
}

/// A result that several callers want at once: one of them fetches it, and for a while it serves all.
private actor Shared<Value: Sendable> {
    private let life: Duration
    private var latest: (probed: Value, began: ContinuousClock.Instant)?
    private let turn = AsyncSemaphore(1)

    init(for life: Duration) { self.life = life }

    func probed(_ ask: @Sendable () async throws -> Value) async throws -> Value {
        let oldest = ContinuousClock.now - life
        return try await turn.with {
            if let latest = await self.latest, latest.began > oldest { return latest.probed }
            let began = ContinuousClock.now
            let probed = try await ask()
            await self.keep(probed, began)
            return probed
        }
    }

    private func keep(_ probed: Value, _ began: ContinuousClock.Instant) { latest = (probed, began) }
}

/// A small pool of connections for each edge.
private final class EdgePools: Sendable {
    /// Requests to one edge at once, and so connections.
    private static let size = 4
    /// The CDN's addresses change over time; above this many, the pools of old ones are dropped.
    private static let maximumEdges = 256

    private let pools = Mutex<[String: AsyncSemaphore]>([:])

    func places(_ edge: String?) -> AsyncSemaphore {
        pools.withLock { pools in
            let key = edge ?? ""
            if let known = pools[key] { return known }
            if pools.count >= Self.maximumEdges { pools.removeAll() }
            let made = AsyncSemaphore(edge == nil ? 4 * Self.size : Self.size)
            pools[key] = made
            return made
        }
    }
}

// MARK: - Silent edges

// Which edges of the CDN answer this machine. A dead edge must not delay checks: after three time-outs in a row it
// counts as silent, and gets one request a minute.

final class CircuitBreaker: Sendable {
    private struct Record {
        /// Consecutive time-outs.
        var timeouts = 0
        /// Until then, a silent edge gets no request, and a skipped edge comes after the others.
        var quietUntil: ContinuousClock.Instant
        /// When the last time-out was counted.
        var countedAt: ContinuousClock.Instant
    }

    private let records = Mutex<[String: Record]>([:])

    private static let limit = 3
    private static let pause: Duration = .seconds(60)
    /// The CDN's addresses change over time; above this many, the records of old ones are dropped.
    private static let maximumEdges = 256

    /// Whether a request may go to an edge now. A silent edge gets one a minute: the caller that gets true sends it.
    func mayAsk(_ edge: String, at now: ContinuousClock.Instant = .now) -> Bool {
        records.withLock { records in
            guard let known = records[edge], known.timeouts >= Self.limit else { return true }
            guard known.quietUntil <= now else { return false }
            records[edge]?.quietUntil = now + Self.pause
            return true
        }
    }

    /// `began`: when the request started, nil for now. Of several concurrent requests that time out, one counts.
    func note(
        _ retrieval: Retrieval, from edge: String, began: ContinuousClock.Instant? = nil,
        at now: ContinuousClock.Instant = .now
    ) {
        if retrieval.failure?.kind == .timedOut {
            add(1, to: edge, began: began ?? now, at: now)
        } else {
            records.withLock { $0[edge] = nil }
        }
    }

    /// The edge accepted no connection within the time of a first try, which says little.
    func notePassedOver(_ edge: String, at now: ContinuousClock.Instant = .now) {
        add(0, to: edge, began: now, at: now)
    }

    private func add(
        _ timeouts: Int, to edge: String, began: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) {
        records.withLock { records in
            if let known = records[edge] {
                // A silent edge was not asked, so it was not skipped either.
                if timeouts == 0, known.timeouts >= Self.limit { return }
                if timeouts > 0, known.timeouts > 0, began < known.countedAt { return }
            }
            if records.count >= Self.maximumEdges, records[edge] == nil { records = [:] }
            records[edge] = Record(
                timeouts: (records[edge]?.timeouts ?? 0) + timeouts, quietUntil: now + Self.pause, countedAt: now)
        }
    }

    /// The order in which edges are tried: the same one first as long as it answers.
    func ordered(_ edges: [String], at now: ContinuousClock.Instant = .now) -> [String] {
        records.withLock { records in
            func isBehind(_ edge: String) -> Bool {
                records[edge].map { $0.timeouts >= Self.limit || $0.quietUntil > now } ?? false
            }
            return edges.filter { !isBehind($0) } + edges.filter(isBehind)
        }
    }
}

extension Failure {
    /// For an edge that is not asked now.
    static let silentEdge = Failure(
        kind: .timedOut, phase: .connecting,
        detail: "the last requests to this edge timed out, so it is asked once a minute")
}
