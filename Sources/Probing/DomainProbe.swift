// Probes one domain: the origin first, then Apple's CDN. Returns facts; `Evidence` interprets them.

import Curl
import Evidence
import Facts
import Foundation

package struct DomainProbe: Sendable {
    private let settings: ProbeSettings
    private let origin: OriginProbe
    private let survey: OriginSurvey
    private let vantages: VantageSurvey
    private let cdn: CDNProbe
    private let pages: PageProbe
    /// The environment variable from which curl and most programs take a proxy, if this program was given none; it
    /// reads none itself. Only the name: the value may hold a password.
    private let unusedProxy: String?

    package init(
        driver: CurlDriver, settings: ProbeSettings,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        self.settings = settings
        unusedProxy =
            driver.network.proxy == nil
            ? ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false } : nil
        origin = OriginProbe(driver: driver, settings: settings)
        survey = OriginSurvey(origin: origin)
        vantages = VantageSurvey(origin: origin, points: settings.vantages)
        cdn = CDNProbe(driver: driver, settings: settings)
        pages = PageProbe(driver: driver, settings: settings)
    }

    /// One observation of one domain. `hadFile`: whether the origin was ever seen to serve a file. `pages`: the
    /// expected URLs that must show a web page, requested only at full depth. `timeout`: for each of origin and CDN,
    /// nil for the settings' own. `compared`: the contents of origin and CDN that differed before. `places`: other URLs
    /// where the file may lie by mistake, requested at full depth if the origin has none. Throws
    /// `CancellationError` only: a network failure is part of the observation.
    package func observe(
        _ domain: Domain, mode: AssociationMode = .production, depth: Depth = .light, hadFile: Bool,
        pages: [String] = [], timeout: Duration? = nil, compared: (origin: ContentHash, copy: ContentHash)? = nil,
        places named: [String] = [], now: Date
    ) async throws -> Observation {
        let timeout = timeout ?? settings.timeout
        // If a request can do no harm, the CDN does not wait for the origin's answer.
        let asksAtOnce = mode.readsCDN && (hadFile || settings.asksBeforeOrigin)
        async let root = depth == .full ? origin.ask(domain.rootURL, timeout: timeout) : nil
        async let besides = depth == .full ? besides(domain, pages: pages, timeout: timeout) : nil
        async let elsewhere = depth == .full ? vantages.results(at: domain, timeout: timeout) : []
        async let early = asksAtOnce ? copy(of: domain, depth: depth, timeout: timeout) : nil
        // In parallel with the origin's own lookup: a dead name server costs only one wait.
        async let nameOfCDN = mode.readsCDN ? cdn.lookUpName(timeout: timeout) : nil
        let first = try await origin.retrieve(domain, timeout: timeout)
        // Waits for the origin by its name. Waits for the file at the root only if the well-known URL has none.
        var hasNoFile = first.retrieval.absence(at: domain, first.contents) == .origin
        if first.retrieval.redirects.isEmpty, first.retrieval.failure?.hasNoAddress == true {
            // If the name server does not know Apple's CDN either, its answer proves nothing.
            hasNoFile = try await nameOfCDN?.failure?.hasNoAddress != true
        }
        var isForRoot = false
        if mode.readsCDN, !asksAtOnce, hasNoFile { isForRoot = try await root?.isFile == true }
        let isLate = mode.readsCDN && !asksAtOnce && (!hasNoFile || isForRoot)
        async let late = isLate ? copy(of: domain, depth: depth, timeout: timeout) : nil
        async let misplaced =
            depth == .full && !named.isEmpty && !first.isFile
            ? together(named) { try await origin.ask($0, timeout: timeout) } : nil
        let places = try await vantages.confirmed(try await elsewhere, against: first.retrieval, of: domain)
        var seen = first
        var observation = Observation(
            domain: domain, checkedAt: now, mode: mode, origin: seen.retrieval, cdn: .notAsked(.mode))
        if let besides = try await besides {
            let rootCopy = try await root
            observation.full = besides.probed
            observation.full?.rootCopy = rootCopy?.retrieval
            observation.full?.vantages = places.map {
                VantageResult(name: $0.point.name, retrieval: $0.fetched.retrieval)
            }
            let others = try await misplaced
            observation.full?.namedPlaces = others?.map(\.retrieval)
            // A light check does not ask for the file at the root, so it would see no reason to ask the CDN.
            observation.full?.lightSkipsCDN = isForRoot ? .originHasNoFile : nil
            let fetches = [rootCopy].compactMap(\.self) + places.map(\.fetched) + (others ?? [])
            observation.contents = fetches.contents.merging(besides.contents) { first, _ in first }
        }
        if mode.readsCDN {
            let copies = (early: try await early, late: try await late)
            if let copy = copies.early ?? copies.late {
                observation.cdn = .asked(copy.fetched.retrieval)
                observation.full?.edges = copy.edges
                observation.contents.merge(copy.fetched.contents) { first, _ in first }
            } else {
                observation.cdn = .notAsked(.originHasNoFile)
            }
        }
        // Apple may have seen a change between our two requests. Before its copy counts as different, the origin is
        // read again and the later answer is compared. A known difference needs no second read.
        if let copy = observation.cdn.retrieval?.answer, copy.status == 200, copy.body.end == .complete,
            seen.retrieval.answer?.status == 200, seen.retrieval.answer?.body.end == .complete,
            copy.body.hash != seen.retrieval.answer?.body.hash,
            compared == nil || compared?.origin != seen.retrieval.answer?.body.hash || compared?.copy != copy.body.hash
        {
            let again = try await origin.retrieve(domain, timeout: timeout)
            if again.retrieval.answer?.status == 200, again.retrieval.answer?.body.end == .complete { seen = again }
        }
        observation.origin = seen.retrieval
        observation.contents.merge(seen.contents) { first, _ in first }
        // Not `now`: the requests of this check may have taken a while since.
        let clock = observation.cdn.retrieval?.answer.flatMap { ClockResult($0, own: Date()) }
        let isLookUpSlow = observation.origin.connection?.timings.isLookUpSlow == true
        if observation.hasTrouble || clock != nil || isLookUpSlow {
            let failure = observation.origin.failure
            var name: Resolution?
            if failure?.phase == .resolving || isLookUpSlow {
                name = try await nameOfCDN
                if name == nil { name = try await cdn.lookUpName(timeout: timeout) }
            }
            // Without an address there is nothing to connect to.
            let asks = failure != nil && failure?.phase != .resolving && observation.cdn.retrieval == nil
            observation.control = ControlResult(
                name: name, reference: asks ? try await cdn.reference(timeout: min(timeout, .seconds(5))) : nil,
                families: LocalFamilies.now.numbers, unusedProxy: unusedProxy, clock: clock)
        }
        return observation
    }

    /// The origin's file alone, and its body if complete.
    package func original(of domain: Domain) async throws -> (Retrieval, Data?) {
        try await origin.retrieve(domain, timeout: settings.timeout).withBody
    }

    /// Apple's copy alone, and its body if complete. Asks the CDN even if the origin has no file.
    package func copy(of domain: Domain) async throws -> (Retrieval, Data?) {
        try await cdn.retrieve(domain, timeout: settings.timeout).withBody
    }

    /// Probes every edge of the CDN, even if the origin has no file. Reports the addresses first, then each answer when
    /// it arrives. One request by the CDN's name if its addresses are not known here. Throws `CancellationError` only.
    package func edges(of domain: Domain, tell: @escaping @Sendable (EdgeNews) -> Void) async throws {
        let timeout = settings.timeout
        let places = try await cdn.places(timeout: timeout)
        let edges = places.addresses.map(\.address)
        tell(.asking(edges))
        if edges.isEmpty {
            let fetched = try await cdn.retrieve(domain, at: places, timeout: timeout)
            let address = fetched.retrieval.connection?.address ?? ""
            tell(.seen(EdgeResult(address: address, retrieval: fetched.retrieval), fetched.contents))
        }
        _ = try await together(edges) { edge in
            let fetched = try await cdn.retrieve(domain, edge: edge, timeout: timeout)
            tell(.seen(EdgeResult(address: edge, retrieval: fetched.retrieval), fetched.contents))
        }
    }

    package func cdnURL(of domain: Domain) -> String { cdn.url(of: domain) }
}

extension DomainProbe {
    private func copy(
        of domain: Domain, depth: Depth, timeout: Duration
    ) async throws -> (fetched: FetchResult, edges: [EdgeResult]) {
        let places = try await cdn.places(timeout: timeout)
        if depth == .full, settings.asksEdges {
            let (results, contents) = try await cdn.survey(domain, at: places, timeout: timeout)
            // The first edge that says anything about the file represents all; a failing edge does not.
            let first =
                results.first { $0.retrieval.isAboutFile } ?? results.first { $0.retrieval.answer != nil }
                ?? results.first
            if let first { return (FetchResult(retrieval: first.retrieval, contents: contents), results) }
        }
        return (try await cdn.retrieve(domain, at: places, timeout: timeout), [])
    }

    /// What a full check requests at once, besides origin, root copy, other locations and CDN.
    private func besides(
        _ domain: Domain, pages urls: [String], timeout: Duration
    ) async throws -> (probed: FullCheck, contents: [ContentHash: Data]) {
        async let surveyed = survey.survey(domain, timeout: timeout)
        async let opened = open(urls, timeout: timeout)
        var seen = try await surveyed
        seen.probed.pages = try await opened
        return seen
    }

    /// Pages requested at once; the expectations of one domain may name many.
    private static let maximumPages = 4

    private func open(_ urls: [String], timeout: Duration) async throws -> [PageResult] {
        try await together(urls, limit: Self.maximumPages) { try await pages.open($0, timeout: timeout) }
    }
}

extension Observation {
    /// Whether anything failed that may be this machine's fault.
    fileprivate var hasTrouble: Bool {
        let results = (full?.addresses ?? []).map(\.retrieval) + (full?.agents ?? []).map(\.retrieval)
        return ([origin, cdn.retrieval].compactMap(\.self) + results).contains { $0.failure != nil }
    }
}

extension ClockResult {
    /// Seconds. A smaller difference is ignored.
    private static let slack: TimeInterval = 60

    /// nil if the two agree. A cache may set the current date in an answer, or keep the date of the first sending.
    fileprivate init?(_ answer: Answer, own: Date) {
        guard let earliest = answer.header("date").flatMap(Date.init(http:)) else { return nil }
        let latest = earliest + TimeInterval(answer.age ?? 0)
        if own < earliest - Self.slack {
            self.init(apple: earliest, own: own)
        } else if own > latest + Self.slack {
            self.init(apple: latest, own: own)
        } else {
            return nil
        }
    }
}

/// A step of `edges`.
package enum EdgeNews: Sendable {
    /// The addresses to ask; empty if they are not known here.
    case asking([String])
    /// The answer of one edge, and the body that it names by its hash.
    case seen(EdgeResult, [ContentHash: Data])
}
