// The diagnosis of a check, as a value.

import Facts
import Foundation

/// What phones do now, why, and until when.
package struct Diagnosis: Codable, Equatable, Sendable {
    /// What phones do now. It follows from what was served, not from the cause.
    package var effect: Effect
    package var cause: Cause
    /// What Apple says about its crawler, if that explains a missing copy.
    package var word: AppleReport?
    /// How long it lasts, if known.
    package var outlook: Outlook?
    /// Whether Apple's crawler meets an error when it asks for the file again; nil if none was seen.
    package var isFetchAtRisk: Bool?
    /// Whether only this machine saw the site's fault, and nothing else was seen to work from here; nil if not.
    package var isSeenHereAlone: Bool?
    /// When Apple's crawler got the file, if that was after the fault began; nil if not, or if unknown.
    package var copySinceFailure: Date?
    /// What a missing file must have for the asked service; nil if a missing file is not the cause.
    package var fileNeeds: AskedService?
    /// What the origin's server says in place of the file, even if another cause leads; nil if nothing.
    package var said: String?

    package init(effect: Effect, cause: Cause, word: AppleReport? = nil, outlook: Outlook? = nil) {
        self.effect = effect
        self.cause = cause
        self.word = word
        self.outlook = outlook
    }
}

extension Diagnosis {
    /// About the monitor itself.
    package static func monitor(_ cause: MonitorCause, _ effect: Effect.Links = .unaffected) -> Diagnosis {
        Diagnosis(effect: Effect(effect), cause: Cause(.monitor(cause)))
    }

    /// For messages without a check.
    package static func remark(_ remark: Remark, _ effect: Effect.Links = .unaffected) -> Diagnosis {
        Diagnosis(effect: Effect(effect), cause: .remark(remark))
    }

    package var id: DiagnosisID { cause.id }

    /// Whether the other says nothing new to a reader: growing times and edge counts are not news.
    package func saysTheSame(as other: Diagnosis) -> Bool {
        id == other.id && effect.kind == other.effect.kind && cause.rule == other.cause.rule
    }

    /// Whether the cause is this finding, in its words.
    package func leads(_ finding: Finding) -> Bool {
        if case .finding(_, finding.problem, _) = cause { true } else { false }
    }

    /// Whether a finding adds nothing for a reader: it leads the diagnosis, or belongs to the same trouble. Each mistake in
    /// the file and each unmet expectation needs its own fix.
    package func tells(_ finding: Finding) -> Bool {
        if leads(finding) { return true }
        if case .finding(_, let problem, _) = cause {
            switch problem.area {
            case .origin: break
            case .cdn: return finding.problem.area == .cdn
            case .file, .expectation, .monitor: return finding.problem.area == .cdn && effect.isOfCopy
            }
        }
        switch (cause, finding.problem.area) {
        case (.remark, _): return false
        // What Apple has follows from what the origin gives, and the effect already says so.
        case (.finding, .cdn), (.origin, .cdn), (.access, .cdn): return effect.isOfCopy || finding.severity == .error
        case (.crawler, .cdn), (.copy, .cdn): return true
        case (.finding(_, let lead, _), .origin):
            return lead.kind?.feeds != nil && lead.kind?.feeds == finding.feeds
        case (.origin, .origin), (.access, .origin), (.crawler, .origin): return finding.feeds != .certificateExpiring
        // A page in place of the file is not a file with mistakes.
        case (.origin(.pageInsteadOfFile), .file), (.origin(.otherJSON), .file): return finding.severity == .error
        default: return false
        }
    }

    init(of context: DiagnosisContext) {
        let cause =
            Self.rows.lazy.compactMap { $0(context) }.first
            ?? context.findings.first.map { Cause($0) } ?? .copy(.originFine)
        self.init(
            effect: Effect(of: context), cause: cause, word: context.appleReport,
            outlook: Outlook(of: context, cause))
        if outlook == .copyMayEnd || context.hasError(in: .origin) || context.askedFault != nil { isFetchAtRisk = true }
        fileNeeds = context.askedOfNewFile
        if cause.restsOnThisMachine, context.findings.contains(where: { $0.doubt == .untested }) {
            isSeenHereAlone = true
        }
        // Apple's report has its own advice. A different problem here needs a second one.
        if word?.here == .unseen, !context.originIsFine, cause.isMetHere { word?.here = .otherwise }
        if cause.isMetHere { copySinceFailure = context.copySinceFailure }
        said = context.check.readings.serverWords
    }

    typealias Row = @Sendable (DiagnosisContext) -> Cause?

    /// The first row that fits decides. Causes that hide everything else come first. Then: what Apple and this machine say
    /// together, what only one of them says, the age of Apple's copy, and at the end that all is well.
    static let rows: [Row] =
        nameRows + welcomeRows + absenceRows + handshakeRows + vantageRows + refusalRows + turnedAwayRows + crawlerRows
        + askedRows + originRows + expectationRows + edgeRows + copyRows + privateHereRows + healthyRows
}

extension Cause {
    package init(_ finding: Finding, as id: DiagnosisID? = nil) {
        self.init(finding.problem, at: finding.place, as: id)
    }

    /// Whether it blames the site for what this machine saw.
    fileprivate var restsOnThisMachine: Bool {
        switch self {
        case .origin, .finding(_, .origin, _), .crawler(.noAnswerIPv6), .crawler(.noAnswerAddress): true
        case .finding, .access, .crawler, .copy, .remark: false
        }
    }

    /// Whether it is about what this machine got instead of the file.
    fileprivate var isMetHere: Bool {
        switch self {
        case .finding(_, .origin(.fault), _), .finding(_, .origin(.redirect), _), .finding(_, .origin(.status), _),
            .finding(_, .origin(.contentType), _), .finding(_, .file(.lint), _), .origin(.redirectToNothing),
            .origin(.pageInsteadOfFile), .origin(.otherJSON), .origin(.addressesFailVariously):
            true
        default: false
        }
    }
}

/// Apple's own report about its crawler. It outranks anything seen from here.
package struct AppleReport: Codable, Equatable, Sendable {
    package var word: AppleWord
    package var trouble: CrawlerTrouble
    package var here: Here
    /// The underlying cause, if Apple gives one in other words.
    package var detail: String?

    package enum Here: String, Codable, Sendable {
        /// This machine got the same.
        case same
        /// It got something else, which the cause describes.
        case otherwise
        /// It gets the file, or could not check.
        case unseen
    }

    package init(_ word: AppleWord, _ trouble: CrawlerTrouble, here: Here) {
        self.word = word
        self.trouble = trouble
        self.here = here
    }
}

/// What a row may read. A class, as `CheckContext`.
final class DiagnosisContext {
    let check: CheckContext
    let findings: [Finding]

    init(check: CheckContext, findings: [Finding]) {
        self.check = check
        self.findings = findings
    }

    var domain: Domain { check.domain }
    var comparison: Comparison { check.comparison }
    var full: FullCheck? { check.observation.full }
    var isMixed: Bool { comparison.state == .mixed }

    func finding(_ kind: FindingKind) -> Finding? { findings.first { $0.kind == kind } }

    func error(_ kind: FindingKind) -> Finding? { findings.first { $0.severity == .error && $0.kind == kind } }

    /// A finding of the linter, by its rule.
    func lint(_ rule: String) -> Finding? {
        findings.first { if case .file(.lint(let lint)) = $0.problem { lint.rule == rule } else { false } }
    }

    func hasError(in area: Problem.Area) -> Bool {
        findings.contains { $0.severity == .error && $0.problem.area == area }
    }

    /// Whether this machine got the file by the plain request, without a fault in the answer. What other addresses,
    /// agents and locations get does not count here.
    var originIsFine: Bool {
        check.readings.originFile != nil && !hasError(in: .file)
            && !Self.kindsOfTheAnswer.contains { error($0) != nil }
    }

    private static let kindsOfTheAnswer: [FindingKind] = [
        .redirect, .redirectInsecure, .redirectLoop, .contentType, .contentEncoding, .tooLarge,
    ]

    var appleReport: AppleReport? {
        check.crawlerFailure.map { failure in
            var report = AppleReport(AppleWord(failure), failure.trouble, here: isSoHere(failure) ? .same : .unseen)
            report.detail = failure.details["cause"].flatMap { failure.reason.contains($0) ? nil : $0.inSentence }
            return report
        }
    }

    private func isSoHere(_ failure: CrawlerFailure) -> Bool {
        let origin = check.origin
        guard origin.ownFault == nil else { return false }
        switch failure.trouble {
        case .refusal, .absence, .redirect, .outage, .rateLimit, .status:
            let statuses = origin.redirects.map(\.status) + [origin.answer?.status].compactMap(\.self)
            return failure.originStatus.map(statuses.contains) ?? false
        case .silence: return [.timedOut, .unreachable, .connectionReset].contains(origin.failure?.kind)
        case .connection(.certificate): return origin.failure?.kind == .certificate
        case .connection(.certificateDates):
            return [.expired, .notYetValid].contains(origin.connection?.tls?.problem)
        case .connection(.certificateName): return origin.connection?.tls?.problem == .nameMismatch
        case .connection(.tls): return [.tlsHandshake, .tlsVersion].contains(origin.failure?.kind)
        case .connection(.name): return origin.failure?.hasNoAddress == true
        case .connection(.refused):
            return [.connectionRefused, .connectionReset, .unreachable].contains(origin.failure?.kind)
        case .connection(.redirects): return !origin.redirects.isEmpty
        case .content:
            let isGood = check.readings.originFile != nil && error(.tooLarge) == nil && !hasError(in: .file)
            return origin.answer?.status == 200 && !isGood
        case .address, .unknown: return false
        }
    }

    /// When the copy was fetched, if the fault is known to be older: such a copy is evidence against the site's fault.
    /// The fault must be a day older than the copy's `Age`, because the tier behind the edges may have kept the copy.
    var copySinceFailure: Date? {
        guard let evidence = check.copyEvidence, evidence.isDated, check.origin.ownFault == nil else { return nil }
        let ended = check.origin.connection?.tls.flatMap { tls in
            tls.problem == .expired ? tls.chain.compactMap(\.notAfter).filter { $0 < check.now }.max() : nil
        }
        let failing = [evidence.outOfSight, ended.map { Int(check.now.timeIntervalSince($0)) }].compactMap(\.self).max()
        let isOlder = failing.map { $0 > evidence.age + 86_400 } == true
        return isOlder ? check.now - TimeInterval(evidence.age) : nil
    }

    /// Apple's report if every edge gives it: what one edge has cached says nothing about now.
    var unanimousFailure: CrawlerFailure? { isMixed || check.absenceReasons.count > 1 ? nil : check.crawlerFailure }

    /// Whether the user agent of Apple's crawler was tried and got the file, like this program.
    var agentsPass: Bool {
        full.map { result in
            !check.refusedAgents.contains { $0.agent == .crawler }
                && result.agents.contains { $0.agent == .crawler && check.readings.served(by: $0.retrieval).isFile }
        } ?? false
    }

    /// What this machine got by the plain request.
    var here: Served { check.readings.served(by: check.origin) }

    /// The addresses that do not answer, and why: only the IPv6 ones if all of IPv6 is dead, or only the others.
    func deadAddresses(ofIPv6: Bool) -> [ServedAt] {
        let survey = AddressSurvey(check)
        return check.served(survey.dead.filter { (survey.isIPv6Dead && $0.address.family == 6) == ofIPv6 })
    }
}
