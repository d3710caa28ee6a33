// The file is there for some and not for others.

import Facts

// MARK: - What this machine alone meets

extension Diagnosis {
    /// Somebody else gets the file, or a bot protection says that it stands between.
    static let welcomeRows: [Row] = [
        { context in
            guard context.check.readings.originFile == nil, !context.check.metHost.isElsewhere,
                let protection = context.check.protectionHere?.protection,
                let status = context.check.origin.answer?.status
            else { return nil }
            let evidence = context.check.isTurnedAwayAlone ? context.check.copyEvidence : nil
            return .access(
                .challengedHere(
                    protection, status: status, passes: context.check.welcomeAgents.first,
                    elsewhere: context.check.welcomeVantages.first?.inSentence,
                    copyAge: evidence.flatMap { $0.isRecent ? $0.age : nil }))
        },
        { context in
            guard let agent = context.check.welcomeAgents.first, context.hasTrouble(in: "origin.") else { return nil }
            return .access(.refusedHereOnly(agent, here: context.here))
        },
        { context in
            guard let name = context.check.welcomeVantages.first, context.hasTrouble(in: "origin.") else { return nil }
            return .access(.elsewhereFine(name.inSentence, here: context.here))
        },
    ]

    /// Apple's copy shows that its crawler got the file, or did so a while ago.
    static let turnedAwayRows: [Row] = [
        { context in
            // A redirect to a login is everybody's.
            guard context.check.isTurnedAwayAlone, context.error("origin.redirect") == nil,
                let evidence = context.check.copyEvidence
            else { return nil }
            guard evidence.isRecent else {
                return .access(
                    .turnedAwayForLong(
                        context.here, forSeconds: evidence.outOfSight ?? 0, copyAge: evidence.age))
            }
            return context.hasError(in: "origin.")
                ? nil : .access(.turnedAwayHere(context.here, copyAge: evidence.age))
        }
    ]

    static let privateHereRows: [Row] = [{ $0.privateHere }]
}

extension DiagnosisContext {
    fileprivate func hasTrouble(in area: String) -> Bool {
        findings.contains { $0.severity > .note && $0.rule.rawValue.hasPrefix(area) }
    }

    /// Where this machine's resolver gives addresses that Apple cannot have met.
    var privateHere: Cause? {
        // A light check knows the address that it met, and no others.
        if full == nil, check.meetsAnotherServer, check.copyEvidence?.isRecent == true,
            let address = check.origin.connection?.address
        {
            return .origin(.privateHere([address], of: 1))
        }
        let addresses = check.notPublicAddresses.map(\.address)
        guard !addresses.isEmpty, finding("origin.not-public-address")?.severity == .warning else { return nil }
        let all = full?.resolution.addresses.count ?? addresses.count
        return .origin(
            check.hasMixedAddresses ? .privateAddress(addresses, of: all) : .privateHere(addresses, of: all))
    }
}

// MARK: - Other places

// Another place meets another server, or another file: no rule by country or address, and not to be mended as one.

extension Diagnosis {
    static let vantageRows: [Row] = [
        { context in
            guard context.error("origin.crawler-refused") == nil, let seen = context.vantageFault, !seen.fault.isOfPlace
            else { return nil }
            return .access(.vantageDiffers(seen.fault, seen.places, context.crawlerFailure.map(AppleWord.init)))
        }
    ]
}

extension DiagnosisContext {
    /// What other places are given where this machine gets the file, and which: the fault that is reported first.
    var vantageFault: (fault: VantageFault, places: [GivenAt])? {
        findings.lazy.filter { $0.severity == .error }.compactMap { finding in
            guard case .origin(.vantageDiffers(let fault, let given, _, _)) = finding.matter else { return nil }
            return (fault, Array(given.prefix(3)))
        }.first
    }
}

// MARK: - The file is there for this machine, but not for Apple's user agents, or not from other places

extension Diagnosis {
    static let refusalRows: [Row] = [
        { context in
            // Only what Apple saw itself is the same refusal: a time-out, 429 or 503 there has causes of its own.
            guard let refusal = context.agentRefusal, refusal.agent == .crawler,
                let failure = context.crawlerFailure, failure.trouble == .refusal
            else { return nil }
            return .access(.agentRefusedAsApple(refusal, AppleWord(failure)))
        },
        { context in
            // What Apple says that it met comes first: a version is no reason for it.
            guard context.crawlerFailure == nil else { return nil }
            return context.findings.lazy.compactMap { finding in
                guard case .origin(.agentDiffers(let others, let plain)) = finding.matter else { return nil }
                return .access(.agentDiffers(others, plain: plain))
            }.first
        },
        { context in
            guard let refusal = context.agentRefusal else { return nil }
            // Where Apple says what it met, an agent that is refused here must explain it.
            if let failure = context.crawlerFailure {
                let explained: Set<CrawlerTrouble> = [.refusal, .outage, .rateLimit, .status, .silence, .content]
                guard refusal.agent == .crawler, explained.contains(failure.trouble) else { return nil }
            }
            return .access(.agentRefused(refusal))
        },
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
