import Foundation

extension Checks {
    /// The web page behind an expected URL: who has no app, or whose phone has not read the new file yet, lands there.
    @Sendable static func pages(_ context: CheckContext) -> [Finding] {
        (context.observation.full?.pages ?? []).compactMap { page in
            guard let found = page.fault else { return nil }
            var evidence = ["url": page.url]
            let hops = page.retrieval.redirects
            if !hops.isEmpty { evidence["redirects"] = RedirectTrail(hops).text }
            if let status = page.retrieval.answer?.status { evidence["status"] = "\(status)" }
            if let failure = page.retrieval.failure { evidence["error"] = failure.detail }
            if let problem = page.retrieval.connection?.tls?.problem { evidence["certificate"] = problem.rawValue }
            return Finding(.file(.pageMissing(page.url.inSentence, found)), evidence: evidence)
        }
    }
}

extension PageLook {
    /// What was found in place of a page; nil where there is one.
    fileprivate var fault: PageFault? {
        if appStore != nil || retrieval.failure?.isOwnFault == true { return nil }
        if let fault = RedirectFault(stopOf: retrieval) { return .redirect(fault) }
        let last = retrieval.redirects.last
        let target = (last?.target ?? last?.location)?.inSentence
        switch retrieval.outcome {
        case .answered(let answer):
            return (200..<300).contains(answer.status) ? nil : .given(.status(answer.status), behind: target)
        case .failed(let failure) where failure.kind == .certificate:
            return .given(.certificate(retrieval.connection?.tls?.problem), behind: target)
        case .failed(let failure): return .given(.failed(failure.kind, failure.phase), behind: target)
        }
    }
}
