// What a finding is about, an enum for each area.

import Facts
import Foundation

package enum Matter: Codable, Equatable, Sendable {
    case origin(OriginMatter)
    case cdn(CDNMatter)
    case file(FileMatter)
    case monitor(MonitorCause)
    /// A vantage whose own way fails; `detail`: of the network library.
    case vantageFailed(String, detail: String?)

    var ruling: Ruling {
        switch self {
        case .origin(let matter): matter.ruling
        case .cdn(let matter): matter.ruling
        case .file(let matter): matter.ruling
        case .monitor(let cause): cause.ruling
        case .vantageFailed: Ruling(.monitor("vantage-failed"), .warning, Reference.ownConfiguration)
        }
    }
}

/// The first few of many names.
package struct Listing: Codable, Equatable, Sendable {
    package let names: [String]
    package let more: Int

    package init(_ all: [String], upTo limit: Int = 3) {
        names = Array(all.prefix(limit))
        more = max(0, all.count - limit)
    }

    package var count: Int { names.count + more }
}

extension MonitorCause {
    var ruling: Ruling {
        switch self {
        case .ownFault, .proxyFailed: Ruling(.monitor("fetch-failed"), .error, Reference.ownConfiguration)
        case .noFamily, .noWayOut, .trustStoreLacks, .clockIsWrong, .gateAnswers:
            Ruling(.monitor(id.rawValue), .error, Reference.ownConfiguration)
        case .nameServerSlow: Ruling(.monitor(id.rawValue), .warning, Reference.ownConfiguration)
        case .nameServerFailed, .namesFail: Ruling(.monitor("name-server-failed"), .error, Reference.ownConfiguration)
        case .tlsIntercepted: Ruling(.monitor("tls-intercepted"), .error, Reference.ownConfiguration)
        case .networkSuspect: Ruling(.networkLost, .warning, Reference.curlManual)
        case .networkLost: Ruling(.networkLost, .error, Reference.curlManual)
        case .cdnWide: Ruling(.cdn("wide"), .error, Reference.systemStatus)
        case .scheduleBehind, .configReloadFailed, .deliveryFailing(_, isDisabled: false, _):
            Ruling(.monitor(id.rawValue), .warning, Reference.curlManual)
        case .manyFailing, .deliveryFailing: Ruling(.monitor(id.rawValue), .error, Reference.curlManual)
        case .storeFailing: Ruling(.monitor(id.rawValue), .error, Reference.storeErrors)
        // No finding is made of these.
        case .notMonitored, .testMessage, .over, .factsMissing:
            Ruling(.monitor(id.rawValue), .note, Reference.curlManual)
        }
    }
}

extension Rule {
    package static let networkLost = Rule.monitor("network-lost")
}

/// What checks of the origin notice.
package enum OriginMatter: Codable, Equatable, Sendable {
    /// `at`: the address or host that has it.
    case fault(OriginFault, at: String = "")
    case redirect(RedirectFault, Domain)
    /// Within the domain's site; its CDN was seen to follow such.
    case redirectSameSite(String, Domain)
    case status(StatusAnswer, Domain)
    /// What Content-Encoding names is no compression; the body is readable.
    case falseEncoding(String)
    /// Empty: none. `holdsFile`: only the header is wrong.
    case contentType(String, isPage: Bool, holdsFile: Bool, BotProtection?)
    // Addresses.
    case notPublic([ResolvedAddress], of: Int, Domain)
    case addressesUnreachable([GivenAt], of: Int, othersAnswer: Bool, Domain)
    case ipv6Broken([GivenAt], Domain)
    /// This machine has no IPv6 itself.
    case ipv6Unchecked([String])
    /// Or no IPv4.
    case ipv4Unchecked([String])
    /// Addresses that left one request of a check unanswered, and answered another.
    case stalls([GivenAt])
    case singleFamily(Int, Domain)
    case addressesDiffer([GivenAt], Domain)
    /// One address that gave two answers.
    case addressAnswersDifferently([GivenAt], Domain)
    /// The addresses by the bytes that they serve, which mean the same.
    case formattingsDiffer([GivenAt], Domain)
    /// What several checks in a row found.
    case alternates(files: Int, changes: Int, checks: Int)
    // Certificates that are still good. `left`: seconds.
    case certificateExpiring(Date, left: Int)
    case chainExpiring(Date, left: Int, name: String)
    case chainExpired(Date, name: String)
    // Who gets the file.
    case crawlerRefused(AgentRefusals)
    /// Agents that are given another version of the file than a plain client.
    case agentDiffers([AgentRefusals.Refused], plain: Given)
    case rateLimited(Int, of: Int, statuses: [Int])
    case vantageDiffers(VantageFault, [GivenAt], here: Given, Domain)
    case rootCopyDiffers
    case rootOnly(Domain)

    var ruling: Ruling {
        switch self {
        case .fault(let fault, _): fault.ruling
        case .redirect(let fault, _): Ruling(fault.rule, .error, Reference.supportingDomains)
        case .redirectSameSite: Ruling(.origin("redirect"), .warning, Reference.supportingDomains)
        case .status: Ruling(.origin("status"), .error, Reference.supportingDomains)
        case .falseEncoding: Ruling(.origin("content-encoding"), .warning, Reference.supportingDomains)
        case .contentType(_, let isPage, _, _):
            Ruling(.origin("content-type"), isPage ? .error : .note, Reference.archivedGuide)
        case .notPublic: Ruling(.origin("not-public-address"), .error, Reference.configuringDomain)
        case .addressesUnreachable: Ruling(.origin("address-unreachable"), .error, Reference.debuggingLinks)
        case .ipv6Broken: Ruling(.origin("ipv6-broken"), .warning, Reference.debuggingLinks)
        case .ipv6Unchecked: Ruling(.origin("ipv6-unchecked"), .note, Reference.debuggingLinks)
        case .ipv4Unchecked: Ruling(.origin("ipv4-unchecked"), .note, Reference.debuggingLinks)
        case .stalls: Ruling(.origin("address-stalls"), .warning, Reference.debuggingLinks)
        case .singleFamily: Ruling(.origin("single-family"), .note, Reference.supportingDomains)
        case .addressesDiffer, .addressAnswersDifferently:
            Ruling(.origin("address-differs"), .error, Reference.debuggingLinks)
        case .formattingsDiffer: Ruling(.origin("address-differs"), .note, Reference.debuggingLinks)
        case .alternates: Ruling(.origin("address-differs"), .error, Reference.supportingDomains)
        case .certificateExpiring: Ruling(.origin("certificate-expiring"), .warning, Reference.supportingDomains)
        case .chainExpiring: Ruling(.origin("certificate-chain-expiring"), .warning, Reference.supportingDomains)
        case .chainExpired: Ruling(.origin("certificate-chain-expired"), .note, Reference.supportingDomains)
        case .crawlerRefused: Ruling(.origin("crawler-refused"), .error, Reference.appClips)
        case .agentDiffers: Ruling(.origin("address-differs"), .error, Reference.appClips)
        case .rateLimited: Ruling(.origin("rate-limited"), .note, Reference.debuggingLinks)
        case .vantageDiffers(let fault, _, _, _) where fault.isVersion:
            Ruling(.origin("address-differs"), .error, Reference.debuggingLinks)
        case .vantageDiffers(let fault, _, _, _):
            Ruling(
                .origin("vantage-refused"), fault == .rateLimited ? .warning : .error, Reference.debuggingLinks)
        case .rootCopyDiffers: Ruling(.origin("root-copy-differs"), .warning, Reference.supportingDomains)
        case .rootOnly: Ruling(.origin("root-only"), .warning, Reference.supportingDomains)
        }
    }
}

/// Another status than 200.
package struct StatusAnswer: Codable, Equatable, Sendable {
    package var fault: OriginFault
    package var status: Int
    /// Another host's, behind a redirect.
    package var isElsewhere = false
    /// Behind a redirect to this URL of the domain's own.
    package var target: String?
    /// The address, where others serve the file.
    package var address: String?
    package var protection: BotProtection?
    package var hosting: HostingFault?
}

/// Apple's user agents that are not given what this program is given at the same addresses.
package struct AgentRefusals: Codable, Equatable, Sendable {
    /// One of each agent.
    package var agents: [Refused]
    package var plain: Given
    package var protection: BotProtection?
    /// What the first of them is given.
    package var first: Given
    /// The addresses that refuse one, and of how many that were tried; empty where all do.
    package var addresses: [String]
    package var tried: Int

    package init(
        agents: [Refused], plain: Given, protection: BotProtection? = nil, first: Given, addresses: [String],
        tried: Int
    ) {
        self.agents = agents
        self.plain = plain
        self.protection = protection
        self.first = first
        self.addresses = addresses
        self.tried = tried
    }

    package struct Refused: Codable, Equatable, Sendable {
        package var agent: AgentLook.Agent
        package var given: Given
    }
}

/// What checks of Apple's CDN notice.
package enum CDNMatter: Codable, Equatable, Sendable {
    /// `detail`: of the network library.
    /// `by`: what this machine lacks, where that is why.
    case unreachable(CDNFault, host: String, detail: String?, by: MonitorCause? = nil)
    // How the copy compares with the origin's file. `lag`: seconds.
    case stale(lag: Int)
    case propagating(lag: Int)
    case divergent
    case formattingDiffers
    // What the CDN holds. `at`: the edges, where others hold something else.
    /// `asksAgainIn`: seconds.
    case crawlerFails(AppleWord, CrawlerTrouble, asksAgainIn: Int?, at: EdgePlaces?)
    case crawlerFailsBesideCopy(AppleWord, CrawlerTrouble, at: EdgePlaces?)
    case missing(status: Int, at: EdgePlaces?)
    case badCopy(at: EdgePlaces?)
    // Edges.
    case edgesDiffer([EdgeGroup], of: Int, isPropagating: Bool)
    /// Edges that answer with trouble of their own; `addresses`: the first of them.
    case edgesInTrouble(CDNFault, at: EdgePlaces, addresses: [String], host: String)
    /// This machine does not reach them.
    case edgesSilent([GivenAt], of: Int)

    var ruling: Ruling {
        switch self {
        case .unreachable: Ruling(.cdn("unreachable"), .warning, Reference.debuggingLinks)
        case .stale: Ruling(.cdn("stale"), .error, Reference.debuggingLinks)
        case .propagating: Ruling(.cdn("propagating"), .note, Reference.debuggingLinks)
        case .divergent: Ruling(.cdn("divergent"), .warning, Reference.debuggingLinks)
        case .formattingDiffers: Ruling(.cdn("formatting-differs"), .note, Reference.debuggingLinks)
        case .crawlerFails: Ruling(.cdn("crawler-error"), .error, Reference.debuggingLinks)
        case .crawlerFailsBesideCopy: Ruling(.cdn("crawler-error"), .warning, Reference.debuggingLinks)
        case .missing: Ruling(.cdn("missing"), .error, Reference.debuggingLinks)
        case .badCopy: Ruling(.cdn("bad-copy"), .error, Reference.debuggingLinks)
        case .edgesDiffer(_, _, let isPropagating):
            Ruling(.cdn("edges-differ"), isPropagating ? .note : .warning, Reference.debuggingLinks)
        case .edgesInTrouble: Ruling(.cdn("edge-unreachable"), .warning, Reference.debuggingLinks)
        case .edgesSilent: Ruling(.cdn("edge-unreachable"), .note, Reference.debuggingLinks)
        }
    }
}

/// Some of all edges.
package struct EdgePlaces: Codable, Equatable, Sendable {
    package var edges: Listing
    package var all: Int

    package init(_ places: [String], of all: Int) {
        edges = Listing(places, upTo: 2)
        self.all = all
    }
}

/// Edges that hold the same.
package struct EdgeGroup: Codable, Equatable, Sendable {
    package var held: Held
    package var places: [String]

    package enum Held: Codable, Equatable, Sendable {
        /// By the beginning of its SHA-256.
        case originFile(String)
        case otherFile(String)
        case noFile
        /// With Apple's codes.
        case nothing(codes: [String])
    }
}

/// What checks of the file itself notice, and of what people expect of it.
package enum FileMatter: Codable, Equatable, Sendable {
    case lint(LintMatter)
    /// So many more than are shown.
    case moreLint(Int, Domain)
    case serviceMissing(String)
    /// `from`: the service; nil: the whole file.
    case appMissing(String, from: String?)
    case opensUnexpectedly(String, by: String, Domain)
    case opensNothing(String, expected: String, Domain)
    case opensOther(String, by: String, expected: String, Domain)
    case pageMissing(String, PageFault)

    var ruling: Ruling {
        switch self {
        case .lint(let lint): Ruling(.aasa(lint.rule), lint.severity, lint.reference)
        case .moreLint: Ruling(.aasa("more"), .note, Reference.applinks)
        case .serviceMissing: Ruling(.expect("service-missing"), .error, Reference.supportingDomains)
        case .appMissing: Ruling(.expect("app-missing"), .error, Reference.supportingDomains)
        case .opensUnexpectedly: Ruling(.expect("url-opens"), .error, Reference.applinks)
        case .opensNothing: Ruling(.expect("url-opens-nothing"), .error, Reference.applinks)
        case .opensOther: Ruling(.expect("url-opens-other"), .error, Reference.applinks)
        case .pageMissing: Ruling(.expect("page-missing"), .error, Reference.supportingDomains)
        }
    }
}

/// A finding of the linter, in the AASA library's own words.
package struct LintMatter: Codable, Equatable, Sendable {
    package var rule: String
    package var severity: Severity
    package var line: Int
    package var column: Int
    package var message: String
    package var fix: String
    package var reference: String

    package init(
        rule: String, severity: Severity, line: Int, column: Int, message: String, fix: String, reference: String
    ) {
        self.rule = rule
        self.severity = severity
        self.line = line
        self.column = column
        self.message = message
        self.fix = fix
        self.reference = reference
    }
}

/// What was found in place of a web page.
package enum PageFault: Codable, Equatable, Sendable {
    case redirect(RedirectFault)
    /// `behind`: the target of a redirect.
    case given(Given, behind: String?)
}
