// Asks a domain's addresses under the user agents of Apple's clients. What our own requests provoke is not evidence: agents are
// asked after the plain requests, at each address one request after the other, and no more where a server has had enough of us.

import Evidence
import Facts

struct AgentPlan: Sendable {
    /// Addresses at which agents are asked.
    static let maximumPlaces = 4
    /// Before each request that follows a plain one.
    static let pause: Duration = .milliseconds(100)

    /// The index of each address at which agents are asked; nil is the place that a proxy leads to. Both families have their part.
    static func chosen(_ places: [ResolvedAddress?]) -> [Int] {
        let four = places.indices.filter { places[$0]?.family != 6 }
        let six = places.indices.filter { places[$0]?.family == 6 }
        let fours = min(four.count, max(maximumPlaces / 2, maximumPlaces - six.count))
        return Array(four.prefix(fours) + six.prefix(maximumPlaces - fours))
    }

    /// Sends one request to the address; nil as the agent: under this program's own name. Returns nil where no time is left.
    let ask: @Sendable (AgentLook.Agent?) async throws -> FetchResult?

    /// What each agent is given at an address that gave `plain` to this program. An answer that differs is asked for once again,
    /// behind a plain request.
    func sights(besides plain: FetchResult) async throws -> [(agent: AgentLook.Agent, sight: FetchResult)] {
        guard plain.mayDifferByAgent else { return [] }
        var sights: [(agent: AgentLook.Agent, sight: FetchResult)] = []
        for agent in AgentLook.Agent.allCases {
            guard var sight = try await ask(agent) else { break }
            // Who took all the time there was is not waited for again.
            let isAskedAgain =
                plain.retrieval.answer != nil && !sight.answersLike(plain.retrieval) && !sight.isBusy
                && sight.retrieval.failure?.kind != .timedOut
            if isAskedAgain {
                // Where the plain answer has changed too, our requests may have changed it: that shows no rule about agents.
                guard let plainAgain = try await ask(nil), plain.retrieval.isAnsweredLike(plainAgain.retrieval),
                    let again = try await ask(agent)
                else { break }
                // Servers behind one address may differ by themselves.
                if again.answersLike(plain.retrieval) { sight = again }
            }
            if sight.tells(besides: plain) { sights.append((agent, sight)) }
            if sight.isBusy { break }
        }
        return sights
    }
}

extension FetchResult {
    /// Whether the server says that it cannot answer now, or that this is too much from us.
    var isBusy: Bool { retrieval.answer.map { [429, 503].contains($0.status) } ?? false }

    /// Whether an agent may be given something else there: only where a server reads requests.
    fileprivate var mayDifferByAgent: Bool {
        retrieval.failure.map { $0.phase == .waiting || $0.phase == .receiving } ?? true
    }

    /// Whether it can be compared: one of the two was answered, and an agent that ran out of time had twice what the plain answer
    /// took.
    fileprivate func tells(besides plain: FetchResult) -> Bool {
        if retrieval.failure?.kind == .timedOut, plain.milliseconds * 2 > milliseconds { return false }
        return retrieval.answer != nil || plain.retrieval.answer != nil
    }

    private var milliseconds: Double { retrieval.connection?.timings.total ?? 0 }
}

extension Retrieval {
    /// The same status, target and failure: the bytes of a page are new at each answer.
    func isAnsweredLike(_ other: Retrieval) -> Bool {
        answer?.status == other.answer?.status && redirects.first?.target == other.redirects.first?.target
            && failure?.kind == other.failure?.kind
    }
}
