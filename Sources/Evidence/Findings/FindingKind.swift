// Every kind of finding: its name, severity, incident and reference. The lists of rules (those that may be ignored,
// those that feed an incident, those in the documentation) are derived from this one.

import AASA

package enum FindingKind: String, Codable, CaseIterable, Sendable {
    // Reaching the origin, and receiving its whole answer.
    case dnsFailed = "origin.dns-failed"
    case unreachable = "origin.unreachable"
    case timeout = "origin.timeout"
    case connectionReset = "origin.connection-reset"
    case slow = "origin.slow"
    case truncated = "origin.truncated"
    case headersTooLarge = "origin.headers-too-large"
    case malformedAnswer = "origin.malformed-answer"
    // TLS.
    case tlsFailed = "origin.tls-failed"
    case tlsVersion = "origin.tls-version"
    case certificateExpired = "origin.certificate-expired"
    case certificateNotYetValid = "origin.certificate-not-yet-valid"
    case certificateUntrusted = "origin.certificate-untrusted"
    case certificateNameMismatch = "origin.certificate-name-mismatch"
    case certificateChainIncomplete = "origin.certificate-chain-incomplete"
    case certificateExpiring = "origin.certificate-expiring"
    case certificateChainExpiring = "origin.certificate-chain-expiring"
    case certificateChainExpired = "origin.certificate-chain-expired"
    // The origin's answer.
    case status = "origin.status"
    case redirect = "origin.redirect"
    case redirectInsecure = "origin.redirect-insecure"
    case redirectLoop = "origin.redirect-loop"
    case contentType = "origin.content-type"
    case contentEncoding = "origin.content-encoding"
    case tooLarge = "origin.too-large"
    // The origin's addresses.
    case notPublicAddress = "origin.not-public-address"
    case addressUnreachable = "origin.address-unreachable"
    case addressDiffers = "origin.address-differs"
    case addressStalls = "origin.address-stalls"
    case ipv6Broken = "origin.ipv6-broken"
    case ipv6Unchecked = "origin.ipv6-unchecked"
    case ipv4Unchecked = "origin.ipv4-unchecked"
    case singleFamily = "origin.single-family"
    // Who gets the file, and which version.
    case crawlerRefused = "origin.crawler-refused"
    case rateLimited = "origin.rate-limited"
    case vantageRefused = "origin.vantage-refused"
    case rootCopyDiffers = "origin.root-copy-differs"
    case rootOnly = "origin.root-only"
    case misplaced = "origin.misplaced"
    // Apple's CDN.
    case cdnUnreachable = "cdn.unreachable"
    case cdnMissing = "cdn.missing"
    case crawlerError = "cdn.crawler-error"
    case stale = "cdn.stale"
    case propagating = "cdn.propagating"
    case divergent = "cdn.divergent"
    case badCopy = "cdn.bad-copy"
    case edgesDiffer = "cdn.edges-differ"
    case edgeUnreachable = "cdn.edge-unreachable"
    case formattingDiffers = "cdn.formatting-differs"
    case withoutEffect = "cdn.without-effect"
    // The file. The linter declares its own rules.
    case moreLint = "aasa.more"
    case linksRemoved = "aasa.links-removed"
    // The owners' expectations.
    case serviceMissing = "expect.service-missing"
    case appMissing = "expect.app-missing"
    case urlOpens = "expect.url-opens"
    case urlOpensNothing = "expect.url-opens-nothing"
    case urlOpensOther = "expect.url-opens-other"
    case pageMissing = "expect.page-missing"
    // This machine, and many domains at once.
    case fetchFailed = "monitor.fetch-failed"
    case nameServerFailed = "monitor.name-server-failed"
    case nameServerSlow = "monitor.name-server-slow"
    case tlsIntercepted = "monitor.tls-intercepted"
    case familyMissingHere = "monitor.family-missing-here"
    case noWayOut = "monitor.no-way-out"
    case trustStoreLacksRoot = "monitor.trust-store-lacks-root"
    case clockIsWrong = "monitor.clock-is-wrong"
    case gateAnswers = "monitor.gate-answers"
    case vantageFailed = "monitor.vantage-failed"
    case networkLost = "monitor.network-lost"
    case manyFailing = "monitor.many-failing"
    case blind = "monitor.blind"
    case cdnWide = "cdn.wide"
    case scheduleBehind = "monitor.schedule-behind"
    case configReloadFailed = "monitor.config-reload-failed"
    case deliveryFailing = "monitor.delivery-failing"
    case storeFailing = "monitor.store-failing"

    /// `severity`: the default. `feeds`: the incident that an error opens (for certificates that expire soon, a
    /// warning).
    private var facts: (severity: Severity, feeds: IncidentKind?, reference: String) {
        switch self {
        case .dnsFailed, .unreachable, .timeout, .connectionReset, .tlsFailed, .tlsVersion, .certificateExpired,
            .certificateNotYetValid, .certificateUntrusted, .certificateNameMismatch, .certificateChainIncomplete:
            (.error, .originUnreachable, LintReference.associatedDomains)
        case .slow, .addressUnreachable: (.error, .originUnreachable, LintReference.technote)
        case .ipv6Broken: (.warning, .originUnreachable, LintReference.technote)
        case .truncated, .headersTooLarge, .malformedAnswer, .status, .redirect, .redirectInsecure, .redirectLoop,
            .contentEncoding:
            (.error, .originBroken, LintReference.associatedDomains)
        case .contentType, .tooLarge: (.error, .originBroken, LintReference.archivedGuide)
        case .notPublicAddress: (.error, .originBroken, LintReference.configuringDomain)
        case .crawlerRefused: (.error, .originBroken, LintReference.appClips)
        case .vantageRefused: (.error, .originBroken, LintReference.technote)
        case .rootOnly, .misplaced: (.warning, .originBroken, LintReference.associatedDomains)
        case .addressDiffers: (.error, .originInconsistent, LintReference.technote)
        case .certificateExpiring: (.warning, .certificateExpiring, LintReference.associatedDomains)
        case .certificateChainExpiring, .rootCopyDiffers: (.warning, nil, LintReference.associatedDomains)
        case .certificateChainExpired, .singleFamily: (.note, nil, LintReference.associatedDomains)
        case .addressStalls, .cdnUnreachable, .edgeUnreachable: (.warning, nil, LintReference.technote)
        case .ipv6Unchecked, .ipv4Unchecked, .rateLimited, .formattingDiffers, .withoutEffect:
            (.note, nil, LintReference.technote)
        case .cdnMissing, .crawlerError: (.error, .cdnMissing, LintReference.technote)
        case .stale: (.error, .cdnStale, LintReference.technote)
        case .propagating: (.note, .cdnStale, LintReference.technote)
        case .badCopy: (.error, .cdnDivergent, LintReference.technote)
        case .divergent, .edgesDiffer: (.warning, .cdnDivergent, LintReference.technote)
        case .moreLint: (.note, nil, LintReference.applinks)
        case .linksRemoved: (.error, .fileBroken, LintReference.applinks)
        case .serviceMissing, .appMissing, .pageMissing: (.error, .expectationFailed, LintReference.associatedDomains)
        case .urlOpens, .urlOpensNothing, .urlOpensOther: (.error, .expectationFailed, LintReference.applinks)
        case .fetchFailed, .networkLost, .manyFailing, .blind, .deliveryFailing: (.error, nil, Reference.curlManual)
        case .vantageFailed, .scheduleBehind, .configReloadFailed: (.warning, nil, Reference.curlManual)
        case .nameServerFailed: (.error, nil, Reference.nameServers)
        case .nameServerSlow: (.warning, nil, Reference.nameServers)
        case .tlsIntercepted, .trustStoreLacksRoot: (.error, nil, Reference.trustStore)
        case .familyMissingHere, .noWayOut: (.error, nil, Reference.routes)
        case .clockIsWrong: (.error, nil, Reference.clock)
        case .gateAnswers: (.error, nil, Reference.portal)
        case .cdnWide: (.error, nil, Reference.systemStatus)
        case .storeFailing: (.error, nil, Reference.storeErrors)
        }
    }

    package var severity: Severity { facts.severity }
    package var feeds: IncidentKind? { facts.feeds }
    /// A link to the requirement.
    package var reference: String { facts.reference }

    /// Whether it is about one domain. Ignoring findings about this machine or many domains would hide failed checks.
    var isOfDomain: Bool { self != .cdnWide && !rawValue.hasPrefix("monitor.") }
}

/// The stable name of a kind of finding, `area.thing`: the key in JSON, metrics and documentation. A linter rule is
/// `aasa.` and the linter's name for it.
package struct Rule: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    package init(_ kind: FindingKind) { rawValue = kind.rawValue }

    /// A rule of the linter.
    package init(lint name: String) { rawValue = "aasa.\(name)" }

    package init(from decoder: any Decoder) throws { rawValue = try decoder.singleValueContainer().decode(String.self) }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    package var description: String { rawValue }

    /// The incident that its errors feed.
    package var feeds: IncidentKind? {
        if let kind = FindingKind(rawValue: rawValue) { return kind.feeds }
        guard rawValue.hasPrefix("aasa.") else { return nil }
        return Self.unreadable.contains(rawValue) ? .originBroken : .fileBroken
    }

    /// The linter's rules for a body that is not a file at all. All others are about the content of a file.
    private static let unreadable: Set<String> = [
        "aasa.json-syntax", "aasa.root-not-object", "aasa.no-service", "aasa.other-file",
    ]

    /// The rule of a domain by name, as in messages or as `lint` prints it, `[exclude-after-include]`; nil if unknown.
    package static func named(_ text: String) -> Rule? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let name = isBracketed ? String(text.dropFirst().dropLast()) : text
        return [Rule(rawValue: name), Rule(rawValue: "aasa.\(name)")].first { ofDomains.contains($0) }
    }

    /// All names that `named` accepts, for suggestions.
    package static let namesOfDomains = ofDomains.map(\.rawValue) + Linter.rules.map(\.id)

    /// All rules about a domain: those that may be ignored.
    package static let ofDomains = Set(
        FindingKind.allCases.filter(\.isOfDomain).map { Rule($0) } + Linter.rules.map { Rule(lint: $0.id) })
}

/// The pages that decide what is right: Apple's, and these about this machine. Documentation is the rule. What Apple's
/// systems were seen to do only lowers a severity.
enum Reference {
    static let systemStatus = "https://www.apple.com/support/systemstatus/"
    static let trustStore = "https://curl.se/docs/sslcerts.html"
    static let nameServers = "https://man7.org/linux/man-pages/man5/resolv.conf.5.html"
    static let routes = "https://man7.org/linux/man-pages/man8/ip-route.8.html"
    static let clock = "https://www.freedesktop.org/software/systemd/man/latest/timedatectl.html"
    static let portal = "https://www.rfc-editor.org/rfc/rfc8952"
    static let curlManual = "https://curl.se/docs/manpage.html"
    static let storeErrors = "https://www.sqlite.org/rescode.html"
}
