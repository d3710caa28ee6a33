// Reads the origin's copy as Apple's crawler would have to: HTTPS, one fresh, fully verified connection a request.

import Curl
import Evidence
import Facts
import Foundation

struct OriginProbe: Sendable {
    let driver: CurlDriver
    let settings: ProbeSettings

    /// One look at the origin by its name, redirects followed, within `timeout` for all hops together; through `proxy`
    /// where another place looks.
    func retrieve(_ domain: Domain, timeout: Duration, proxy: String? = nil) async throws -> FetchResult {
        var redirects = Redirects(driver: driver) { url, left, policy in
            var request = request(url, timeout: left)
            request.addressPolicy = policy
            request.proxy = proxy
            return request
        }
        if settings.refusesPrivateOrigins { redirects.firstPolicy = .publicOnly }
        return try await redirects.walk(from: domain.wellKnownURL, timeout: timeout).sight
    }

    /// One request, redirects noted and not followed. `address`: sent there, whatever the name resolves to.
    func ask(
        _ url: String, address: String? = nil, userAgent: String? = nil, timeout: Duration
    ) async throws -> FetchResult {
        var request = request(url, timeout: timeout)
        request.address = address
        if let userAgent { request.userAgent = userAgent }
        var (result, sight) = try await driver.ask(request, first: url, within: timeout)
        sight.retrieval.redirects = [result.redirect(from: url)].compactMap(\.self)
        return sight
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

// All that a full check asks the origin's addresses: each by itself, under this program's name and under those of Apple's
// own clients.

struct OriginSurvey: Sendable {
    let origin: OriginProbe

    private enum Event: Sendable {
        case plain(Int, FetchResult)
        case agents(Int, [(agent: AgentLook.Agent, sight: FetchResult)])
        case patienceIsOver
    }

    /// Every address at once, and each address's agents as soon as all have answered: an address that does not answer holds
    /// up no other. `timeout` is for the look-up of the name, and again for all the looks together.
    func survey(
        _ domain: Domain, timeout: Duration
    ) async throws -> (look: FullLook, contents: [ContentHash: Data]) {
        let resolution = try await origin.driver.resolution(
            of: domain.name, family: origin.settings.family, timeout: timeout)
        // Behind a proxy there is one place, and its address is not known here.
        let places: [ResolvedAddress?] = resolution.source == .proxy ? [nil] : resolution.addresses
        let (plain, agents) = try await sights(domain.wellKnownURL, at: places, timeout: timeout)
        var look = FullLook(resolution: resolution)
        for (place, address) in places.enumerated() {
            if let address, let sight = plain[place] {
                look.addresses.append(AddressLook(address: address, retrieval: sight.retrieval))
            }
            for (agent, sight) in agents[place] ?? [] {
                look.agents.append(AgentLook(agent: agent, address: address?.address, retrieval: sight.retrieval))
            }
        }
        let sights = plain.values + agents.values.joined().map(\.sight)
        return (look, sights.contents)
    }

    /// By the index of the place.
    private func sights(
        _ url: String, at places: [ResolvedAddress?], timeout: Duration
    ) async throws -> (plain: [Int: FetchResult], agents: [Int: [(agent: AgentLook.Agent, sight: FetchResult)]]) {
        var plain: [Int: FetchResult] = [:]
        var agents: [Int: [(agent: AgentLook.Agent, sight: FetchResult)]] = [:]
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
                case .plain(let place, let sight):
                    plain[place] = sight
                    open -= 1
                case .agents(let place, let sights):
                    agents[place] = sights
                    open -= 1
                case .patienceIsOver: isPatient = false
                }
                if isPatient && plain.count < places.count || plain.values.contains(where: \.isBusy) { continue }
                for place in waiting {
                    guard let sight = plain[place] else { continue }
                    let address = places[place]?.address
                    let plan = AgentPlan { agent in
                        try await Task.sleep(for: AgentPlan.pause)
                        let left = end - .now
                        // Who is asked late must not look as if it refused Apple only because time ran out.
                        guard left >= timeout / 4 else { return nil }
                        return try await origin.ask(url, address: address, userAgent: agent?.userAgent, timeout: left)
                    }
                    group.addTask { .agents(place, try await plan.sights(besides: sight)) }
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

// The origin as other places see it, by way of a proxy at each.

struct VantageSurvey: Sendable {
    let origin: OriginProbe
    let points: [Vantage]

    struct Seen: Sendable {
        var point: Vantage
        var sight: FetchResult
        /// Of the time that this place had.
        var left: Duration
    }

    /// Each place at once, each within `timeout`.
    func looks(at domain: Domain, timeout: Duration) async throws -> [Seen] {
        try await together(points) { point in
            let end = ContinuousClock.now + timeout
            let sight = try await origin.retrieve(domain, timeout: timeout, proxy: point.proxy.reveal())
            return Seen(point: point, sight: sight, left: end - .now)
        }
    }

    /// A place that is given something else than this machine is asked once more, in what is left of its time: a server
    /// that differs from one answer to the next, or a proxy that fails once, is no rule about places. Who took all the
    /// time is not waited for again.
    func confirmed(_ seen: [Seen], against plain: Retrieval, of domain: Domain) async throws -> [Seen] {
        guard plain.answer?.status == 200 else { return seen }
        return try await together(seen) { look in
            guard look.left > .zero, look.sight.retrieval.failure?.kind != .timedOut, !look.sight.answersLike(plain)
            else { return look }
            let again = try await origin.retrieve(domain, timeout: look.left, proxy: look.point.proxy.reveal())
            // What had less time than the first look says nothing by running out of it.
            if again.retrieval.failure?.kind == .timedOut { return look }
            return Seen(point: look.point, sight: again, left: .zero)
        }
    }
}
