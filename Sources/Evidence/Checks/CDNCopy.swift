import Foundation

extension Checks {
    /// More reasons than these are summed up by the finding that edges differ.
    private static let maximumReasons = 3

    /// What the CDN holds: nothing, with or without Apple's own reason, or something that is no file. Of several edges each
    /// is judged; one reason is told once.
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
            var finding = finding(fault, answer, first, context)
            if group.count < asked.count {
                finding.message += ", at \(group.count) of \(total) edges (\(group.map(\.place).listed(upTo: 2)))"
            }
            if asked.count > 1 { finding.evidence["edges"] = group.map(\.place).joined(separator: ", ") }
            return finding
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

    /// When Apple asks again, as the answer itself tells.
    private static func wait(_ answer: Answer) -> String {
        guard let left = answer.secondsUntilExpiry else { return "" }
        return "; this edge asks again in about \(min(max(60, TimeInterval(left)), 86_400).inWords)"
    }

    private static func finding(
        _ fault: CopyFault, _ answer: Answer, _ look: EdgeLook, _ context: CheckContext
    ) -> Finding {
        var evidence = ["url": look.retrieval.url, "status": "\(answer.status)"]
        for name in [
            "apple-failure-reason", "apple-failure-details", "apple-from", "apple-try-direct", "cache-control", "age",
            "via", "cdn-server", "x-cache",
        ] {
            guard let value = answer.header(name) else { continue }
            evidence[name.replacing("-", with: "_")] = value.displayable.shortened(to: 500)
        }
        if !look.address.isEmpty { evidence["address"] = look.address }
        switch fault {
        case .crawler:
            if let left = answer.secondsUntilExpiry { evidence["asked_again_in_seconds"] = "\(left)" }
            let failure = CrawlerFailure(answer)
            return Finding(
                rule: .cdn("crawler-error"), severity: .error,
                message: "Apple's CDN has no copy; its crawler says: \(failure?.words ?? "")", evidence: evidence,
                fix: (failure.map(CrawlerAdvice.fix) ?? "let every client read the file") + wait(answer),
                reference: Reference.debuggingLinks)
        case .crawlerBesideCopy:
            let failure = CrawlerFailure(answer)
            return Finding(
                rule: .cdn("crawler-error"), severity: .warning,
                message: "Apple's CDN serves a copy, and says all the same that its crawler failed: "
                    + (failure?.words ?? ""), evidence: evidence,
                fix: (failure.map(CrawlerAdvice.fix) ?? "let every client read the file")
                    + "; how long Apple keeps the copy nobody knows",
                reference: Reference.debuggingLinks)
        case .missing(let status):
            return Finding(
                rule: .cdn("missing"), severity: .error,
                message: "Apple's CDN has no copy (status \(status)) and gives no reason", evidence: evidence,
                fix: "Apple asks for a new file within 24 hours; if the copy stays away, look for a firewall that "
                    + "refuses the user agent AASA-Bot", reference: Reference.debuggingLinks)
        case .noFile:
            return Finding(
                rule: .cdn("bad-copy"), severity: .error,
                message: "what Apple's CDN serves is no apple-app-site-association file", evidence: evidence,
                fix: "make sure that nothing between here and Apple's CDN answers in its place; then look at what "
                    + "the origin serves to the user agent AASA-Bot", reference: Reference.debuggingLinks)
        }
    }
}
