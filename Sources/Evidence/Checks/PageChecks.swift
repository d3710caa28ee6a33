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
            return Finding(
                rule: .expect("page-missing"), severity: .error,
                message: "no web page at \(page.url.inSentence): \(found)", evidence: evidence,
                fix: "serve a page there, or redirect to the App Store: people without the app, and phones that have "
                    + "not read the new file yet, land on it",
                reference: Reference.supportingDomains)
        }
    }
}

extension PageLook {
    /// What was found in place of a page; nil where there is one.
    fileprivate var fault: String? {
        if appStore != nil { return nil }
        if retrieval.failure?.isOwnFault == true { return nil }
        let last = retrieval.redirects.last
        let target = (last?.target ?? last?.location ?? "nowhere").inSentence
        switch retrieval.redirectStop {
        case .insecure: return "it redirects to \(target), which is not HTTPS"
        case .loop: return "its redirects lead in a circle"
        case .tooMany: return "its redirects do not end within \(retrieval.redirects.count) hops"
        case .unreadable:
            let words = "it redirects (status \(last?.status ?? 0))"
            return (last?.location ?? "").isEmpty
                ? "\(words) without saying where to" : "\(words) to '\(target)', which no browser can follow"
        case .privateAddress: return "it redirects to \(target), a private or reserved address"
        case nil: break
        }
        let place = retrieval.redirects.isEmpty ? "the server" : "\(target), where it redirects to,"
        switch retrieval.outcome {
        case .answered(let answer):
            return (200..<300).contains(answer.status) ? nil : "\(place) answers with status \(answer.status)"
        case .failed(let failure):
            let problem = failure.kind == .certificate ? retrieval.connection?.tls?.problem : nil
            return "\(place) \(failure.words)"
                + (problem.map { " (\($0.words))" } ?? "")
        }
    }
}
