// Apple's own word, where the origin looks fine from here: what Apple's crawler saw outranks what we guess, and what we
// see narrows it down.

import Facts
import Foundation

extension Diagnosis {
    static let crawlerRows: [Row] =
        [
            { context in
                guard context.originIsFine, !context.isMixed, context.absenceReasons.count > 1 else { return nil }
                return .crawler(.various(Array(context.absenceReasons.prefix(4))))
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
            guard context.silence != nil, context.finding("origin.ipv6-broken") != nil else { return nil }
            return .crawler(.noAnswerIPv6(context.deadAddresses(ofIPv6: true)))
        },
        { context in
            guard context.silence != nil, context.finding("origin.address-unreachable") != nil else { return nil }
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
            guard context.silence != nil, context.finding("origin.slow") != nil else { return nil }
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
    /// The status by which Apple's crawler was sent away from a file that is there.
    fileprivate var refusedStatus: Int? {
        guard originIsFine, let failure = unanimousFailure, failure.trouble == .refusal else { return nil }
        return failure.originStatus
    }

    /// Whether Apple asked last before the file was there, as each edge's `Age` tells, and the memory of earlier checks or the
    /// origin's Last-Modified; nil where nothing says how old the file is. Without an `Age` it may have asked just now.
    fileprivate var isAbsenceOlderThanFile: Bool? {
        let age = absentCopies.map { $0.age ?? 0 }.min() ?? 0
        if age == 0 { return false }
        // A file that was there when it was first asked for may be of any age.
        let deployed = check.history.servingSince.flatMap { $0 > check.history.firstAskedAt ?? $0 ? $0 : nil }
        let modified = check.origin.answer?.header("last-modified").flatMap(HTTPDate.parse)
        guard let since = deployed ?? modified else { return nil }
        return check.now - TimeInterval(age) < since
    }

    /// The addresses that this machine cannot reach for want of their family.
    fileprivate var unseen: [ResolvedAddress] { AddressSurvey(check).unseen.map(\.address) }

    /// Apple's crawler met silence where this machine did not.
    fileprivate var silence: CrawlerFailure? {
        guard originIsFine, let failure = unanimousFailure else { return nil }
        return failure.trouble == .silence || failure.trouble == .connection(.refused) ? failure : nil
    }

    /// The cause behind Apple's reason, in Apple's words.
    fileprivate func cause(_ failure: CrawlerFailure) -> String {
        (failure.details["cause"] ?? failure.details["raw"] ?? failure.reason).inSentence
    }
}

// MARK: - Why edges have no copy

// Each edge is asked by itself, and Apple may give another reason at each.

extension DiagnosisContext {
    /// The edges' answers that say that there is no copy; the one answer that speaks for the CDN where edges were not
    /// asked.
    var absentCopies: [Answer] {
        let edges = EdgeSurvey(check.readings).speaking.filter { $0.copy == .missing }.compactMap(
            \.look.retrieval.answer)
        if !edges.isEmpty { return edges }
        return [check.cdn?.answer].compactMap(\.self).filter { $0.speaksOfFile && $0.status != 200 }
    }

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
