// What to do about each of Apple's failure codes, as a finding says it.

/// What kept Apple's crawler from the file, as finely as the advice differs.
package enum CrawlerTrouble: Hashable, Codable, Sendable {
    case refusal, absence, redirect, outage, rateLimit, status, address, silence, content, unknown
    case connection(CrawlerFailure.Cause)
}

extension CrawlerFailure {
    /// Statuses by which servers send clients away that they do not want.
    private static let refusals: Set<Int> = [401, 403, 405, 406, 407, 451]

    var trouble: CrawlerTrouble {
        switch family {
        case .status:
            switch originStatus {
            case .some(let status) where Self.refusals.contains(status): .refusal
            case 404, 410: .absence
            case .some(300..<400): .redirect
            case 429: .rateLimit
            case .some(500..<600): .outage
            default: .status
            }
        case .address: .address
        case .network: cause.map(CrawlerTrouble.connection) ?? .silence
        case .content: .content
        case .unknown: cause.map(CrawlerTrouble.connection) ?? .unknown
        }
    }
}

enum CrawlerAdvice {
    static func fix(for failure: CrawlerFailure) -> String {
        switch failure.trouble {
        case .refusal:
            "let the user agents AASA-Bot and CFNetwork pass your firewall or bot protection, from any address in the "
                + "world"
        case .absence: "the file was not there when Apple asked; once it is, Apple asks again by itself"
        case .redirect, .connection(.redirects):
            "serve the file itself with status 200 to every client, without a redirect"
        case .outage:
            "nothing, if the server was in trouble for a moment when Apple asked: Apple asks again by itself; if it says "
                + "the same then, see the server's log for AASA-Bot, and look for a bot rule that answers so"
        case .rateLimit:
            "take the file out of the rate limit; Apple asks again by itself, and the server's log tells who used the "
                + "limit up"
        case .status: "make the origin answer every client with status 200; its log may tell why AASA-Bot got another"
        case .address:
            "publish the domain on a public address; an internal host needs ?mode=developer or ?mode=managed in the app"
        case .connection(.certificate):
            "install the full certificate chain (leaf and intermediates) of a public authority on every server behind "
                + "the name"
        case .connection(.tls):
            "let every server behind the name speak TLS 1.2 or 1.3, with a certificate for it"
        case .connection(.name): "check the domain's A and AAAA records at each of its name servers, and DNSSEC"
        case .connection(.refused):
            "let every address of the domain take connections on port 443, and look for a firewall that rejects Apple's"
        case .silence:
            "look for a firewall or geo rule that drops Apple's packets, a published IPv6 address that does not answer, "
                + "or a server that is too slow"
        case .content: "serve a valid JSON file to every client, with no HTML page in its place"
        case .unknown:
            "let every client in the world read the file over HTTPS, with status 200 and without redirects; if Apple "
                + "says the same a day later, report it to Apple with this evidence"
        }
    }
}
