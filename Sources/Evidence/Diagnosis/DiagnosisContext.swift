import Foundation

/// What a row may look at.
struct DiagnosisContext {
    let check: CheckContext
    let findings: [Finding]

    var domain: Domain { check.domain }
    var comparison: Comparison { check.comparison }
    var full: FullLook? { check.observation.full }
    var isMixed: Bool { comparison.state == .mixed }

    func finding(_ rule: String) -> Finding? { findings.first { $0.rule.rawValue == rule } }

    func error(_ rule: String) -> Finding? {
        findings.first { $0.severity == .error && $0.rule.rawValue == rule }
    }

    func hasError(in area: String) -> Bool {
        findings.contains { $0.severity == .error && $0.rule.rawValue.hasPrefix(area) }
    }

    /// Whether this machine got the file by the plain request, without a fault in the answer. What other addresses, agents
    /// and places are given is not asked here.
    var originIsFine: Bool {
        check.readings.originFile != nil && !hasError(in: "aasa.")
            && !Self.rulesOfTheAnswer.contains { error($0) != nil }
    }

    private static let rulesOfTheAnswer = [
        "origin.redirect", "origin.redirect-insecure", "origin.redirect-loop", "origin.content-type",
        "origin.content-encoding", "origin.too-large",
    ]

    /// The word of Apple's crawler on why there is no copy: that of the answer which speaks for the CDN, or of any edge.
    var crawlerFailure: CrawlerFailure? {
        let first = [check.cdn?.answer].compactMap { $0 }.filter { $0.status != 200 }
        return (first + absentCopies).lazy.compactMap(\.crawlerFailure).first
    }

    /// Apple's word where every edge says so: what one of them remembers is no statement about now.
    var unanimousFailure: CrawlerFailure? { isMixed || absenceReasons.count > 1 ? nil : crawlerFailure }

    /// How long Apple's edges keep a failure, in words: until the last of those that have one asks again.
    var failureLifetime: String {
        // A copy's lifetime is no failure's; a day is all that Apple documents.
        let seconds = absentCopies.compactMap(\.secondsUntilExpiry).max() ?? 3600
        return "about \(min(max(60, TimeInterval(seconds)), 86_400).inWords)"
    }

    /// Why Apple's CDN was not asked, where that is no matter of the mode.
    var whyUnasked: String? {
        guard check.observation.cdn == .notAsked(.originHasNoFile) else { return nil }
        return "Apple's CDN was not asked, since it would remember the failure (--ask-cdn asks anyway)"
    }

    /// Who meets one address or another: phones read Apple's copy, but for those in another mode.
    var whoAsks: String { check.observation.cdn == .notAsked(.mode) ? "a phone meets" : "Apple's crawler meets" }

    /// What to do after a repair, where Apple has a failure in store, and where it has a copy.
    var afterRepair: String {
        if let whyUnasked { return whyUnasked }
        if check.observation.cdn == .notAsked(.mode) {
            return
                "devices in \(check.observation.mode.rawValue) mode read it from the origin when the app is installed"
        }
        if crawlerFailure != nil { return "then allow \(failureLifetime) for Apple to ask again" }
        return check.readings.cdnFile == nil
            ? "Apple asks again within 24 hours"
            : "until then Apple's CDN serves its last copy, for how long nobody knows"
    }

    /// Whether Apple's own user agents were tried, and were given the file like this program.
    var agentsPass: Bool {
        full.map { look in
            !look.agents.isEmpty && finding("origin.crawler-refused") == nil
                && look.agents.contains { $0.retrieval.answer != nil }
        } ?? false
    }
}
