// Why it is so: an enum for each area, with typed arguments. The words are in Catalogue/.

import Foundation

/// Why it is so. The area says which catalogue has the words.
package enum Cause: Codable, Equatable, Sendable {
    case origin(OriginCause)
    case access(AccessCause)
    case crawler(CrawlerCause)
    case copy(CopyCause)
    case file(FileCause)
    case monitor(MonitorCause)

    package var id: DiagnosisID {
        switch self {
        case .origin(let cause): cause.id
        case .access(let cause): cause.id
        case .crawler(let cause): cause.id
        case .copy(let cause): cause.id
        case .file(let cause): cause.id
        case .monitor(let cause): cause.id
        }
    }
}

extension Cause {
    /// The rule of the finding that has the words; nil where the cause says all by itself.
    package var rule: Rule? {
        guard case .file(let cause) = self else { return nil }
        return switch cause {
        case .fault(let rule), .warning(let rule), .expectationFailed(let rule, _), .finding(let rule): rule
        case .pageMissing: .expect("page-missing")
        case .byteOrderMark: nil
        }
    }
}

/// The origin is at fault, and this machine sees it too.
package enum OriginCause: Codable, Equatable, Sendable {
    case noSuchName(Domain)
    /// The name is an alias of one that does not exist, or has no address; `service`: the cloud that gives such names.
    case danglingAlias(of: String, service: String?)
    /// Apple refuses the address; `seen`: those of the addresses that are not public from here.
    case privateForApple(seen: [String], of: Int)
    case privateAddress([String], of: Int)
    /// From here; Apple's CDN has the file.
    case privateHere([String], of: Int)
    case addressesFailVariously(AddressAnswers, repairs: [AddressRepair])
    case addressesDiffer(AddressAnswers)
    /// One address that gave two answers.
    case addressAnswersDifferently(String, AddressAnswers)
    case addressUnreachable([GivenAt], of: Int)
    /// What several checks in a row found.
    case alternates(files: Int, changes: Int, checks: Int)
    case chainIncomplete(missing: String?, place: FaultPlace)
    case certificateAtAddress(OriginFault, place: FaultPlace)
    /// `apple`: what Apple's CDN has of it; nil: it was not asked.
    case rootOnly(apple: RootAtApple?)
    case redirectToNothing(hop: Int, target: String, status: Int, addsSlash: Bool)
    /// What the hosting platform says.
    case hosting(HostingFault, status: Int)
    case notDeployed(status: Int)
    case pageInsteadOfFile
    /// The same, where its title or its kind is known.
    case webPageInsteadOfFile(WebPage)
    /// JSON that says that something failed, in its words.
    case errorMessageInsteadOfFile(String)
    case hostSleeps(AppleWord)
    case hostDown(AppleWord)
    case fault(OriginFault, place: FaultPlace)
    case slow(milliseconds: Int)
    case ipv6Broken([GivenAt])
    case certificateExpiring(Date, place: FaultPlace)
    case redirectSameSite(target: String, cdnFollowed: Bool)

    var id: DiagnosisID {
        switch self {
        case .noSuchName: .noSuchName
        case .danglingAlias: .danglingAlias
        case .privateForApple: .crawlerPrivateAddress
        case .privateAddress: .privateAddress
        case .privateHere: .privateAddressHere
        case .addressesFailVariously: .addressesFailVariously
        case .addressesDiffer, .addressAnswersDifferently: .addressesDiffer
        case .addressUnreachable: .addressUnreachable
        case .alternates: .originAlternates
        case .chainIncomplete: .chainIncomplete
        case .certificateAtAddress: .certificateAtAddress
        case .rootOnly: .rootOnly
        case .redirectToNothing: .redirectToNothing
        case .hosting(let fault, _):
            switch fault.meaning {
            case .missing, .missingOrPrivate: .notDeployed
            case .dotFolderDropped: .dotFolderDropped
            case .unknownSite: .siteUnknown
            case .stopped: .siteStopped
            case .failing: .siteFailing
            }
        case .notDeployed: .notDeployed
        case .pageInsteadOfFile, .webPageInsteadOfFile, .errorMessageInsteadOfFile: .pageInsteadOfFile
        case .hostSleeps: .hostSleeps
        case .hostDown: .hostDown
        case .fault: .originFault
        case .slow: .originSlow
        case .ipv6Broken: .ipv6Broken
        case .certificateExpiring: .certificateExpiring
        case .redirectSameSite: .redirectSameSite
        }
    }
}

/// What Apple's CDN has of a site whose file is at the root only.
package enum RootAtApple: Codable, Equatable, Sendable {
    case sameFile, otherFile
    /// With Apple's word on why.
    case nothing(AppleWord?)
    case noAnswer
}

/// Where a fault was met, if not at the whole of the domain's own server.
package struct FaultPlace: Codable, Equatable, Sendable {
    /// Behind a redirect.
    package var host: String?
    /// Of several addresses those that have it; empty where all do.
    package var addresses: [String]

    package init(host: String? = nil, addresses: [String] = []) {
        self.host = host
        self.addresses = addresses
    }
}

package enum AddressRepair: Codable, Equatable, Sendable {
    case deadAddress, ipv6, sameFile
    case fault(OriginFault)
}

/// The file is there for some and not for others: by user agent, by place, or for this machine alone.
package enum AccessCause: Codable, Equatable, Sendable {
    /// A bot protection answers this machine in place of the site; `passes` and `elsewhere`: an agent of Apple's and a place
    /// that get the file; `copyAge`: seconds, where Apple's copy shows that its crawler got it.
    case challengedHere(
        BotProtection, status: Int, passes: AgentLook.Agent?, elsewhere: String?, copyAge: Int? = nil)
    /// Apple's agent gets the file where this program does not.
    case refusedHereOnly(AgentLook.Agent, here: Given)
    case elsewhereFine(String, here: Given)
    /// This machine is turned away, and Apple's crawler is not, as its copy shows. `copyAge`: seconds.
    case turnedAwayHere(Given, copyAge: Int)
    /// The same for so many seconds, or beside a copy of such an age, that the copy shows nothing any more.
    case turnedAwayForLong(Given, forSeconds: Int, copyAge: Int)
    case agentRefused(AgentRefusal)
    /// Here as for Apple.
    case agentRefusedAsApple(AgentRefusal, AppleWord)
    /// Agents that are given another version of the file than a plain client.
    case agentDiffers([AgentRefusals.Refused], plain: Given)
    case vantageRefused([GivenAt], AppleWord?)
    case vantageDiffers(VantageFault, [GivenAt], AppleWord?)

    var id: DiagnosisID {
        switch self {
        case .challengedHere: .challengedHere
        case .refusedHereOnly: .refusedHereOnly
        case .elsewhereFine: .elsewhereFine
        case .turnedAwayHere: .turnedAwayHere
        case .turnedAwayForLong: .turnedAwayForLong
        case .agentRefused: .agentRefused
        case .agentRefusedAsApple: .crawlerRefusedByAgent
        case .agentDiffers: .addressesDiffer
        case .vantageRefused: .vantageRefused
        case .vantageDiffers: .vantageDiffers
        }
    }
}

/// How Apple's user agent is refused.
package struct AgentRefusal: Codable, Equatable, Sendable {
    package var agent: AgentLook.Agent
    package var given: Given
    /// Of several addresses those that refuse it; empty where all do.
    package var addresses: [String]
    package var isCloudflare: Bool

    package init(agent: AgentLook.Agent, given: Given, addresses: [String] = [], isCloudflare: Bool = false) {
        self.agent = agent
        self.given = given
        self.addresses = addresses
        self.isCloudflare = isCloudflare
    }
}

/// Apple's own word on its crawler, where the origin looks fine from here.
package enum CrawlerCause: Codable, Equatable, Sendable {
    case various([AbsenceReason])
    case refusedByAddress(status: Int)
    case refused(status: Int)
    case remembersAbsence(status: Int)
    /// Apple asked after the file was there.
    case stillAbsent(status: Int)
    /// Whether the file was there when Apple asked is not known.
    case wasAbsent(status: Int)
    /// `target`: where this machine is redirected to as well.
    case redirected(AppleWord, target: String?)
    case metOutage(AppleWord)
    case rateLimited(AppleWord)
    case otherStatus(AppleWord)
    case noAnswerIPv6([GivenAt])
    case noAnswerAddress([GivenAt], of: Int)
    case connection(CrawlerFailure.Cause, words: String)
    case noAnswerSlow(milliseconds: Int)
    case noAnswerFirewall(words: String)
    case noAnswer(words: String)
    case content
    /// For another reason than that it is no JSON.
    case refusedContent(AppleWord)
    case unknown(AppleWord)
    /// This machine reaches nobody over the family of these addresses.
    case noAnswerUnseen(family: Int, [String], words: String)
    /// This machine's resolver gives private addresses alone; Apple met something else.
    case metOtherAddress(CrawlerTrouble, here: [String])
    /// This machine cannot look by itself, for a cause of its own.
    case notSeenHere(CrawlerTrouble, MonitorCause)

    var id: DiagnosisID {
        switch self {
        case .various: .crawlerSaysVarious
        case .refusedByAddress: .crawlerRefusedByAddress
        case .refused: .crawlerRefused
        case .remembersAbsence: .crawlerRemembersAbsence
        case .stillAbsent, .wasAbsent: .crawlerStillAbsent
        case .redirected: .crawlerRedirected
        case .metOutage: .crawlerMetOutage
        case .rateLimited: .crawlerRateLimited
        case .otherStatus: .crawlerOtherStatus
        case .noAnswerIPv6: .crawlerTimeoutIPv6
        case .noAnswerAddress: .crawlerTimeoutAddress
        case .connection: .crawlerCause
        case .noAnswerSlow: .crawlerTimeoutSlow
        case .noAnswerFirewall: .crawlerTimeoutFirewall
        case .noAnswer: .crawlerTimeout
        case .content, .refusedContent: .crawlerContent
        case .unknown: .crawlerUnknown
        case .noAnswerUnseen: .crawlerTimeout
        case .metOtherAddress(let trouble, _), .notSeenHere(let trouble, _):
            switch trouble {
            case .refusal: .crawlerRefused
            case .absence: .crawlerStillAbsent
            case .redirect: .crawlerRedirected
            case .outage: .crawlerMetOutage
            case .rateLimit: .crawlerRateLimited
            case .status: .crawlerOtherStatus
            case .silence: .crawlerTimeout
            case .connection: .crawlerCause
            case .content: .crawlerContent
            case .address, .unknown: .crawlerUnknown
            }
        }
    }
}

/// One reason for which edges have no copy, and how many give it.
package struct AbsenceReason: Codable, Equatable, Sendable {
    package var count: Int
    /// nil: Apple gives none.
    package var word: AppleWord?
    package var trouble: CrawlerTrouble

    package init(count: Int, word: AppleWord?, trouble: CrawlerTrouble) {
        self.count = count
        self.word = word
        self.trouble = trouble
    }
}

/// The origin is fine; Apple's copy may not be, or all is well.
package enum CopyCause: Codable, Equatable, Sendable {
    case edgesWithoutCopy(Int, of: Int, [AbsenceReason])
    case edgesCatchingUp(Int, of: Int, lagSeconds: Int)
    case edgesDiffer(EdgeTally, lagSeconds: Int?)
    /// Edges that answer with trouble of their own.
    case edgeTrouble(Int, of: Int, CDNFault)
    case missing
    case failsBesideCopy(AppleWord, CrawlerTrouble)
    /// `app`: of the service, where the copy has the service but not the app.
    case lacksService(String, app: String?, lagSeconds: Int?)
    case hasOtherApp(old: String, new: String, lagSeconds: Int?)
    case stale(lagSeconds: Int)
    case propagating(lagSeconds: Int)
    case badCopy
    case divergent
    /// `by`: what this machine lacks, where that is why.
    case unreachable(CDNFault, by: MonitorCause? = nil)
    case inSyncInternational
    case inSync
    case otherMode(AssociationMode)
    /// The origin's file is fine; nothing is known of the copy.
    case originFine

    var id: DiagnosisID {
        switch self {
        case .edgesWithoutCopy: .edgesWithoutCopy
        case .edgesCatchingUp: .edgesCatchingUp
        case .edgesDiffer: .edgesDiffer
        case .edgeTrouble: .edgeTrouble
        case .missing: .cdnMissing
        case .failsBesideCopy: .crawlerFailsBesideCopy
        case .lacksService: .copyLacksService
        case .hasOtherApp: .copyHasOtherApp
        case .stale: .cdnStale
        case .propagating: .cdnPropagating
        case .badCopy: .badCopy
        case .divergent: .cdnDivergent
        case .unreachable: .cdnUnreachable
        case .inSyncInternational: .inSyncInternational
        case .inSync: .inSync
        case .otherMode: .otherMode
        case .originFine: .originFine
        }
    }
}

/// The file itself, and what people expect of it. The words are those of the finding that the rule names.
package enum FileCause: Codable, Equatable, Sendable {
    case fault(Rule)
    case warning(Rule)
    case byteOrderMark
    /// `inCopy`: Apple's copy is the same file.
    case expectationFailed(Rule, inCopy: Bool)
    case pageMissing
    /// A finding that no row knows.
    case finding(Rule)

    var id: DiagnosisID {
        switch self {
        case .fault: .fileFault
        case .warning: .fileWarning
        case .byteOrderMark: .byteOrderMark
        case .expectationFailed: .expectationFailed
        case .pageMissing: .pageMissing
        case .finding: .finding
        }
    }
}

/// The monitor itself, its own network, and what many domains share.
package enum MonitorCause: Codable, Equatable, Sendable {
    /// The request could not be made; `detail`: of the network library.
    case ownFault(detail: String)
    /// This machine's name server could not look the host up; `answer`: what it said, nil where none answered.
    case nameServerFailed(host: String, answer: String?)
    /// Neither the host nor Apple's CDN has an address by this machine's name server; `answer`: what it said.
    case namesFail(host: String, answer: String)
    /// Something in this machine's network opens TLS, under an authority that this machine does not trust.
    case tlsIntercepted(host: String, authority: String)
    /// The proxy opened no way to the host; `status`: what it answered; nil: nothing.
    case proxyFailed(status: Int?, detail: String)
    /// This machine reaches nobody over IPv4, or over IPv6.
    case noFamily(Int)
    /// Neither the site nor Apple's CDN takes a connection from here; `unusedProxy`: the environment variable that names a proxy.
    case noWayOut(unusedProxy: String?)
    /// The certificates of the site and of Apple's CDN are refused, for authorities of their own. `authority`: the site's.
    case trustStoreLacks(authority: String)
    /// `ahead`: seconds; nil: by how much is not known.
    case clockIsWrong(ahead: Int?)
    /// A login page, or another page of this network, answers for the site and for Apple's CDN.
    case gateAnswers(status: Int?)
    /// The look-up of the name took so long; `server`: what the server took. Milliseconds.
    case nameServerSlow(milliseconds: Int, server: Int)
    /// One check reached nobody, and neither did others.
    case networkSuspect
    case networkLost(domains: Int, of: Int, canaries: [String])
    case manyFailing(domains: Int, of: Int)
    case cdnWide(CDNFailure, domains: Int, of: Int)
    case scheduleBehind(domains: Int, of: Int, intervals: Int)
    /// `fault`: as the reader of the configuration reports it.
    case configReloadFailed(fault: String)
    /// `answer`: of the channel's service; empty where there is none.
    case deliveryFailing(channel: String, isDisabled: Bool, answer: String)
    /// `fault`: of the system or the database.
    case storeFailing(isAtStart: Bool, fault: String)
    case notMonitored
    case testMessage
    case over
    /// The store knows of the incident and not of what was seen.
    case factsMissing

    var id: DiagnosisID {
        switch self {
        case .ownFault: .ownFault
        case .proxyFailed: .ownFault
        case .nameServerFailed, .namesFail: .nameServerFailed
        case .tlsIntercepted: .tlsIntercepted
        case .noFamily: .familyMissingHere
        case .noWayOut: .noWayOut
        case .trustStoreLacks: .trustStoreLacksRoot
        case .clockIsWrong: .clockIsWrong
        case .gateAnswers: .gateAnswers
        case .nameServerSlow: .nameServerSlow
        case .networkSuspect: .networkSuspect
        case .networkLost: .networkLost
        case .manyFailing: .manyFailing
        case .cdnWide: .cdnWide
        case .scheduleBehind: .scheduleBehind
        case .configReloadFailed: .configReloadFailed
        case .deliveryFailing: .deliveryFailing
        case .storeFailing: .storeFailing
        case .notMonitored: .notMonitored
        case .testMessage: .testMessage
        case .over: .over
        case .factsMissing: .factsMissing
        }
    }
}

/// In which way Apple's side of many domains fails.
package enum CDNFailure: String, Codable, Sendable, CaseIterable {
    case missing, stale, divergent
    /// No answer about the file.
    case silent
}
