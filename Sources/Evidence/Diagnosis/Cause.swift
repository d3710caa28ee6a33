// The cause: one leading finding, or what several sources show together. Each cause is declared once, with its
// identifier and its words, in the file of its area.

import Foundation

package enum Cause: Codable, Equatable, Sendable {
    /// One finding explains it; with the place where it was found.
    indirect case finding(DiagnosisID, Problem, Finding.Place?)
    /// The origin, from several findings, or from Apple's report together with what this machine sees.
    case origin(OriginCause)
    /// Some clients get the file and others do not.
    case access(AccessCause)
    /// Apple's own report about its crawler; the origin looks fine from here.
    case crawler(CrawlerCause)
    /// The origin is fine; Apple's copy may not be, or all is well.
    case copy(CopyCause)
    /// Nothing was checked, and nothing is wrong.
    case remark(Remark)

    /// The cause for a leading finding.
    package init(_ problem: Problem, at place: Finding.Place? = nil, as id: DiagnosisID? = nil) {
        self = .finding(id ?? problem.declaration.diagnosis, problem, place)
    }

    package var id: DiagnosisID { declaration.id }

    /// The rule of the leading finding; nil if the cause needs no finding.
    package var rule: Rule? {
        if case .finding(_, let problem, _) = self { problem.declaration.rule } else { nil }
    }

    var declaration: CauseDeclaration {
        switch self {
        case .finding(let id, let problem, let place):
            .init(id) { English.words(problem.declaration.words($0), at: place) }
        case .origin(let cause): cause.declaration
        case .access(let cause): cause.declaration
        case .crawler(let cause): cause.declaration
        case .copy(let cause): cause.declaration
        case .remark(let remark): remark.declaration
        }
    }
}

/// What one cause declares.
struct CauseDeclaration {
    let id: DiagnosisID
    /// Made on demand, as of an instant, because ages grow.
    let words: (Date) -> Words

    init(
        _ id: DiagnosisID, _ why: @autoclosure @escaping () -> String,
        _ action: @autoclosure @escaping () -> String? = nil
    ) {
        self.init(id) { _ in Words(why(), action()) }
    }

    /// `words`: for texts with ages.
    init(_ id: DiagnosisID, words: @escaping (Date) -> Words) {
        self.id = id
        self.words = words
    }
}

/// The text if no check was made, or nothing is left to say.
package enum Remark: String, Codable, Sendable {
    case notMonitored, testMessage, over
    /// The store has the incident but not what was seen.
    case factsMissing

    var declaration: CauseDeclaration {
        switch self {
        case .notMonitored: .init(.notMonitored, "The domain is no longer monitored.")
        case .testMessage:
            .init(.testMessage, "This message was sent by `aasa-monitor alert test`. Nothing needs to be done.")
        case .over: .init(.over, "The incident is over.")
        case .factsMissing:
            .init(.factsMissing, "The store has no data about this incident.")
        }
    }
}

extension English {
    fileprivate static func words(_ words: Words, at place: Finding.Place?) -> Words {
        guard let place, let why = words.why else { return words }
        var words = words
        words.why = "\(text(of: place)): \(why)"
        if case .addresses(_, _, othersAnswer: true) = place {
            words.why? += " Apple's crawler may use any of the addresses."
        }
        return words
    }
}

/// The stable name of a cause: `diagnosis_id` in JSON, and the key of docs/reference/rules.md.
package enum DiagnosisID: String, Codable, Sendable, CaseIterable {
    // The origin.
    case noSuchName = "no-such-name"
    case danglingAlias = "dangling-alias"
    case crawlerPrivateAddress = "crawler-private-address"
    case privateAddress = "private-address"
    case privateAddressHere = "private-address-here"
    case addressesFailVariously = "addresses-fail-variously"
    case addressesDiffer = "addresses-differ"
    case addressUnreachable = "address-unreachable"
    case originAlternates = "origin-alternates"
    case chainIncomplete = "chain-incomplete"
    case certificateAtAddress = "certificate-at-address"
    case rootOnly = "root-only"
    case redirectToNothing = "redirect-to-nothing"
    case dotFolderDropped = "dot-folder-dropped"
    case extensionRefused = "extension-refused"
    case misplaced = "misplaced"
    case notDeployed = "not-deployed"
    case siteUnknown = "site-unknown"
    case siteStopped = "site-stopped"
    case siteFailing = "site-failing"
    case pageInsteadOfFile = "page-instead-of-file"
    case hostSleeps = "host-sleeps"
    case hostDown = "host-down"
    case originFault = "origin-fault"
    case originSlow = "origin-slow"
    case ipv6Broken = "ipv6-broken"
    case certificateExpiring = "certificate-expiring"
    case redirectSameSite = "redirect-same-site"
    // Who gets the file, and who does not.
    case challengedHere = "challenged-here"
    case refusedHereOnly = "refused-here-only"
    case elsewhereFine = "elsewhere-fine"
    case turnedAwayHere = "turned-away-here"
    case turnedAwayForLong = "turned-away-for-long"
    case crawlerRefusedByAgent = "crawler-refused-by-agent"
    case agentRefused = "agent-refused"
    case vantageRefused = "vantage-refused"
    case vantageDiffers = "vantage-differs"
    // Apple's own words about its crawler; the origin looks fine from here.
    case crawlerSaysVarious = "crawler-says-various"
    case crawlerRefusedByAddress = "crawler-refused-by-address"
    case crawlerRefused = "crawler-refused"
    case crawlerRemembersAbsence = "crawler-remembers-absence"
    case crawlerStillAbsent = "crawler-still-absent"
    case crawlerRedirected = "crawler-redirected"
    case crawlerMetOutage = "crawler-met-outage"
    case crawlerRateLimited = "crawler-rate-limited"
    case crawlerOtherStatus = "crawler-other-status"
    case crawlerTimeoutIPv6 = "crawler-timeout-ipv6"
    case crawlerTimeoutAddress = "crawler-timeout-address"
    case crawlerCause = "crawler-cause"
    case crawlerTimeoutSlow = "crawler-timeout-slow"
    case crawlerTimeoutFirewall = "crawler-timeout-firewall"
    case crawlerTimeout = "crawler-timeout"
    case crawlerContent = "crawler-content"
    case crawlerUnknown = "crawler-unknown"
    // Apple's copy.
    case edgesWithoutCopy = "edges-without-copy"
    case edgesCatchingUp = "edges-catching-up"
    case edgesDiffer = "edges-differ"
    case withoutEffect = "copy-without-effect"
    case edgeTrouble = "edge-trouble"
    case cdnMissing = "cdn-missing"
    case crawlerFailsBesideCopy = "crawler-fails-beside-copy"
    case copyLacksService = "copy-lacks-service"
    case copyHasOtherApp = "copy-has-other-app"
    case originLosesLinks = "origin-loses-links"
    case cdnStale = "cdn-stale"
    case cdnPropagating = "cdn-propagating"
    case badCopy = "bad-copy"
    case cdnDivergent = "cdn-divergent"
    case cdnUnreachable = "cdn-unreachable"
    case inSyncInternational = "in-sync-international"
    case inSync = "in-sync"
    case otherMode = "other-mode"
    case originFine = "origin-fine"
    // The file.
    case fileFault = "file-fault"
    case fileWarning = "file-warning"
    case byteOrderMark = "byte-order-mark"
    case expectationFailed = "expectation-failed"
    case pageMissing = "page-missing"
    case finding = "finding"
    // The monitor itself, and problems that many domains share.
    case ownFault = "own-fault"
    case nameServerFailed = "name-server-failed"
    case tlsIntercepted = "tls-intercepted"
    case familyMissingHere = "family-missing-here"
    case noWayOut = "no-way-out"
    case trustStoreLacksRoot = "trust-store-lacks-root"
    case clockIsWrong = "clock-is-wrong"
    case gateAnswers = "gate-answers"
    case nameServerSlow = "name-server-slow"
    case networkSuspect = "network-suspect"
    case blind
    case networkLost = "network-lost"
    case manyFailing = "many-failing"
    case cdnWide = "cdn-wide"
    case scheduleBehind = "schedule-behind"
    case configReloadFailed = "config-reload-failed"
    case deliveryFailing = "delivery-failing"
    case storeFailing = "store-failing"
    case notMonitored = "not-monitored"
    case testMessage = "test-message"
    case over = "over"
    case factsMissing = "facts-missing"
}
