// What a check means, as a value: identifiers and arguments, never sentences. A catalogue renders it (Catalogue/).

import Facts
import Foundation

/// What phones do now, why, and until when.
package struct Diagnosis: Codable, Equatable, Sendable {
    /// What phones do now. It follows from what was served alone, whatever the cause.
    package var effect: Effect
    package var cause: Cause
    /// What Apple says of its crawler, where it says why a copy is missing.
    package var word: AppleReport?
    /// Until when it stays so, as far as that can be said.
    package var outlook: Outlook?

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
        Diagnosis(effect: Effect(effect), cause: .monitor(cause))
    }

    package var id: DiagnosisID { cause.id }

    /// Whether a reader of one learns nothing new from the other: minutes and edges that count on are no news.
    package func saysTheSame(as other: Diagnosis) -> Bool {
        id == other.id && effect.kind == other.effect.kind && cause.rule == other.cause.rule
    }

    init(of context: DiagnosisContext) {
        let cause =
            Self.rows.lazy.compactMap { $0(context) }.first
            ?? context.findings.first.map { .file(.finding($0.rule)) } ?? .copy(.originFine)
        self.init(
            effect: Effect(of: context), cause: cause, word: context.appleReport, outlook: Outlook(of: context))
    }

    typealias Row = @Sendable (DiagnosisContext) -> Cause?

    /// The first row that fits decides. What hides everything else comes first; then what Apple says together with what this
    /// machine sees; then what either of them says alone; then how old Apple's copy is; at the end, that all is well.
    static let rows: [Row] =
        nameRows + welcomeRows + absenceRows + handshakeRows + vantageRows + refusalRows + turnedAwayRows + crawlerRows
        + originRows + expectationRows + edgeRows + copyRows + privateHereRows + healthyRows
}

/// Apple's word on its crawler, which comes before anything that is seen from here.
package struct AppleReport: Codable, Equatable, Sendable {
    package var word: AppleWord
    /// Whether this machine met the same.
    package var isSoHere: Bool

    package init(_ word: AppleWord, isSoHere: Bool) {
        self.word = word
        self.isSoHere = isSoHere
    }
}

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

    var appleReport: AppleReport? {
        crawlerFailure.map { AppleReport(AppleWord($0), isSoHere: isSoHere($0)) }
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
        case .connection(.tls): return [.tlsHandshake, .tlsVersion].contains(origin.failure?.kind)
        case .connection(.name): return origin.failure?.hasNoAddress == true
        case .connection(.refused):
            return [.connectionRefused, .connectionReset, .unreachable].contains(origin.failure?.kind)
        case .connection(.redirects): return !origin.redirects.isEmpty
        case .content: return origin.answer?.status == 200 && check.readings.originFile == nil
        case .address, .unknown: return false
        }
    }

    /// Apple's word where every edge says so: what one of them remembers is no statement about now.
    var unanimousFailure: CrawlerFailure? { isMixed || absenceReasons.count > 1 ? nil : crawlerFailure }

    /// Whether Apple's crawler's user agent was tried, and was given the file like this program.
    var agentsPass: Bool {
        full.map { look in
            !check.refusedAgents.contains { $0.agent == .crawler }
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
