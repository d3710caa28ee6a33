// The one way from an observation to a verdict, for the command line and for the daemon alike.

import Foundation

extension Verdict {
    /// Judges one observation. Pure: the same arguments give the same verdict.
    ///
    /// `history`: what earlier checks saw, `.none` for a one-shot check. `staleAfter`: how long the CDN may lag behind a
    /// change. `certificateWarning`: how long before its end a certificate is reported. `expectations`: what the owners of
    /// the domain expect of its file.
    package init(
        of readings: Readings, history: CopyHistory, staleAfter: Duration, certificateWarning: Duration,
        expectations: Expectations = Expectations(), now: Date
    ) {
        let comparison = Comparison(of: readings, history: history, staleAfter: staleAfter, now: now)
        let context = CheckContext(
            readings: readings, comparison: comparison, history: history, certificateWarning: certificateWarning,
            expectations: expectations, now: now)
        // Stable: findings of one severity stay in the order of the checks, which is the order of the network's layers.
        let findings = Checks.all.flatMap { $0(context) }.map(context.weighed).enumerated()
            .sorted { ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset) }
            .map(\.element)
        let level: Level =
            switch findings.first?.severity {
            case .error: .failing
            case .warning: .warning
            case .note, nil: .ok
            }
        self.init(
            level: level, diagnosis: Diagnosis(of: DiagnosisContext(check: context, findings: findings)),
            comparison: comparison, findings: findings)
    }
}
