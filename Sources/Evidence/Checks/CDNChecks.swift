// Checks of Apple's CDN: missing answers, what it holds, how old that is, and where edges differ.

import Facts
import Foundation

extension Checks {
    /// The CDN gave no answer about the file: it is unreachable from here, or has a failure of its own.
    @Sendable static func cdnReachability(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn, let fault = CDNFault(cdn, context.now) else { return [] }
        var evidence = ["url": cdn.url]
        if let failure = cdn.failure {
            evidence["error"] = failure.detail
            evidence["phase"] = failure.phase.rawValue
        }
        if let answer = cdn.answer {
            evidence["status"] = "\(answer.status)"
            if answer.status == 200 { evidence["bytes"] = "\(answer.body.decodedBytes)" }
            evidence["retry_after"] = answer.header("retry-after")?.shortened(to: 100)
        }
        return [
            Finding(
                .cdn(
                    .unreachable(
                        fault, besideFile: context.readings.originFile?.namesService == true, by: context.ownCauseAtCDN)
                ),
                evidence: evidence)
        ]
    }

    /// How Apple's copy compares with the origin's file.
    @Sendable static func cdnFreshness(_ context: CheckContext) -> [Finding] {
        let comparison = context.comparison
        var evidence = ["url": context.cdn?.url ?? ""]
        evidence["origin_sha256"] = context.readings.originFile?.hash.hex
        evidence["cdn_sha256"] = context.readings.cdnBody?.hash.hex
        if let since = comparison.changedAt { evidence["changed_at"] = since.rfc3339 }
        if let since = comparison.changedAfter { evidence["changed_after"] = since.rfc3339 }
        let problem: CDNProblem? =
            switch comparison.state {
            case _ where comparison.isWithoutEffect == true: .withoutEffect
            case .stale: comparison.change.map { .stale($0) }
            // Some edges have the current file: the others are as old as if none had.
            case .mixed where context.isOverdue: comparison.change.map { .stale($0) }
            case .propagating: comparison.change.map { .propagating($0) }
            case .divergent where context.readings.cdnBody?.meaning != nil: .divergent(originSince: context.originSince)
            case .inSync
            where comparison.bytesEqual == false
                && context.readings.cdnBody?.meaning == context.readings.originFile?.meaning:
                .formattingDiffers
            default: nil
            }
        return problem.map { [Finding(.cdn($0), evidence: evidence)] } ?? []
    }
}

extension CheckContext {
    /// Whether the CDN lags behind a change for longer than its operator allows.
    var isOverdue: Bool { comparison.lagSeconds.map { $0 >= Int(checks.staleAfter.inSeconds) } ?? false }

    /// Since when checks have seen the origin's current file; nil without a history, and for a file without a meaning.
    var originSince: Date? {
        history.isKept ? history.periods.last { $0.supersededAt == nil }?.firstSeen : nil
    }

    /// What this machine lacks, if that is why Apple's CDN said nothing.
    var ownCauseAtCDN: MonitorCause? { cdn.flatMap { readings.control.ownCause(ofCDN: $0, besides: origin) } }
}

// MARK: - What the CDN holds

extension Checks {
    /// The finding that edges differ summarises any further reasons.
    private static let maximumReasons = 3

    /// What the CDN holds: nothing, with or without Apple's own reason, or something that is not a file. Each of
    /// several edges is checked; one reason is reported once.
    @Sendable static func cdnCopy(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn, cdn.answer?.isAboutFile == true else { return [] }
        let survey = context.edges
        let results = survey.speaking.map(\.result)
        let total = max(survey.asked, 1)
        let asked = results.isEmpty ? [EdgeResult(address: cdn.connection?.address ?? "", retrieval: cdn)] : results
        let groups = Groups(
            asked.compactMap { result in
                result.retrieval.answer.flatMap { fault(of: $0, result.retrieval, context) }.map { ($0, result) }
            })
        return groups.members.prefix(maximumReasons).compactMap { group in
            guard let first = group.first, let answer = first.retrieval.answer,
                let fault = fault(of: answer, first.retrieval, context)
            else { return nil }
            let places = group.map(\.place)
            let edges = group.count < asked.count ? EdgePlaces(places, of: total) : nil
            var evidence = evidence(fault, answer, first)
            if asked.count > 1 { evidence["edges"] = places.joined(separator: ", ") }
            return Finding(.cdn(problem(fault, answer, edges, context.now)), evidence: evidence)
        }
    }

    private enum CopyFault: Hashable {
        /// Apple's reason, verbatim.
        case crawler(String)
        /// The same, but a copy is served.
        case crawlerBesideCopy(String)
        case missing(Int)
        case noFile
    }

    private static func fault(of answer: Answer, _ retrieval: Retrieval, _ context: CheckContext) -> CopyFault? {
        if answer.status != 200 {
            if let reason = answer.failureReason { return .crawler(reason) }
            // If the origin has no file either, no copy is missing.
            return context.comparison.state == .missing || context.comparison.state == .mixed
                ? .missing(answer.status) : nil
        }
        guard answer.body.end == .complete else { return nil }
        let body = context.readings.body(of: retrieval)
        if body?.namesService != true, body?.hash != context.readings.originBody?.hash { return .noFile }
        return answer.failureReason.map(CopyFault.crawlerBesideCopy)
    }

    private static func evidence(_ fault: CopyFault, _ answer: Answer, _ result: EdgeResult) -> [String: String] {
        var evidence = ["url": result.retrieval.url, "status": "\(answer.status)"]
        for name in [
            "apple-failure-reason", "apple-failure-details", "apple-from", "apple-try-direct", "cache-control", "age",
            "via", "cdn-server", "x-cache",
        ] {
            guard let value = answer.header(name) else { continue }
            evidence[name.replacing("-", with: "_")] = value.displayable.shortened(to: 500)
        }
        if !result.address.isEmpty { evidence["address"] = result.address }
        if case .crawler = fault, let left = answer.secondsUntilExpiry {
            evidence["asked_again_in_seconds"] = "\(left)"
        }
        return evidence
    }

    private static func problem(_ fault: CopyFault, _ answer: Answer, _ edges: EdgePlaces?, _ now: Date) -> CDNProblem {
        let failure = CrawlerFailure(answer)
        let word = failure.map(AppleWord.init) ?? AppleWord(code: nil, reason: "")
        let trouble = failure?.trouble ?? .unknown
        return switch fault {
        case .crawler:
            .crawlerFails(
                word, trouble, asksAgainAt: answer.secondsUntilExpiry.map { now + TimeInterval($0) }, at: edges)
        case .crawlerBesideCopy: .crawlerFailsBesideCopy(word, trouble, at: edges)
        case .missing(let status): .missing(status: status, at: edges)
        case .noFile: .badCopy(at: edges)
        }
    }
}

// MARK: - Edges

extension Checks {
    /// Edges that disagree about the file, and edges that say nothing about it while others do.
    @Sendable static func edgeDifferences(_ context: CheckContext) -> [Finding] {
        let survey = context.edges
        guard !survey.speaking.isEmpty else { return [] }
        return disagreement(survey, context) + silence(survey, context.now)
    }

    private static func disagreement(_ survey: EdgeSurvey, _ context: CheckContext) -> [Finding] {
        guard survey.isMixed, context.comparison.isWithoutEffect != true else { return [] }
        let current = context.readings.currentMeanings
        let total = survey.asked
        let groups = Groups(survey.speaking.map { ($0.copy, $0) }).members.map { group in
            EdgeGroup(
                held: held(group[0].copy, group.map(\.result), current, context), places: group.map(\.result.place))
        }
        var evidence = ["url": context.cdn?.url ?? "", "edges": "\(total)"]
        if let since = context.comparison.changedAt { evidence["changed_at"] = since.rfc3339 }
        // How long the change has been on its way decides how bad that is, and its age has findings of its own.
        let isPropagating = context.comparison.state == .mixed && context.comparison.change != nil
        return [
            Finding(
                .cdn(.edgesDiffer(groups, of: total, isPropagating: isPropagating, originSince: context.originSince)),
                evidence: evidence)
        ]
    }

    private static func held(
        _ copy: EdgeSurvey.Copy, _ results: [EdgeResult], _ current: Set<ContentHash>, _ context: CheckContext
    ) -> EdgeGroup.Held {
        let hash = results.first.flatMap { context.readings.body(of: $0.retrieval)?.hash.short } ?? ""
        switch copy {
        case .file(let meaning): return current.contains(meaning) ? .originFile(hash) : .otherFile(hash)
        case .noFile: return .noFile
        case .missing:
            // Edges may have different reasons for the same absence.
            let codes = Groups(results.compactMap { $0.retrieval.answer?.crawlerFailure?.code }.map { ($0, $0) })
                .members
            return .nothing(codes: codes.compactMap(\.first))
        }
    }

    /// An edge that answers with a failure gives its phones nothing. Phones may still reach one that is unreachable
    /// from here.
    private static func silence(_ survey: EdgeSurvey, _ now: Date) -> [Finding] {
        let troubles = survey.silent.compactMap { result in
            CDNFault(result.retrieval, now).map { (result: result, fault: $0) }
        }
        let answering = Groups(
            troubles.filter { $0.result.retrieval.answer != nil }.map { ($0.fault.withoutPause, $0) }
        ).members
        let dead = troubles.map(\.result).filter { $0.retrieval.answer == nil }
        let findings = answering.prefix(3).map { group in
            let places = group.map(\.result.place)
            return Finding(
                .cdn(
                    .edgesInTrouble(
                        group[0].fault, at: EdgePlaces(places, of: survey.asked),
                        addresses: group.prefix(8).map(\.result.address))),
                evidence: ["edges": places.joined(separator: ", ")])
        }
        if dead.isEmpty { return findings }
        let evidence = errors(dead.map { ($0.address, $0.retrieval) }, at: "edges")
        let given = dead.compactMap { result in
            result.retrieval.failure.map { ServedAt([result.address], .failed($0.kind, $0.phase)) }
        }
        return findings + [Finding(.cdn(.edgesSilent(given, of: survey.asked)), evidence: evidence)]
    }
}

extension EdgeResult {
    /// The address and, if the answer has it, the location.
    var place: String { shortName.map { "\(address) (\($0))" } ?? address }

    /// Its location, from the answer's own headers: the first word of the last hop on Apple's network, such as `usqas4`, or
    /// the name of another network's edge, such as `lumn`.
    package var shortName: String? {
        guard let answer = retrieval.answer else { return nil }
        let hops = answer.header("via")?.split(separator: ",") ?? []
        let names = hops.compactMap { hop in
            hop.split(separator: " ").first { $0.hasSuffix(".ts.apple.com") }?.split(separator: "-").first
        }
        let word = names.last.map(String.init) ?? answer.header("cdn-server")
        return word?.displayable.shortened(to: 40)
    }
}
