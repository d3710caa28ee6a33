// Requests a domain's file with the user agents of Apple's clients. A reaction to our own load is not evidence: agents
// come after the plain requests, one request at a time per address, and stop when the server limits us.

import Evidence
import Facts

struct AgentPlan: Sendable {
    /// How many addresses are probed with agents.
    static let maximumPlaces = 4
    /// Before each request that follows the plain one.
    static let pause: Duration = .milliseconds(100)

    /// The indices of the addresses to probe with agents, from both families. nil is the destination behind a proxy.
    static func chosen(_ places: [ResolvedAddress?]) -> [Int] {
        let four = places.indices.filter { places[$0]?.family != 6 }
        let six = places.indices.filter { places[$0]?.family == 6 }
        let fours = min(four.count, max(maximumPlaces / 2, maximumPlaces - six.count))
        return Array(four.prefix(fours) + six.prefix(maximumPlaces - fours))
    }

    /// Sends one request to the address; a nil agent means this program's own. Returns nil if no time is left.
    let ask: @Sendable (AgentResult.Agent?) async throws -> FetchResult?

    /// What each agent gets at an address that gave `plain` to this program. A different answer is requested once more,
    /// after another plain request.
    func fetches(besides plain: FetchResult) async throws -> [(agent: AgentResult.Agent, fetched: FetchResult)] {
        guard plain.mayDifferByAgent else { return [] }
        var fetches: [(agent: AgentResult.Agent, fetched: FetchResult)] = []
        for agent in AgentResult.Agent.allCases {
            guard var fetched = try await ask(agent) else { break }
            // A request that used up all its time is not repeated.
            let isAskedAgain =
                plain.retrieval.answer != nil && !fetched.answersLike(plain.retrieval) && !fetched.isBusy
                && fetched.retrieval.failure?.kind != .timedOut
            if isAskedAgain {
                // If the plain answer changed too, the cause may be our requests, not a rule for agents.
                guard let plainAgain = try await ask(nil), plain.retrieval.isAnsweredLike(plainAgain.retrieval),
                    let again = try await ask(agent)
                else { break }
                // Servers behind one address may differ.
                if again.answersLike(plain.retrieval) { fetched = again }
            }
            if fetched.tells(besides: plain) { fetches.append((agent, fetched)) }
            if fetched.isBusy { break }
        }
        return fetches
    }
}

extension FetchResult {
    /// Whether the server says that it is overloaded, or that we send too many requests.
    var isBusy: Bool { retrieval.answer.map { [429, 503].contains($0.status) } ?? false }

    /// Whether an agent may get something else: only if the server reads requests.
    fileprivate var mayDifferByAgent: Bool {
        retrieval.failure.map { $0.phase == .waiting || $0.phase == .receiving } ?? true
    }

    /// Whether the results can be compared: at least one has an answer, and an agent that timed out had at least twice
    /// the time of the plain request.
    fileprivate func tells(besides plain: FetchResult) -> Bool {
        if retrieval.failure?.kind == .timedOut, plain.milliseconds * 2 > milliseconds { return false }
        return retrieval.answer != nil || plain.retrieval.answer != nil
    }

    private var milliseconds: Double { retrieval.connection?.timings.total ?? 0 }
}

extension Retrieval {
    /// The same status, target and failure. Bodies do not count: the bytes of a page may change with each answer.
    func isAnsweredLike(_ other: Retrieval) -> Bool {
        answer?.status == other.answer?.status && redirects.first?.target == other.redirects.first?.target
            && failure?.kind == other.failure?.kind
    }
}
