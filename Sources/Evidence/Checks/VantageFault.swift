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

    func fix(for domain: Domain) -> String {
        switch self {
        case .refused: "let every address in every country read the file: Apple publishes no addresses of its crawler"
        case .rateLimited: "exempt the file from rate limits, for every address"
        case .unreachable:
            "look for a firewall that drops or refuses connections by address or country, and open it for this site: "
                + "Apple publishes no addresses of its crawler"
        case .page: "exempt the file's path from challenges, logins and country pages: every address must get the file"
        case .certificate:
            "install the same certificate, with its chain, on every server that answers for \(domain); if the name in the "
                + "evidence is of that place's own network, that network opens TLS, and the look says nothing about the site"
        case .handshake:
            "let every server that answers for \(domain) speak TLS 1.2 and 1.3, and see what stands before it"
        case .noSuchName: "let the name servers of \(domain) give every place in the world the same addresses"
        case .privateAddress: "let the name and its redirects lead to public addresses, wherever they are asked from"
        case .absent: "deploy the file to every server that answers for \(domain): the one that answers there has none"
        case .redirect: "serve the file itself there too: no redirect by country, language or address"
        case .serverTrouble: "see the error log of the server that answers there: it may be another one than here"
        case .partial:
            "see what cuts the answer short on the way there, and the error log of the server that answers there"
        case .otherFile: "bring the same file to every server, and purge the caches that stand before them"
        case .applesFile:
            "bring the same file to every server, and purge the caches that stand before them: Apple's crawler is given "
                + "what that place is given"
        }
    }
}
