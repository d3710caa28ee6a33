// Reads the origin's file as Apple's crawler must: HTTPS, one fresh, fully verified connection per request.

import Curl
import Evidence
import Facts
import Foundation

struct OriginProbe: Sendable {
    let driver: CurlDriver
    let settings: ProbeSettings

    /// Probes the origin by its name and follows redirects; `timeout` covers all hops. `proxy` probes from another
    /// location.
    func retrieve(_ domain: Domain, timeout: Duration, proxy: String? = nil) async throws -> FetchResult {
        var redirects = Redirects(driver: driver) { url, left, policy in
            var request = request(url, timeout: left)
            request.addressPolicy = policy
            request.proxy = proxy
            return request
        }
        if settings.refusesPrivateOrigins { redirects.firstPolicy = .publicOnly }
        return try await redirects.walk(from: domain.wellKnownURL, timeout: timeout).fetched
    }

    /// Sends one request; notes redirects without following them. `address` overrides the name's addresses.
    func ask(
        _ url: String, address: String? = nil, userAgent: String? = nil, timeout: Duration
    ) async throws -> FetchResult {
        var request = request(url, timeout: timeout)
        request.address = address
        if let userAgent { request.userAgent = userAgent }
        var (result, fetched) = try await driver.ask(request, first: url, within: timeout)
        fetched.retrieval.redirects = [result.redirect(from: url)].compactMap(\.self)
        return fetched
    }

    private func request(_ url: String, timeout: Duration) -> TransferRequest {
        TransferRequest(
            url: url, userAgent: settings.userAgent,
            limits: TransferLimits(
                connectTimeout: timeout, totalTimeout: timeout, bodyBytes: ProbeSettings.bodyLimit),
            family: settings.family, addressPolicy: settings.refusesPrivateOrigins ? .publicOnly : .any)
    }
}

// MARK: - Each address

// What a full check asks the origin's addresses: each on its own, with this program's user agent and with those of
// Apple's clients.

struct OriginSurvey: Sendable {
    let origin: OriginProbe

    private enum Event: Sendable {
        case plain(Int, FetchResult)
        case agents(Int, [(agent: AgentResult.Agent, fetched: FetchResult)])
        case patienceIsOver
    }

    /// Probes every address at once. Requests with agents start when all addresses have answered, or after a second at
    /// most, so that a silent address delays no other. `timeout` covers the lookup, and again all requests together.
    func survey(
        _ domain: Domain, timeout: Duration
    ) async throws -> (probed: FullCheck, contents: [ContentHash: Data]) {
        let resolution = try await origin.driver.resolution(
            of: domain.name, family: origin.settings.family, timeout: timeout)
        // Behind a proxy there is one destination, and its address is not known here.
        let places: [ResolvedAddress?] = resolution.source == .proxy ? [nil] : resolution.addresses
        let (plain, agents) = try await fetches(domain.wellKnownURL, at: places, timeout: timeout)
        var probed = FullCheck(resolution: resolution)
        for (place, address) in places.enumerated() {
            if let address, let fetched = plain[place] {
                probed.addresses.append(AddressResult(address: address, retrieval: fetched.retrieval))
            }
            for (agent, fetched) in agents[place] ?? [] {
                probed.agents.append(AgentResult(agent: agent, address: address?.address, retrieval: fetched.retrieval))
            }
        }
        let fetches = plain.values + agents.values.joined().map(\.fetched)
        return (probed, fetches.contents)
    }

    /// The keys of the results are indices of `places`.
    private func fetches(
        _ url: String, at places: [ResolvedAddress?], timeout: Duration
    ) async throws -> (plain: [Int: FetchResult], agents: [Int: [(agent: AgentResult.Agent, fetched: FetchResult)]]) {
        var plain: [Int: FetchResult] = [:]
        var agents: [Int: [(agent: AgentResult.Agent, fetched: FetchResult)]] = [:]
        let end = ContinuousClock.now + timeout
        try await withThrowingTaskGroup(of: Event.self) { group in
            for (place, address) in places.enumerated() {
                group.addTask {
                    .plain(place, try await origin.ask(url, address: address?.address, timeout: timeout))
                }
            }
            group.addTask {
                try await Task.sleep(for: min(.seconds(1), timeout / 4))
                return .patienceIsOver
            }
            var open = places.count
            var isPatient = true
            var waiting = AgentPlan.chosen(places)
            while open > 0, let event = try await group.next() {
                switch event {
                case .plain(let place, let fetched):
                    plain[place] = fetched
                    open -= 1
                case .agents(let place, let fetches):
                    agents[place] = fetches
                    open -= 1
                case .patienceIsOver: isPatient = false
                }
                if isPatient && plain.count < places.count || plain.values.contains(where: \.isBusy) { continue }
                for place in waiting {
                    guard let fetched = plain[place] else { continue }
                    let address = places[place]?.address
                    let plan = AgentPlan { agent in
                        try await Task.sleep(for: AgentPlan.pause)
                        let left = end - .now
                        // A late request must not look like a refusal only because its time ran out.
                        guard left >= timeout / 4 else { return nil }
                        return try await origin.ask(url, address: address, userAgent: agent?.userAgent, timeout: left)
                    }
                    group.addTask { .agents(place, try await plan.fetches(besides: fetched)) }
                    open += 1
                }
                waiting.removeAll { plain[$0] != nil }
            }
            group.cancelAll()
        }
        return (plain, agents)
    }
}

// MARK: - Other places

// The origin as seen from other locations, through a proxy at each.

struct VantageSurvey: Sendable {
    let origin: OriginProbe
    let points: [Vantage]

    struct Seen: Sendable {
        var point: Vantage
        var fetched: FetchResult
        /// What is left of this location's time.
        var left: Duration
    }

    /// All locations at once, each within `timeout`.
    func results(at domain: Domain, timeout: Duration) async throws -> [Seen] {
        try await together(points) { point in
            let end = ContinuousClock.now + timeout
            let fetched = try await origin.retrieve(domain, timeout: timeout, proxy: point.proxy.reveal())
            return Seen(point: point, fetched: fetched, left: end - .now)
        }
    }

    /// A location that got something else than this machine is probed once more, in what is left of its time: a server
    /// whose answers vary, or a proxy that fails once, does not show a rule for locations. A location that used up its
    /// time is not probed again.
    func confirmed(_ seen: [Seen], against plain: Retrieval, of domain: Domain) async throws -> [Seen] {
        guard plain.answer?.status == 200 else { return seen }
        return try await together(seen) { probed in
            guard probed.left > .zero, probed.fetched.retrieval.failure?.kind != .timedOut,
                !probed.fetched.answersLike(plain)
            else { return probed }
            let again = try await origin.retrieve(domain, timeout: probed.left, proxy: probed.point.proxy.reveal())
            // The second probe has less time than the first, so a time-out says nothing.
            if again.retrieval.failure?.kind == .timedOut { return probed }
            return Seen(point: probed.point, fetched: again, left: .zero)
        }
    }
}
