// The file is there for this machine, but not for Apple's user agents, or not from other places.

extension Diagnosis {
    static let refusalRows: [Row] = [
        { context in
            // Only what Apple saw itself is the same refusal: a time-out, 429 or 503 there has causes of its own.
            guard let refusal = context.agentRefusal, refusal.agent == .crawler,
                let failure = context.crawlerFailure, failure.trouble == .refusal
            else { return nil }
            return .access(.agentRefusedAsApple(refusal, AppleWord(failure)))
        },
        { $0.agentRefusal.map { .access(.agentRefused($0)) } },
        { context in
            context.vantageFault.map {
                .access(.vantageRefused($0.places, context.crawlerFailure.map(AppleWord.init)))
            }
        },
    ]
}

extension DiagnosisContext {
    /// How Apple's crawler is refused by its agent; where it is not, how Apple's devices are.
    fileprivate var agentRefusal: AgentRefusal? {
        guard let finding = error("origin.crawler-refused"),
            case .origin(.crawlerRefused(let refusals)) = finding.matter, let first = refusals.agents.first
        else { return nil }
        let isCloudflare = check.refusedAgents.compactMap(\.retrieval.answer).contains {
            $0.isOfCloudflare || $0.header("cf-mitigated") != nil
        }
        return AgentRefusal(
            agent: first.agent, given: first.given, addresses: Array(refusals.addresses.prefix(3)),
            isCloudflare: isCloudflare)
    }
}
