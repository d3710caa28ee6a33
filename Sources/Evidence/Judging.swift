// The only way from an observation to a verdict, for the command line and the daemon.

import Foundation

extension Verdict {
    /// Evaluates one observation. Pure: the same arguments give the same verdict.
    ///
    /// `history`: what earlier checks saw, `.none` for a one-shot check. `expectations`: the owners' expectations of
    /// the file. `asked`: what a person asks about; nil for links, and the whole file. Only this and `ignoring(_:at:)`
    /// apply the ignored rules.
    package init(
        of readings: Readings, history: CopyHistory = .none, checks: CheckSettings = CheckSettings(),
        expectations: Expectations = Expectations(), asked: AskedService? = nil, now: Date
    ) {
        let comparison = Comparison(of: readings, history: history, staleAfter: checks.staleAfter, now: now)
        let context = CheckContext(
            readings: readings, comparison: comparison, history: history, checks: checks, expectations: expectations,
            asked: asked, now: now)
        let all = Checks.all.flatMap { $0(context) }.filter(context.isSeen).map(context.weighed).map(context.judged)
            .worstFirst(by: \.severity)
        let (findings, ignored) = context.ignored.split(all)
        // An error is a fact even if its owners ignore it: a missing file must not be called valid. Ignored warnings,
        // expectations, removed links and late answers do not count as facts: the file came.
        let facts = all.filter { !context.ignored.contains($0.rule) || $0.isFact }
        self.init(
            level: Level(findings), diagnosis: Diagnosis(of: DiagnosisContext(check: context, findings: facts)),
            comparison: comparison, findings: findings, ignored: ignored)
    }

    /// The same verdict with other ignored rules: what the check saw stays.
    package func ignoring(_ rules: [IgnoredRule], at now: Date) -> Verdict {
        guard !rules.isEmpty || !ignored.isEmpty else { return self }
        var verdict = self
        (verdict.findings, verdict.ignored) = IgnoredRules(rules, at: now)
            .split((findings + ignored.map(\.finding)).worstFirst(by: \.severity))
        verdict.level = Level(verdict.findings)
        // Until the next full check finds another cause.
        if let rule = diagnosis.cause.rule, comparison.state == .inSync,
            verdict.ignored.contains(where: { $0.finding.rule == rule && !$0.finding.isFact })
        {
            verdict.diagnosis.cause = .copy(.inSync)
            (verdict.diagnosis.outlook, verdict.diagnosis.isFetchAtRisk) = (nil, nil)
        }
        return verdict
    }
}

extension Array {
    /// Stable: elements of one severity keep their order. That of findings is the order of the checks, which follows the
    /// layers of the network.
    package func worstFirst(by severity: (Element) -> some Comparable) -> [Element] {
        enumerated().sorted { (severity($1.element), $0.offset) < (severity($0.element), $1.offset) }.map(\.element)
    }
}

extension Finding {
    /// Whether it is about this machine and says nothing about the site.
    package var isOfThisMachine: Bool { if case .monitor = problem { true } else { false } }

    fileprivate var isFact: Bool {
        severity == .error && problem.area != .expectation && ![.linksRemoved, .slow].contains(kind)
    }
}

extension Verdict.Level {
    /// `findings`: worst first. A known fault outweighs what could not be seen.
    init(_ findings: [Finding]) {
        let errors = findings.prefix { $0.severity == .error }
        self =
            switch findings.first?.severity {
            case .error: errors.allSatisfy(\.isOfThisMachine) ? .unknown : .failing
            case .warning: .warning
            case .note, nil: .ok
            }
    }
}

// MARK: - Checks

// A check is a pure function from what was seen to findings, in Checks/. This is the list of all.

/// What every check may read. A class, because each row and check receives it and it is never copied.
package final class CheckContext: Sendable {
    package let readings: Readings
    package let comparison: Comparison
    /// What earlier checks saw.
    package let history: CopyHistory
    let checks: CheckSettings
    package let expectations: Expectations
    let asked: AskedService?
    let ignored: IgnoredRules
    package let now: Date
    /// What each edge of the CDN serves.
    let edges: EdgeSurvey
    /// The edges' answers without a copy, or the one answer that represents the CDN if edges were not asked.
    let absentCopies: [Answer]
    /// Apple's reason why there is no copy: from the answer that represents the CDN, or from any edge.
    let crawlerFailure: CrawlerFailure?

    package init(
        readings: Readings, comparison: Comparison, history: CopyHistory, checks: CheckSettings,
        expectations: Expectations, asked: AskedService? = nil, now: Date
    ) {
        self.asked = asked
        ignored = IgnoredRules(checks.ignore, at: now)
        self.history = history
        self.expectations = expectations
        self.readings = readings
        self.comparison = comparison
        self.checks = checks
        self.now = now
        edges = EdgeSurvey(readings)
        let answer = readings.cdn?.answer
        let absent = edges.speaking.filter { $0.copy == .missing }.compactMap(\.result.retrieval.answer)
        absentCopies =
            absent.isEmpty ? [answer].compactMap(\.self).filter { $0.isAboutFile && $0.status != 200 } : absent
        crawlerFailure =
            ([answer].compactMap(\.self).filter { $0.status != 200 } + absentCopies).lazy.compactMap(\.crawlerFailure)
            .first
    }

    /// Whether a finding rests on what was seen of the site: a failure of this machine says nothing about it.
    func isSeen(_ finding: Finding) -> Bool {
        guard origin.ownFault != nil else { return true }
        return switch finding.problem.area {
        case .origin, .file, .expectation: false
        case .cdn, .monitor: true
        }
    }

    var observation: Observation { readings.observation }
    var domain: Domain { observation.domain }
    var origin: Retrieval { observation.origin }
    var cdn: Retrieval? { readings.cdn }
}

enum Checks {
    static let all: [@Sendable (CheckContext) -> [Finding]] = [
        addressScopes, originReachability, addressReachability, addressFamilies, originTLS, certificateDates,
        originRedirects, originStatus, originBody, originContentType, originLatency, addressDifferences, crawlerView,
        originLimits, vantageView, rootCopy, misplacedFile, fileLint, removedLinks, askedService, expectations, pages,
        cdnReachability, cdnCopy, edgeDifferences, cdnFreshness,
    ]
}
