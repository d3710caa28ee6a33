import Facts
import Foundation

extension Checks {
    /// Apple's user agents get a different answer than this program at the same address. This does not show a rule by
    /// source address: only Apple's own report does.
    @Sendable static func crawlerView(_ context: CheckContext) -> [Finding] {
        crawlerRefusal(context) + crawlerVersion(context)
    }

    /// Agents that get a version of the file that no plain request gets.
    private static func crawlerVersion(_ context: CheckContext) -> [Finding] {
        let results = AgentResult.Agent.allCases.compactMap { agent in
            context.otherVersions.first { $0.agent == agent }
        }
        guard let first = results.first, let reference = context.plainResult(besides: first) else { return [] }
        let others = results.map {
            AgentRefusals.Refused(agent: $0.agent, served: context.readings.served(by: $0.retrieval))
        }
        var evidence = ["url": context.origin.url]
        evidence["plain_sha256"] = reference.answer?.body.hash?.hex
        for result in results {
            evidence["\(result.agent.rawValue)_user_agent"] = result.agent.userAgent
            evidence["\(result.agent.rawValue)_sha256"] = result.retrieval.answer?.body.hash?.hex
        }
        return [
            Finding(
                .origin(.agentDiffers(others, plain: context.readings.served(by: reference))), evidence: evidence)
        ]
    }

    private static func crawlerRefusal(_ context: CheckContext) -> [Finding] {
        let refused = (context.observation.full?.agents ?? []).compactMap { result in
            context.refusal(of: result).map { (result, $0) }
        }
        guard let (first, reference) = refused.first else { return [] }
        var evidence = ["url": context.origin.url]
        if let status = reference.answer?.status { evidence["plain_status"] = "\(status)" }
        if let hash = reference.answer?.body.hash { evidence["plain_sha256"] = hash.hex }
        let places = CrawlerPlaces(of: refused.map(\.0), context)
        if let address = first.place { evidence["address"] = address }
        if places.isPart { evidence["addresses"] = places.refusing.joined(separator: ", ") }
        // If several addresses refuse, the first represents each agent.
        let agents = AgentResult.Agent.allCases.compactMap { agent in refused.first(where: { $0.0.agent == agent })?.0 }
        for result in agents {
            let name = result.agent.rawValue
            evidence["\(name)_user_agent"] = result.agent.userAgent
            guard let answer = result.retrieval.answer else {
                evidence["\(name)_error"] = result.retrieval.failure?.detail
                continue
            }
            evidence["\(name)_status"] = "\(answer.status)"
            evidence["\(name)_sha256"] = answer.body.hash?.hex
            evidence["\(name)_says"] = ServerWords.of(answer, context.readings.content(of: answer))
            let named = ["server", "cf-ray", "retry-after"].compactMap { header in
                answer.header(header).map { HeaderField(name: header, value: $0) }
            }
            for field in named + (context.readings.protection(of: result.retrieval)?.matches ?? []) {
                evidence["\(name)_\(field.evidenceName)"] = field.value.shortened(to: 200)
            }
        }
        let refusals = AgentRefusals(
            agents: agents.map { .init(agent: $0.agent, served: context.readings.served(by: $0.retrieval)) },
            plain: context.readings.served(by: reference),
            protection: context.readings.protection(of: first.retrieval)?.protection,
            first: context.readings.served(by: first.retrieval),
            addresses: places.isPart ? places.refusing : [], tried: places.tried,
            isCloudflare: refused.compactMap(\.0.retrieval.answer).contains {
                $0.isOfCloudflare || $0.header("cf-mitigated") != nil
            })
        return [Finding(.origin(.crawlerRefused(refusals)), evidence: evidence)]
    }
}

extension CheckContext {
    /// What this program got at the same address, if that is the file or leads to it, and the agent does not get it.
    func refusal(of result: AgentResult) -> Retrieval? {
        if result.retrieval.ownFault != nil { return nil }
        guard let reference = plainResult(besides: result), !isBusy(result.retrieval) else { return nil }
        let (plain, agent) = (readings.served(by: reference), readings.served(by: result.retrieval))
        // An answer that a plain request got there as well is not a refusal.
        if origin.redirects.isEmpty, let place = result.place, origin.connection?.address == place,
            agent.isLike(readings.served(by: origin))
        {
            return nil
        }
        switch plain {
        case .file: return agent.isLike(plain) || otherVersion(result) ? nil : reference
        case .redirect: return agent.isLike(plain) || agent.isFile || readings.originFile == nil ? nil : reference
        default: return nil
        }
    }

    /// Whether an agent gets another version of the file than the plain request to the same address: not a refusal.
    private func otherVersion(_ result: AgentResult) -> Bool {
        guard result.retrieval.ownFault == nil, let reference = plainResult(besides: result),
            let plain = readings.version(of: reference), let agent = readings.version(of: result.retrieval)
        else { return false }
        return plain != agent
    }

    /// Probes whose agent gets a version that no plain request gets, from here or from another location.
    fileprivate var otherVersions: [AgentResult] {
        let places = (observation.full?.vantages ?? []).compactMap { readings.version(of: $0.retrieval) }
        let plain = versionsHere.union(places)
        return (observation.full?.agents ?? []).filter { result in
            otherVersion(result) && readings.version(of: result.retrieval).map { !plain.contains($0) } == true
        }
    }

    /// The versions of the file that plain requests from here got.
    var versionsHere: Set<ContentHash> {
        let results = (observation.full?.addresses ?? []).map(\.retrieval)
        return Set(([origin] + results).compactMap { readings.version(of: $0) })
    }

    /// Whether the server was overloaded or limited us. This check sends many requests itself, so this does not show a
    /// rule for agents, even if Apple met the same. A challenge may have the same statuses.
    func isBusy(_ retrieval: Retrieval) -> Bool {
        guard let answer = retrieval.answer, answer.isBusy else { return false }
        return readings.protection(of: retrieval) == nil
    }

    /// The plain request to the address that an agent's request went to.
    func plainResult(besides result: AgentResult) -> Retrieval? {
        let results = observation.full?.addresses ?? []
        guard !results.isEmpty else { return origin.firstHop }
        if let address = result.address { return results.first { $0.address.address == address }?.retrieval }
        // If an agent got no connection, it was sent to the first address that answered us.
        let address = result.retrieval.connection?.address
        let answering = results.filter { $0.retrieval.answer != nil }
        return (answering.first { $0.address.address == address } ?? answering.first)?.retrieval
    }

    /// Apple's agents that get something other than this program.
    var refusedAgents: [AgentResult] { (observation.full?.agents ?? []).filter { refusal(of: $0) != nil } }

    /// The agents that get the file although this program does not.
    var welcomeAgents: [AgentResult.Agent] {
        guard readings.originFile == nil else { return [] }
        // An address that gives every client the file shows nothing about access.
        return (observation.full?.agents ?? []).filter { result in
            readings.served(by: result.retrieval).isFile
                && plainResult(besides: result).map { !readings.served(by: $0).isFile } ?? true
        }.map(\.agent)
    }
}

/// The addresses that refuse Apple's agents, of those at which agents were tried.
struct CrawlerPlaces {
    let refusing: [String]
    let tried: Int

    init(of refused: [AgentResult], _ context: CheckContext) {
        var seen: Set<String> = []
        refusing = refused.compactMap(\.place).filter { seen.insert($0).inserted }
        let results = (context.observation.full?.agents ?? []).filter {
            context.plainResult(besides: $0)?.answer != nil
        }
        tried = Set(results.compactMap(\.place)).count
    }

    var isPart: Bool { !refusing.isEmpty && refusing.count < tried }
}

extension AgentResult {
    /// The address it was sent to, if known.
    fileprivate var place: String? { address ?? retrieval.connection?.address }
}

extension Retrieval {
    /// The answer to the first request only, as in a probe that does not follow redirects.
    fileprivate var firstHop: Retrieval {
        guard let first = redirects.first else { return self }
        var hop = self
        hop.redirects = [first]
        hop.redirectStop = nil
        hop.outcome = .answered(
            Answer(
                status: first.status, headers: [],
                body: .init(hash: nil, decodedBytes: 0, wireBytes: 0, end: .complete)))
        return hop
    }
}
