// Causes from Apple's own report if the origin looks fine from here. What Apple's crawler saw outranks our guesses, and
// what this machine sees narrows the cause.

import AASA
import Facts
import Foundation

/// Apple's own report about its crawler; the origin looks fine from here.
package enum CrawlerCause: Codable, Equatable, Sendable {
    case various([AbsenceReason])
    case refusedByAddress(status: Int)
    case refused(status: Int)
    case remembersAbsence(status: Int)
    /// Apple asked after the file was deployed.
    case stillAbsent(status: Int)
    /// It is unknown whether the file was there when Apple asked.
    case wasAbsent(status: Int)
    /// `target`: where this machine is redirected as well.
    case redirected(AppleWord, target: String?)
    case metOutage(AppleWord)
    case rateLimited(AppleWord)
    case otherStatus(AppleWord)
    case noAnswerIPv6([ServedAt])
    case noAnswerAddress([ServedAt], of: Int)
    case connection(CrawlerFailure.Cause, words: String)
    case noAnswerSlow(milliseconds: Int)
    case noAnswerFirewall(words: String)
    case noAnswer(words: String)
    case content
    /// For a reason other than invalid JSON.
    case refusedContent(AppleWord)
    case unknown(AppleWord)
    /// This machine reaches no host over the family of these addresses.
    case noAnswerUnseen(family: Int, [String], words: String)
    /// This machine's resolver gives only private addresses; Apple met something else.
    case metOtherAddress(CrawlerTrouble, here: [String])
    /// This machine cannot check, for a cause of its own.
    case notSeenHere(CrawlerTrouble, MonitorCause)

    var declaration: CauseDeclaration {
        switch self {
        case .various(let reasons):
            .init(
                .crawlerSaysVarious,
                "None of Apple's edges has a copy, for several reasons (\(English.words(reasons))). This machine gets the file.",
                English.actions(reasons))
        case .refusedByAddress(let status):
            .init(
                .crawlerRefusedByAddress,
                "Your server answers Apple's crawler with \(status), but from here its user agent gets the file. A rule by "
                    + "source address, country or bot verification blocks Apple.",
                "Allow AASA-Bot through the firewall, from any address. \(English.stagingMode)")
        case .refused(let status):
            .init(
                .crawlerRefused, "Your server answers Apple's crawler with \(status); this machine gets the file.",
                "Allow AASA-Bot through the firewall and bot protection, from any address. \(English.stagingMode)")
        case .remembersAbsence(let status):
            .init(
                .crawlerRemembersAbsence,
                "The file is there now, but Apple's CDN has cached that it was missing (\(status)).",
                "Wait. Nothing else needs to be done.")
        case .stillAbsent(let status):
            .init(
                .crawlerStillAbsent, "Apple still gets \(status) where this machine gets 200.",
                "Make sure that every server has the file, for every country and user agent. Check the log for AASA-Bot."
            )
        case .wasAbsent(let status):
            .init(
                .crawlerStillAbsent, "Apple got \(status) where this machine gets 200 now.",
                "Wait if you deployed the file since then. If not, make sure that every server has it, for every country "
                    + "and user agent, and check the log for AASA-Bot.")
        case .redirected(let word, let target?):
            .init(
                .crawlerRedirected,
                "The origin redirects to \(target), and Apple's crawler does not follow it (\(English.words(word))).",
                "Serve the file at /.well-known/apple-app-site-association itself, with status 200.")
        case .redirected(let word, nil):
            .init(
                .crawlerRedirected,
                "Your server redirects Apple's crawler (\(English.words(word))). This machine gets the file directly.",
                "Look for a redirect by country, language or user agent, and exempt this path from it.")
        case .metOutage(let word):
            .init(
                .crawlerMetOutage,
                "Your server failed when Apple's crawler asked (\(English.words(word))). This machine gets the file now.",
                "Wait. If Apple reports the same when it asks again, check the server's log for AASA-Bot.")
        case .rateLimited(let word):
            .init(
                .crawlerRateLimited,
                "Your server's rate limit blocked Apple's crawler (\(English.words(word))). This machine gets the file.",
                "Exempt this path from the limit. Check the log of that time to see which requests used it up.")
        case .otherStatus(let word):
            .init(
                .crawlerOtherStatus,
                "Your server answers Apple's crawler and this machine differently (\(English.words(word))).",
                "Check the server's log for AASA-Bot, and look for a rule or a server that treats it differently.")
        case .noAnswerIPv6(let dead):
            .init(
                .crawlerTimeoutIPv6,
                "Apple's crawler gets no answer, most likely because no IPv6 address answers: \(English.words(dead)).",
                "Fix IPv6 or remove the AAAA records.")
        case .noAnswerAddress(let dead, let all):
            .init(
                .crawlerTimeoutAddress,
                "Apple's crawler gets no answer, most likely because \(English.count(dead, all)): \(English.words(dead)).",
                "Fix the server at that address, or remove the address from the DNS records.")
        case .connection(let cause, let said):
            .init(
                .crawlerCause, "Apple's crawler cannot fetch the file\(English.quoted(said)). This machine can.",
                English.action(.connection(cause)) + (cause == .refused ? " \(English.stagingMode)" : ""))
        case .noAnswerSlow(let milliseconds):
            .init(
                .crawlerTimeoutSlow,
                "Apple's crawler gives up before your server answers: here the first byte came after "
                    + "\(English.seconds(milliseconds)).",
                "Serve the file from a cache or a static host that does not sleep.")
        case .noAnswerFirewall(let said):
            .init(
                .crawlerTimeoutFirewall,
                "Apple's crawler gets no answer from your server\(English.quoted(said)). From here every address "
                    + "answers, also to Apple's user agents.",
                "Look for a firewall or geo rule that drops Apple's packets, or a server that sleeps. Open the file to "
                    + "every address. \(English.stagingMode)")
        case .noAnswer(let said):
            .init(
                .crawlerTimeout,
                "Apple's crawler gets no answer from your server\(English.quoted(said)). This machine gets one.",
                "Look for a firewall or geo rule, a dead IPv6 address, or a server that sleeps. \(English.stagingMode)")
        case .content:
            .init(
                .crawlerContent, "Apple's crawler gets something that is not JSON. This machine gets the file.",
                "Look for a challenge page or another variant that bots get. Wait if you have just fixed the file.")
        case .refusedContent(let word):
            .init(
                .crawlerContent,
                "Apple's crawler refuses what it gets (\(English.words(word))). This machine gets the file.",
                "Check what the server sends to the user agent AASA-Bot: its size, its type, whether it is complete. Wait "
                    + "if you have just fixed the file.")
        case .noAnswerUnseen(let family, let addresses, let said):
            .init(
                .crawlerTimeout,
                "Apple's crawler gets no answer from your server\(English.quoted(said)). This machine has no "
                    + "IPv\(family), so it does not see what Apple sees at \(addresses.listed(upTo: 2)).",
                "Check that address from a machine with IPv\(family) (curl -\(family)), or add a vantage that has it.")
        case .metOtherAddress(let trouble, let addresses):
            .init(
                trouble.diagnosis,
                "From here the domain has no public address (\(addresses.listed(upTo: 2))), so this machine does not see "
                    + "what Apple sees.",
                English.action(trouble))
        case .notSeenHere(let trouble, let cause):
            .init(trouble.diagnosis) { Words(cause.declaration.words($0).why, English.action(trouble)) }
        case .unknown(let word):
            .init(
                .crawlerUnknown,
                "Apple's crawler could not use the file. Apple reports '\(English.both(word))' but does not document it.",
                "Let every client read the file over HTTPS, with status 200. Report it to Apple if it says the same a "
                    + "day later.")
        }
    }
}

extension CrawlerTrouble {
    /// The diagnosis if this machine cannot see what Apple saw.
    fileprivate var diagnosis: DiagnosisID {
        switch self {
        case .refusal: .crawlerRefused
        case .absence: .crawlerStillAbsent
        case .redirect: .crawlerRedirected
        case .outage: .crawlerMetOutage
        case .rateLimit: .crawlerRateLimited
        case .status: .crawlerOtherStatus
        case .silence: .crawlerTimeout
        case .connection: .crawlerCause
        case .content: .crawlerContent
        case .address, .unknown: .crawlerUnknown
        }
    }
}

/// One reason why edges have no copy, and how many edges give it.
package struct AbsenceReason: Codable, Equatable, Sendable {
    package var count: Int
    /// nil if Apple gives none.
    package var word: AppleWord?
    package var trouble: CrawlerTrouble
}

extension English {
    /// For a host that is not public: phones in this mode do not use Apple's CDN.
    static let stagingMode = "For a staging host use ?mode=developer in the app's entitlement."

    fileprivate static func quoted(_ said: String) -> String { said.isEmpty ? "" : " (\(said))" }

    /// `1 Timeout, 2 Bad HTTP Response: 403 Forbidden`; a single reason has no count.
    static func words(_ reasons: [AbsenceReason]) -> String {
        func one(_ reason: AbsenceReason) -> String { reason.word.map(words) ?? "no reason given" }
        guard reasons.count > 1 else { return reasons.first.map(one) ?? "no reason given" }
        return reasons.map { "\($0.count) \(one($0))" }.listed(upTo: 4)
    }

    /// The actions for all of them.
    static func actions(_ reasons: [AbsenceReason]) -> String {
        reasons.map { action($0.trouble) }.uniqued.prefix(3).joined(separator: " ")
    }
}

// MARK: - Which cause applies

extension Diagnosis {
    static let crawlerRows: [Row] =
        [
            { context in
                guard context.originIsFine, !context.isMixed, context.check.absenceReasons.count > 1 else { return nil }
                return .crawler(.various(Array(context.check.absenceReasons.prefix(4))))
            },
            { context in
                guard let status = context.refusedStatus else { return nil }
                return .crawler(context.agentsPass ? .refusedByAddress(status: status) : .refused(status: status))
            },
        ] + statusRows + silenceRows + [
            { context in
                guard context.originIsFine, let failure = context.unanimousFailure else { return nil }
                guard failure.family == .content else { return .crawler(.unknown(AppleWord(failure))) }
                return .crawler(failure.isOfJSON ? .content : .refusedContent(AppleWord(failure)))
            }
        ]

    private static let statusRows: [Row] = [
        { context in
            guard context.originIsFine, let failure = context.unanimousFailure, failure.family == .status else {
                return nil
            }
            switch failure.trouble {
            case .absence:
                let status = failure.originStatus ?? 404
                switch context.isAbsenceOlderThanFile {
                case true?: return .crawler(.remembersAbsence(status: status))
                case false?: return .crawler(.stillAbsent(status: status))
                case nil: return .crawler(.wasAbsent(status: status))
                }
            case .redirect:
                let target = context.check.origin.redirects.last?.target?.inSentence
                return .crawler(.redirected(AppleWord(failure), target: target))
            case .outage: return .crawler(.metOutage(AppleWord(failure)))
            case .rateLimit: return .crawler(.rateLimited(AppleWord(failure)))
            default: return .crawler(.otherStatus(AppleWord(failure)))
            }
        }
    ]

    private static let silenceRows: [Row] = [
        { context in
            guard let failure = context.silence, let family = context.unseen.first?.family else { return nil }
            return .crawler(
                .noAnswerUnseen(
                    family: family, context.unseen.filter { $0.family == family }.map(\.address),
                    words: context.cause(failure)))
        },
        { context in
            guard context.silence != nil, context.finding(.ipv6Broken) != nil else { return nil }
            return .crawler(.noAnswerIPv6(context.deadAddresses(ofIPv6: true)))
        },
        { context in
            guard context.silence != nil, context.finding(.addressUnreachable) != nil else { return nil }
            return .crawler(
                .noAnswerAddress(context.deadAddresses(ofIPv6: false), of: context.full?.addresses.count ?? 0))
        },
        { context in
            guard context.originIsFine, let failure = context.unanimousFailure,
                case .connection(let cause) = failure.trouble
            else { return nil }
            return .crawler(.connection(cause, words: context.cause(failure)))
        },
        { context in
            guard context.silence != nil, context.finding(.slow) != nil else { return nil }
            let first = context.check.origin.connection?.timings.server ?? 0
            return .crawler(.noAnswerSlow(milliseconds: Int(first)))
        },
        { context in
            guard let failure = context.silence else { return nil }
            let words = context.cause(failure)
            return .crawler(context.agentsPass ? .noAnswerFirewall(words: words) : .noAnswer(words: words))
        },
    ]
}

extension DiagnosisContext {
    /// The status with which Apple's crawler was refused, although the file is there.
    fileprivate var refusedStatus: Int? {
        guard originIsFine, let failure = unanimousFailure, failure.trouble == .refusal else { return nil }
        return failure.originStatus
    }

    /// Whether Apple asked last before the file was there, from each edge's `Age` and from earlier checks or the
    /// origin's Last-Modified. nil if nothing dates the file. Without an `Age`, Apple may have asked just now.
    fileprivate var isAbsenceOlderThanFile: Bool? {
        let age = check.absentCopies.map { $0.age ?? 0 }.min() ?? 0
        if age == 0 { return false }
        // A file that was there at the first check may have any age.
        let deployed = check.history.servingSince.flatMap { $0 > check.history.firstAskedAt ?? $0 ? $0 : nil }
        let modified = check.origin.answer?.header("last-modified").flatMap(Date.init(http:))
        guard let since = deployed ?? modified else { return nil }
        return check.now - TimeInterval(age) < since
    }

    /// The addresses that this machine cannot reach because it lacks their family.
    fileprivate var unseen: [ResolvedAddress] { AddressSurvey(check).unseen.map(\.address) }

    /// Apple's crawler got no answer, but this machine did.
    fileprivate var silence: CrawlerFailure? {
        guard originIsFine, let failure = unanimousFailure else { return nil }
        return failure.trouble == .silence || failure.trouble == .connection(.refused) ? failure : nil
    }

    /// The underlying cause, in Apple's words.
    fileprivate func cause(_ failure: CrawlerFailure) -> String {
        (failure.details["cause"] ?? failure.details["raw"] ?? failure.reason).inSentence
    }
}

// MARK: - Why edges have no copy

// Each edge is probed on its own, and may give a different reason.

extension CheckContext {
    /// The most frequent first.
    var absenceReasons: [AbsenceReason] {
        Groups(absentCopies.map { ($0.crawlerFailure?.words ?? "", $0) }).members.map { group in
            let failure = group.first?.crawlerFailure
            return AbsenceReason(
                count: group.count, word: failure.map(AppleWord.init), trouble: failure?.trouble ?? .unknown)
        }
    }
}

extension Answer {
    var crawlerFailure: CrawlerFailure? { CrawlerFailure(self) }
}
