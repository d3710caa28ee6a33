// Some clients get the file and others do not: by user agent, by location, or only this machine.

import Foundation

package enum AccessCause: Codable, Equatable, Sendable {
    /// A bot protection answers this machine in place of the site. `passes` and `elsewhere`: an agent of Apple's and a
    /// location that get the file. `copy`: set if Apple's copy shows that its crawler got it.
    case challengedHere(
        BotProtection, status: Int, passes: AgentResult.Agent?, elsewhere: String?, copy: CopyWitness? = nil)
    /// Apple's agent gets the file, but this program does not.
    case refusedHereOnly(AgentResult.Agent, here: Served)
    case elsewhereFine(String, here: Served)
    /// This machine is turned away. Apple's crawler is not, as its copy shows.
    case turnedAwayHere(Served, copy: CopyWitness)
    /// The same for so long, or with such an old copy, that the copy no longer shows anything.
    case turnedAwayForLong(Served, since: Date, copy: CopyWitness)

    var declaration: CauseDeclaration {
        switch self {
        case .challengedHere(let protection, let status, let agent, let place, let copy):
            .init(.challengedHere) { now in
                Words(
                    English.why(protection, status) + English.passing(agent, place)
                        + (copy.map { " " + English.fetched($0, now) } ?? ""),
                    copy == nil || agent != nil ? English.action(protection) : English.letThisMachinePass)
            }
        case .refusedHereOnly(let agent, let here):
            .init(
                .refusedHereOnly,
                "Your server refuses this program (it \(English.words(here))) but gives the file to the user agent "
                    + "\(agent.shortName).",
                "Let every user agent read the file.")
        case .elsewhereFine(let place, let here):
            .init(
                .elsewhereFine,
                "The vantage \(place) gets the file, but this machine does not: your server \(English.words(here)).",
                English.action(elsewhereFineBut: here))
        case .turnedAwayHere(let here, let copy):
            .init(.turnedAwayHere) { now in
                Words(
                    "From here your server \(English.words(here)). \(English.fetched(copy, now)) Most likely your server "
                        + "blocks only this machine.",
                    here == .status(429) ? English.askLess : English.letThisMachinePass)
            }
        case .turnedAwayForLong(let here, let since, let copy):
            .init(.turnedAwayForLong) { now in
                let isLong = now.timeIntervalSince(since) >= 3600
                let fetched = copy.fetchedAt.map {
                    " (fetched \(English.age(since: $0, now)) ago, according to its edge)"
                }
                return Words(
                    "From here your server \(English.words(here))"
                        + "\(isLong ? ", for \(English.age(since: since, now)) now" : ""). Apple's CDN still has the file, but its "
                        + "copy may be old\(fetched ?? "").",
                    English.actionForLong(here))
            }
        }
    }
}

extension English {
    fileprivate static func fetched(_ copy: CopyWitness, _ now: Date) -> String {
        "Apple's crawler got the file" + (copy.fetchedAt.map { ": the copy is \(age(since: $0, now)) old." } ?? ".")
    }

    fileprivate static let letThisMachinePass =
        "Allow this machine's address, or check from another network."

    fileprivate static func actionForLong(_ here: Served) -> String {
        switch here {
        case .status(429): askLess
        case .clientCertificate: "Let every client read the file without a client certificate."
        default: "Let every client in the world read the file: no login, no firewall rule, no geo rule."
        }
    }

    fileprivate static func action(elsewhereFineBut here: Served) -> String {
        switch here {
        case .status(500...), .failed, .partial:
            "Check the error log of the server that answers this machine: the vantage may reach a different one."
        default: "Let every address read the file. A rule by address or country may refuse Apple's crawler too."
        }
    }

    fileprivate static let askLess = "Check less often from this address, or exempt the file from the rate limit."

    fileprivate static func passing(_ agent: AgentResult.Agent?, _ place: String?) -> String {
        if let agent { return " The user agent \(agent.shortName) gets the file." }
        return place.map { " The vantage \($0) gets the file." } ?? ""
    }
}

// MARK: - What only this machine meets

extension Diagnosis {
    /// Another client gets the file, or a bot protection identifies itself.
    static let welcomeRows: [Row] = [
        { context in
            guard context.check.readings.originFile == nil, !context.check.lastHost.isElsewhere,
                let protection = context.check.protectionHere?.protection,
                let status = context.check.origin.answer?.status
            else { return nil }
            let evidence = context.check.isTurnedAwayAlone ? context.check.copyEvidence : nil
            return .access(
                .challengedHere(
                    protection, status: status, passes: context.check.welcomeAgents.first,
                    elsewhere: context.check.welcomeVantages.first?.inSentence,
                    copy: evidence.flatMap { $0.isRecent ? $0.witness : nil }))
        },
        { context in
            guard let agent = context.check.welcomeAgents.first, context.hasTroubleAtOrigin else { return nil }
            return .access(.refusedHereOnly(agent, here: context.here))
        },
        { context in
            guard let name = context.check.welcomeVantages.first, context.hasTroubleAtOrigin else { return nil }
            return .access(.elsewhereFine(name.inSentence, here: context.here))
        },
    ]

    /// Apple's copy shows that its crawler gets the file, or got it a while ago.
    static let turnedAwayRows: [Row] = [
        { context in
            // A redirect to a login applies to every client.
            guard context.check.isTurnedAwayAlone, context.error(.redirect) == nil,
                let evidence = context.check.copyEvidence
            else { return nil }
            guard evidence.isRecent else {
                return .access(
                    .turnedAwayForLong(
                        context.here, since: context.check.now - TimeInterval(evidence.outOfSight ?? 0),
                        copy: evidence.witness))
            }
            return context.hasError(in: .origin)
                ? nil : .access(.turnedAwayHere(context.here, copy: evidence.witness))
        }
    ]
}

extension DiagnosisContext {
    fileprivate var hasTroubleAtOrigin: Bool {
        findings.contains { $0.severity > .note && $0.problem.area == .origin }
    }
}

// MARK: - Other places, and Apple's user agents

extension Diagnosis {
    /// Another location reaches another server or file: not a rule by country or address, so the fix differs.
    static let vantageRows: [Row] = [
        { context in
            guard context.error(.crawlerRefused) == nil, let finding = context.vantageFinding,
                case .origin(.vantageDiffers(let fault, _, _)) = finding.problem, !fault.isOfPlace
            else { return nil }
            return Cause(finding, as: .vantageDiffers)
        }
    ]

    /// This machine gets the file, but Apple's user agents or other locations do not.
    static let refusalRows: [Row] = [
        { context in
            guard let finding = context.error(.crawlerRefused),
                case .origin(.crawlerRefused(let refusals)) = finding.problem
            else { return nil }
            guard let failure = context.check.crawlerFailure else { return Cause(finding) }
            // If Apple says what it got, an agent that is refused here must explain it.
            guard refusals.agents.first?.agent == .crawler else { return nil }
            if refusals.first.isReported(by: failure) { return Cause(finding, as: .crawlerRefusedByAgent) }
            // Only a refusal counts as the same. A time-out, 429 or 503 at Apple has its own causes.
            let explained: Set<CrawlerTrouble> = [.refusal, .outage, .rateLimit, .status, .silence, .content]
            guard explained.contains(failure.trouble) else { return nil }
            return Cause(finding, as: failure.trouble == .refusal ? .crawlerRefusedByAgent : nil)
        },
        { context in
            // Apple's own report comes first: another version of the file does not explain it.
            guard context.check.crawlerFailure == nil else { return nil }
            return context.findings.first {
                if case .origin(.agentDiffers) = $0.problem { true } else { false }
            }.map { Cause($0) }
        },
        { context in context.vantageFinding.map { Cause($0, as: .vantageRefused) } },
    ]
}

extension Served {
    /// Whether Apple's crawler reports exactly this.
    fileprivate func isReported(by failure: CrawlerFailure) -> Bool {
        switch self {
        case .status(let status), .clientCertificate(let status): failure.originStatus == status
        case .redirect: failure.trouble == .redirect
        default: false
        }
    }
}

extension DiagnosisContext {
    /// What other locations get: the fault that is reported first.
    fileprivate var vantageFinding: Finding? {
        findings.first {
            if case .origin(.vantageDiffers) = $0.problem { $0.severity == .error } else { false }
        }
    }
}
