import Foundation

extension Checks {
    /// More reasons than these are summed up by the finding that edges differ.
    private static let maximumReasons = 3

    /// What the CDN holds: nothing, with or without Apple's own reason, or something that is no file. Of several edges each
    /// is judged; one reason is reported once.
    @Sendable static func cdnCopy(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn, cdn.answer?.speaksOfFile == true else { return [] }
        let survey = EdgeSurvey(context.readings)
        let looks = survey.speaking.map(\.look)
        let total = max(survey.asked, 1)
        let asked = looks.isEmpty ? [EdgeLook(address: cdn.connection?.address ?? "", retrieval: cdn)] : looks
        let groups = Groups(
            asked.compactMap { look in
                look.retrieval.answer.flatMap { fault(of: $0, look.retrieval, context) }.map { ($0, look) }
            })
        return groups.members.prefix(maximumReasons).compactMap { group in
            guard let first = group.first, let answer = first.retrieval.answer,
                let fault = fault(of: answer, first.retrieval, context)
            else { return nil }
            let places = group.map(\.place)
            let edges = group.count < asked.count ? EdgePlaces(places, of: total) : nil
            var evidence = evidence(fault, answer, first)
            if asked.count > 1 { evidence["edges"] = places.joined(separator: ", ") }
            return Finding(.cdn(matter(fault, answer, edges)), evidence: evidence)
        }
    }

    private enum CopyFault: Hashable {
        /// Apple's reason, verbatim.
        case crawler(String)
        /// The same beside a copy that is served.
        case crawlerBesideCopy(String)
        case missing(Int)
        case noFile
    }

    private static func fault(of answer: Answer, _ retrieval: Retrieval, _ context: CheckContext) -> CopyFault? {
        if answer.status != 200 {
            if let reason = answer.failureReason { return .crawler(reason) }
            // Where the origin has no file either, there is nothing to be missed.
            return context.comparison.state == .missing || context.comparison.state == .mixed
                ? .missing(answer.status) : nil
        }
        guard answer.body.end == .complete else { return nil }
        let body = context.readings.body(of: retrieval)
        if body?.meaning == nil, body?.hash != context.readings.originBody?.hash { return .noFile }
        return answer.failureReason.map(CopyFault.crawlerBesideCopy)
    }

    private static func evidence(_ fault: CopyFault, _ answer: Answer, _ look: EdgeLook) -> [String: String] {
        var evidence = ["url": look.retrieval.url, "status": "\(answer.status)"]
        for name in [
            "apple-failure-reason", "apple-failure-details", "apple-from", "apple-try-direct", "cache-control", "age",
            "via", "cdn-server", "x-cache",
        ] {
            guard let value = answer.header(name) else { continue }
            evidence[name.replacing("-", with: "_")] = value.displayable.shortened(to: 500)
        }
        if !look.address.isEmpty { evidence["address"] = look.address }
        if case .crawler = fault, let left = answer.secondsUntilExpiry {
            evidence["asked_again_in_seconds"] = "\(left)"
        }
        return evidence
    }

    private static func matter(_ fault: CopyFault, _ answer: Answer, _ edges: EdgePlaces?) -> CDNMatter {
        let failure = CrawlerFailure(answer)
        let word = failure.map(AppleWord.init) ?? AppleWord(code: nil, reason: "")
        let trouble = failure?.trouble ?? .unknown
        return switch fault {
        case .crawler: .crawlerFails(word, trouble, asksAgainIn: answer.secondsUntilExpiry, at: edges)
        case .crawlerBesideCopy: .crawlerFailsBesideCopy(word, trouble, at: edges)
        case .missing(let status): .missing(status: status, at: edges)
        case .noFile: .badCopy(at: edges)
        }
    }
}
