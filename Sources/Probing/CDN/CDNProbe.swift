// Reads Apple's copy as a device does: a plain GET. Connections are kept, and the pace is bounded, so that watching many
// domains is no burden.

import Curl
import Evidence
import Foundation
import Synchronization

struct CDNProbe: Sendable {
    private let driver: CurlDriver
    private let settings: ProbeSettings
    private let pace: Pace
    private let pools: EdgePools
    private let roll: EdgeRoll
    private let health = EdgeHealth()

    init(driver: CurlDriver, settings: ProbeSettings) {
        self.driver = driver
        self.settings = settings
        pace = Pace(perSecond: settings.cdnRequestsPerSecond)
        pools = EdgePools()
        roll = EdgeRoll(
            baseURL: settings.cdnBaseURL,
            book: AddressBook(network: driver.network, family: settings.family, resolver: driver.resolver))
    }

    func url(of domain: Domain) -> String { "\(settings.cdnBaseURL)/\(domain.name)" }

    /// The answer of one edge, or of the first that will do: an edge that takes no connection in `firstPatience` is passed over
    /// for the next.
    func retrieve(_ domain: Domain, edge: String? = nil, timeout: Duration) async throws -> Sight {
        if let edge { return try await pools.places(edge).with { try await ask(domain, edge, timeout: timeout) } }
        let edges = try await addresses(timeout: timeout)
        return try await pools.places(nil).with {
            let ordered = health.ordered(edges)
            guard let first = ordered.first, let second = ordered.dropFirst().first, timeout > Self.firstPatience * 2
            else { return try await ask(domain, nil, timeout: timeout) }
            let sight = try await ask(domain, first, connectTimeout: Self.firstPatience, timeout: timeout)
            guard let failure = sight.retrieval.failure,
                failure.phase == .connecting || failure.phase == .handshaking && failure.kind == .timedOut
            else { return sight }
            health.notePassedOver(first)
            return try await ask(domain, second, timeout: timeout - Self.firstPatience)
        }
    }

    /// As long as two round trips may take to anywhere.
    private static let firstPatience: Duration = .milliseconds(400)

    /// `edge`: nil: wherever the CDN's name leads.
    private func ask(
        _ domain: Domain, _ edge: String?, connectTimeout: Duration? = nil, timeout: Duration
    ) async throws -> Sight {
        let url = url(of: domain)
        if let edge, !health.mayAsk(edge) {
            return Sight(retrieval: Retrieval(url: url, outcome: .failed(.silentEdge)), contents: [:])
        }
        try await pace.turn()
        let request = TransferRequest(
            url: url, userAgent: settings.userAgent, allowPlainHTTP: url.hasPrefix("http://"), connection: .kept,
            limits: TransferLimits(
                connectTimeout: connectTimeout ?? timeout, totalTimeout: timeout, bodyBytes: ProbeSettings.bodyLimit),
            family: settings.family, address: edge)
        let began = ContinuousClock.now
        let result = try await driver.perform(request)
        let sight = try await driver.sight(
            of: result, for: request, first: url, left: timeout - result.facts.timings.total)
        // Who was given less than the usual time says nothing of the edge by running out of it.
        let isUsual = connectTimeout == nil && timeout >= settings.timeout
        if let edge, isUsual || sight.retrieval.answer != nil { health.note(sight.retrieval, from: edge, began: began) }
        return sight
    }

    /// The CDN's own, in the resolver's order; empty where they are not known here.
    func addresses(timeout: Duration) async throws -> [String] { try await roll.addresses(timeout: timeout) }

    /// What a failed name look-up is, by what the same name server says of the CDN's name; nil where that is no news. Throws
    /// `CancellationError` only.
    func reconsidered(_ failure: Failure, timeout: Duration) async throws -> Failure? {
        let knowsCDN: Bool
        switch failure.kind {
        case .nameNotFound, .noAddress: knowsCDN = try await roll.look(timeout).failure?.hasNoAddress != true
        case .noNameServer: knowsCDN = try await !roll.look(timeout).addresses.isEmpty
        default: return nil
        }
        guard knowsCDN == (failure.kind == .noNameServer) else { return nil }
        return Failure(
            kind: .nameServerFailure, phase: .resolving,
            detail: knowsCDN
                ? "no answer in time about this name, though other names resolve"
                : "it does not know Apple's CDN either: \(failure.detail)")
    }

    /// Every edge at once, in the resolver's order; empty where the CDN's addresses are not known here.
    func survey(_ domain: Domain, timeout: Duration) async throws -> (looks: [EdgeLook], contents: [ContentHash: Data])
    {
        let edges = try await addresses(timeout: timeout)
        let sights = try await together(edges) { try await retrieve(domain, edge: $0, timeout: timeout) }
        let looks = zip(edges, sights).map { EdgeLook(address: $0, retrieval: $1.retrieval) }
        return (looks, sights.contents)
    }
}

/// The CDN's addresses, looked up now and then: not for every domain anew.
private actor EdgeRoll {
    private let host: String
    private let port: Int
    private let book: AddressBook
    private var known: (addresses: [String], until: ContinuousClock.Instant)?

    /// How long a look-up holds; about the lifetime of the CDN's own records.
    private static let lifetime: Duration = .seconds(60)

    init(baseURL: String, book: AddressBook) {
        let parts = CurlURL.components(baseURL)
        host = parts?.host ?? ""
        port = parts?.port ?? 443
        self.book = book
    }

    func addresses(timeout: Duration) async throws -> [String] {
        if let known, known.until > .now { return known.addresses }
        // An edge of a family that this machine does not speak says nothing about the edge.
        let found = try await look(timeout)
        var addresses = found.addresses.map(\.address)
        if found.source == .system {
            // In one order at each look-up, the preferred family first: one edge speaks for the CDN as long as it answers.
            let preferred = found.addresses.first?.family
            let (first, others) = (
                found.addresses.filter { $0.family == preferred }, found.addresses.filter { $0.family != preferred }
            )
            addresses = first.map(\.address).sorted() + others.map(\.address).sorted()
        }
        // A failure is not kept: the next check looks again.
        if !addresses.isEmpty { known = (addresses, .now + Self.lifetime) }
        return addresses
    }

    func look(_ timeout: Duration) async throws -> Resolution {
        try await book.resolution(of: host, port: port, reachableFamiliesOnly: true, timeout: timeout)
    }
}

/// A small pool of connections for each edge.
private final class EdgePools: Sendable {
    /// Requests to one edge at once, hence connections.
    private static let size = 4
    /// The CDN's addresses change now and then; above this many the pools of old ones are forgotten.
    private static let maximumEdges = 256

    private let pools = Mutex<[String: Places]>([:])

    func places(_ edge: String?) -> Places {
        pools.withLock { pools in
            let key = edge ?? ""
            if let known = pools[key] { return known }
            if pools.count >= Self.maximumEdges { pools.removeAll() }
            let made = Places(edge == nil ? 4 * Self.size : Self.size)
            pools[key] = made
            return made
        }
    }
}
