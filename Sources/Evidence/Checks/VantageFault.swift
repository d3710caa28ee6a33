// What another place was given in place of the file that this machine gets: each asks for another repair.

import Foundation

package enum VantageFault: String, Codable, CaseIterable, Sendable {
    /// By status: the sign of a rule by address or country.
    case refused
    case rateLimited = "rate_limited"
    case unreachable
    /// Status 200 with something that is no file: a challenge, a login, a page for that country.
    case page
    case certificate
    case handshake
    case noSuchName = "no_such_name"
    case privateAddress = "private_address"
    case absent
    case redirect
    case serverTrouble = "server_trouble"
    case partial
    case otherFile = "other_file"
    /// What Apple's CDN has as well.
    case applesFile = "apples_file"

    /// `serving`: another one than this machine is given.
    init(_ serving: Serving, appleHas copy: ContentHash?) {
        switch serving {
        case .file(let meaning): self = meaning == copy ? .applesFile : .otherFile
        case .noFile: self = .page
        case .partial: self = .partial
        case .redirect: self = .redirect
        case .status(404), .status(410): self = .absent
        case .status(429): self = .rateLimited
        case .status(500...): self = .serverTrouble
        case .status: self = .refused
        case .failed(let kind):
            switch kind {
            case .certificate: self = .certificate
            case .tlsHandshake, .tlsVersion: self = .handshake
            case .nameNotFound, .noAddress, .noIPv4Address, .noIPv6Address: self = .noSuchName
            case .privateAddress: self = .privateAddress
            case .headersTooLarge, .malformedAnswer, .badEncoding, .truncated: self = .serverTrouble
            case .connectionRefused, .unreachable, .timedOut, .connectionReset, .proxy, .own,
                .nameServerFailure, .noNameServer, .intercepted:
                self = .unreachable
            }
        }
    }

    /// Whether it is how rules by address or country show. A rate limit may be our own doing.
    var isOfPlace: Bool {
        switch self {
        case .refused, .unreachable, .page: true
        default: false
        }
    }
}
