// What checks of the origin notice.

import Foundation

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
        case .rateLimited: Ruling(.origin("rate-limited"), .note, Reference.debuggingLinks)
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
