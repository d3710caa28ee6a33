// The origin is at fault, and this machine sees it too.

import Foundation

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
        case .pageInsteadOfFile: .pageInsteadOfFile
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
