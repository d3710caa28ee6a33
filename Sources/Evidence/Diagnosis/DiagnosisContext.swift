import Foundation

/// What a row may look at. A class, as `CheckContext`.
final class DiagnosisContext {
    let check: CheckContext
    let findings: [Finding]

    init(check: CheckContext, findings: [Finding]) {
        self.check = check
        self.findings = findings
    }

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

    /// Whether Apple's crawler's user agent was tried, and was given the file like this program.
    var agentsPass: Bool {
        full.map { look in
            finding("origin.crawler-refused") == nil
                && look.agents.contains { $0.agent == .crawler && check.readings.serving(of: $0.retrieval).isFile }
        } ?? false
    }

    /// What this machine was given by the plain request.
    var here: Given { check.readings.given(of: check.origin) }

    /// The addresses that do not answer, and why: those of a dead IPv6, or the others.
    func deadAddresses(ofIPv6: Bool) -> [GivenAt] {
        let survey = AddressSurvey(check)
        return check.given(survey.dead.filter { (survey.isIPv6Dead && $0.address.family == 6) == ofIPv6 })
    }
}
