// A check is a pure function from what was seen to findings. One topic a file; this file lists them all.

import Foundation

/// What every check may look at.
package struct CheckContext: Sendable {
    package let readings: Readings
    package let comparison: Comparison
    /// What earlier checks saw.
    package let history: CopyHistory
    /// How long before its end a certificate is reported.
    package let certificateWarning: Duration
    package let expectations: Expectations
    package let now: Date

    package init(
        readings: Readings, comparison: Comparison, history: CopyHistory, certificateWarning: Duration,
        expectations: Expectations = Expectations(), now: Date
    ) {
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

/// The pages that decide what is right. The documentation is the rule; what Apple's systems were seen to do only
/// lowers a severity.
enum Reference {
    static let supportingDomains = "https://developer.apple.com/documentation/xcode/supporting-associated-domains"
    static let configuringDomain =
        "https://developer.apple.com/documentation/xcode/configuring-an-associated-domain"
    static let debuggingLinks =
        "https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links"
    static let appClips =
        "https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website"
    static let applinks = "https://developer.apple.com/documentation/bundleresources/applinks"
    static let json = "https://www.rfc-editor.org/rfc/rfc8259"
    static let archivedGuide =
        "https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/UniversalLinks.html"
    static let ownConfiguration = "https://curl.se/docs/sslcerts.html"
}

/// The rules that exist so far. The table of kinds in `Monitoring` and the documentation speak of these names.
extension Rule {
    static func origin(_ thing: String) -> Rule { Rule(rawValue: "origin.\(thing)") }
    static func cdn(_ thing: String) -> Rule { Rule(rawValue: "cdn.\(thing)") }
    static func aasa(_ thing: String) -> Rule { Rule(rawValue: "aasa.\(thing)") }
    static func expect(_ thing: String) -> Rule { Rule(rawValue: "expect.\(thing)") }
    static func monitor(_ thing: String) -> Rule { Rule(rawValue: "monitor.\(thing)") }
}
