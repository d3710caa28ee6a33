// A check is a pure function from what was seen to findings. One topic a file; this file lists them all.

import Foundation

/// What every check may look at. A class, since each row and check is handed it: it is never copied.
package final class CheckContext: Sendable {
    package let readings: Readings
    package let comparison: Comparison
    /// What earlier checks saw.
    package let history: CopyHistory
    /// How long before its end a certificate is reported.
    package let certificateWarning: Duration
    package let expectations: Expectations
    let ignored: IgnoredRules
    package let now: Date

    package init(
        readings: Readings, comparison: Comparison, history: CopyHistory, certificateWarning: Duration,
        expectations: Expectations = Expectations(), ignoring rules: [IgnoredRule] = [], now: Date
    ) {
        ignored = IgnoredRules(rules, at: now)
        self.history = history
        self.expectations = expectations
        self.readings = readings
        self.comparison = comparison
        self.certificateWarning = certificateWarning
        self.now = now
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
        originLimits, vantageView, rootCopy, fileLint, expectations, pages, cdnReachability, cdnCopy, edgeDifferences,
        cdnFreshness,
    ]
}
