// What this machine alone meets: others are let in, be it Apple's agents, another place, or Apple's crawler.

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
        return .origin(.privateHere(addresses, of: full?.resolution.addresses.count ?? addresses.count))
    }
}
