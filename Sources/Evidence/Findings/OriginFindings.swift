// Findings about the origin: its names and addresses, its answer, and who gets the file.

import Facts
import Foundation

package enum OriginProblem: Codable, Equatable, Sendable {
    /// `at`: the address or host at fault.
    case fault(OriginFault, at: String = "")
    case redirect(RedirectFault)
    /// Within the domain's site. `cdnFollowed`: Apple's CDN was seen to follow this one.
    case redirectSameSite(String, cdnFollowed: Bool)
    case status(StatusAnswer)
    /// Content-Encoding does not name a compression, and the body is readable.
    case falseEncoding(String)
    /// An empty type means none. `holdsFile`: only the header is wrong.
    case contentType(String, isPage: Bool, holdsFile: Bool, BotProtection?)
    // Addresses.
    case notPublic([ResolvedAddress], of: Int)
    case addressesUnreachable([ServedAt], of: Int)
    case ipv6Broken([ServedAt])
    /// This machine itself lacks the family.
    case familyUnchecked(Int, [String])
    /// Addresses that left one request of a check unanswered, and answered another.
    case stalls([ServedAt])
    case singleFamily(Int, Domain)
    case addressesDiffer([ServedAt])
    /// The addresses, grouped by the bytes that they serve; the meaning is the same.
    case formattingsDiffer([ServedAt])
    /// Found over several checks in a row.
    case alternates(files: Int, changes: Int, checks: Int)
    // Certificates of a chain that is still trusted.
    case certificateExpiring(Date)
    case chainExpiring(Date, name: String)
    case chainExpired(Date, name: String)
    // Who gets the file.
    case crawlerRefused(AgentRefusals)
    /// Agents that get another version of the file than a plain client.
    case agentDiffers([AgentRefusals.Refused], plain: Served)
    case rateLimited(Int, of: Int, statuses: [Int])
    case vantageDiffers(VantageFault, [ServedAt], here: Served)
    case rootCopyDiffers
    /// `apple`: what Apple's CDN has; nil if it was not asked.
    case rootOnly(apple: RootAtApple?)
    /// The file is at this URL, and not where it belongs.
    case misplaced(String, Domain)

    var declaration: Declaration {
        switch self {
        case .fault(let fault, let place): fault.declaration(at: place)
        case .redirect(let fault): OriginFault.redirect(fault).declaration(at: "")
        case .redirectSameSite(let target, let followed):
            .init(
                .redirect, severity: .warning, leads: .redirectSameSite,
                "The origin redirects to \(target). Apple documents that redirects are not allowed"
                    + (followed ? ", though its CDN followed this one." : "."),
                "Serve the file without a redirect, with status 200.")
        case .status(let answer): .init(.status, leads: answer.diagnosis, English.words(answer))
        case .falseEncoding(let encoding):
            .init(
                .contentEncoding, severity: .warning,
                "The Content-Encoding is '\(encoding)', which is not a compression method. The body is readable as it is.",
                "Send no Content-Encoding with a body that is not compressed: clients may refuse what they cannot decode."
            )
        case .contentType(let type, let isPage, let holdsFile, let protection):
            .init(
                .contentType, severity: isPage ? .error : .note, leads: .originFault,
                English.words(type: type, holdsFile, protection))
        case .notPublic(let addresses, let all):
            .init(.notPublicAddress, leads: .privateAddress, English.words(notPublic: addresses, of: all))
        case .addressesUnreachable(let dead, let all):
            .init(
                .addressUnreachable, leads: .addressUnreachable,
                "\(English.count(dead, all)): \(English.words(dead)). Apple's crawler may use any of the addresses.",
                "Fix the server at that address, or remove the address from the DNS records.")
        case .ipv6Broken(let dead):
            .init(
                .ipv6Broken, leads: .ipv6Broken,
                "No IPv6 address of the domain answers, while IPv4 does: \(English.words(dead)).",
                "Fix IPv6 or remove the AAAA records. Apple's crawler may try IPv6 first.")
        case .familyUnchecked(let family, let addresses):
            .init(
                family == 6 ? .ipv6Unchecked : .ipv4Unchecked,
                "The IPv\(family) addresses (\(addresses.listed(upTo: 2))) were not checked: this machine reaches "
                    + "no host over IPv\(family).",
                "Check from a machine with IPv\(family), or add a vantage that has it.")
        case .stalls(let stalled):
            .init(
                .addressStalls,
                "One request of this check got an answer, another to the same address did not: \(English.words(stalled)).",
                "Check the server's load, and its limits on connections from one client.")
        case .singleFamily(let family, let domain):
            .init(
                .singleFamily, "The name \(domain) has IPv\(family) addresses only.",
                family == 4
                    ? "Nothing needs to be done. This rules out a broken IPv6 address."
                    : "Publish an IPv4 address too: not every network that fetches the file has IPv6.")
        case .addressesDiffer(let groups):
            .init(
                .addressDiffers, leads: .addressesDiffer,
                (groups.areVersions
                    ? "The origin \(English.versions(groups.map(\.served)))"
                    : "The domain's addresses give different answers")
                    + ": \(English.words(groups)). A client may get any of these.",
                "Deploy the same file to every server behind the name, or remove servers from its DNS records.",
                evidence: English.evidence(groups))
        case .formattingsDiffer(let groups):
            .init(
                .addressDiffers, severity: .note,
                "The domain's addresses format the file in \(groups.count) different ways, with the same meaning.",
                "Nothing needs to be done if this is intended.",
                evidence: ["groups": groups.prefix(6).map { $0.places.listed(upTo: 8) }.joined(separator: " | ")])
        case .alternates(let files, let changes, let checks):
            .init(
                .addressDiffers, leads: .originAlternates,
                "The origin served \(files) files in turn: \(changes) changes back and forth within \(checks) checks.",
                "Deploy the same file to every server behind the name. Make sure that no cache keeps an old one.")
        case .certificateExpiring(let end):
            .init(.certificateExpiring, leads: .certificateExpiring) { now in
                Words(
                    "The certificate expires \(English.left(until: end, now))on \(English.instant(end)).",
                    "Renew it now. Apple's crawler refuses an expired certificate.")
            }
        case .chainExpiring(let end, let name):
            .init(.certificateChainExpiring) { now in
                Words(
                    "An intermediate certificate (\(name)) expires \(English.left(until: end, now))on "
                        + "\(English.instant(end)).",
                    "Install the current chain from the certificate authority. Renew the certificate if it still needs this "
                        + "intermediate.")
            }
        case .chainExpired(let end, let name):
            .init(
                .certificateChainExpired,
                "The server sends an intermediate certificate (\(name)) that expired on \(English.day(end)). This "
                    + "machine did not need it.",
                "Install the current chain from the certificate authority.")
        case .crawlerRefused(let refusals):
            .init(.crawlerRefused, leads: .agentRefused, English.words(refusals))
        case .agentDiffers(let others, let plain):
            .init(
                .addressDiffers, leads: .addressesDiffer,
                "The origin \(English.versions(others.map(\.served) + [plain])): it \(English.words(others)).",
                "Serve the same file to every user agent. Apple's CDN uses the one that AASA-Bot gets.",
                evidence: Dictionary(
                    others.map { ($0.agent.rawValue, English.words($0.served)) } + [("plain", English.words(plain))]
                ) { $1 })
        case .rateLimited(let busy, let all, let statuses):
            .init(.rateLimited, English.words(busy: busy, of: all, statuses))
        case .vantageDiffers(let fault, let served, let here) where fault.isVersion:
            .init(.addressDiffers, leads: .vantageDiffers, English.words(fault, served, here))
        case .vantageDiffers(let fault, let served, let here):
            .init(
                .vantageRefused, severity: fault == .rateLimited ? .warning : .error,
                leads: fault.isOfPlace ? .vantageRefused : .vantageDiffers,
                English.words(fault, served, here))
        case .rootCopyDiffers:
            .init(
                .rootCopyDiffers,
                "The file at /apple-app-site-association differs from the one at /.well-known/. Which one counts depends "
                    + "on the client.",
                "Serve the same file at both places, or remove the one at the root.")
        case .rootOnly(let apple):
            .init(
                .rootOnly, leads: .rootOnly, "The file is at /apple-app-site-association only. \(English.words(apple))",
                "Serve it at /.well-known/apple-app-site-association too.")
        case .misplaced(let url, let domain):
            .init(
                .misplaced, leads: .misplaced,
                "The file is at \(url). Devices and Apple's crawler only request \(domain.wellKnownURL), which has no file.",
                CloudNames.service(of: domain.name) == "GitHub Pages"
                    ? English.projectPage(domain.name)
                    : "Serve it at that URL: at the root of the host, and without an extension.")
        }
    }
}

/// A status other than 200.
package struct StatusAnswer: Codable, Equatable, Sendable {
    package var fault: OriginFault
    package var status: Int
    /// From another host, after a redirect.
    package var isElsewhere = false
    /// The URL of the domain's own server to which it redirects.
    package var target: String?
    /// The address, if others serve the file.
    package var address: String?
    /// Another request of the same check got the file there.
    package var isInTurn = false
    package var protection: BotProtection?
    package var hosting: HostingFault?

    package init(
        fault: OriginFault, status: Int, isElsewhere: Bool = false, target: String? = nil, address: String? = nil,
        protection: BotProtection? = nil, hosting: HostingFault? = nil
    ) {
        self.fault = fault
        self.status = status
        self.isElsewhere = isElsewhere
        self.target = target
        self.address = address
        self.protection = protection
        self.hosting = hosting
    }

    /// What the hosting platform of the domain's own server says. After a redirect, the redirect is at fault: the
    /// advice must not be to deploy the file at its target.
    fileprivate var ownHosting: HostingFault? {
        isElsewhere || target != nil && hosting?.meaning.hasNoFile == true ? nil : hosting
    }

    fileprivate var diagnosis: DiagnosisID {
        ownHosting?.meaning.diagnosis ?? (absence == .origin ? .notDeployed : .originFault)
    }
}

/// What Apple's CDN has for a site whose file is at the root only.
package enum RootAtApple: Codable, Equatable, Sendable {
    case sameFile, otherFile, nothing, noAnswer
}

/// Apple's user agents that do not get what this program gets at the same addresses.
package struct AgentRefusals: Codable, Equatable, Sendable {
    /// One entry per agent.
    package var agents: [Refused]
    package var plain: Served
    package var protection: BotProtection?
    /// What the first agent gets.
    package var first: Served
    /// The addresses that refuse an agent, out of `tried`; empty if all do.
    package var addresses: [String]
    package var tried: Int
    package var isCloudflare: Bool

    package init(
        agents: [Refused], plain: Served, protection: BotProtection? = nil, first: Served, addresses: [String],
        tried: Int, isCloudflare: Bool = false
    ) {
        self.agents = agents
        self.plain = plain
        self.protection = protection
        self.first = first
        self.addresses = addresses
        self.tried = tried
        self.isCloudflare = isCloudflare
    }

    package struct Refused: Codable, Equatable, Sendable {
        package var agent: AgentResult.Agent
        package var served: Served
    }
}

// MARK: - Words

extension English {
    static func count(_ dead: [ServedAt], _ all: Int) -> String {
        "\(dead.count) of the \(max(all, dead.count)) addresses \(dead.count == 1 ? "does" : "do") not answer"
    }

    fileprivate static func words(_ answer: StatusAnswer) -> Words {
        var words =
            if let protection = answer.protection {
                Words(why(protection, answer.status), action(protection))
            } else if let hosting = answer.ownHosting {
                self.words(hosting, answer.status)
            } else if answer.absence == .origin {
                Words(
                    "There is no file at the origin (\(answer.status)).",
                    "Deploy it to /.well-known/apple-app-site-association.")
            } else {
                self.words(answer, of: answer.isElsewhere ? "The server" : "Your server")
            }
        if let target = answer.target {
            words.why = "Behind the redirect to \(target): \(words.why ?? "")"
        }
        if let absence = answer.absence, absence != .origin { words.action = outOfRedirect }
        if let address = answer.address { words.why = "At \(address): \(words.why ?? "")" }
        if answer.isInTurn { words.why? += " Another request of this check got the file there." }
        return words
    }

    private static func words(_ answer: StatusAnswer, of server: String) -> Words {
        guard case .handshake(.clientCertificate) = answer.fault else { return words(answer.fault, server) }
        return Words(
            "\(server) answers with status \(answer.status) and requires a client certificate.",
            words(answer.fault, server).action)
    }

    static let outOfRedirect =
        "Exempt /.well-known/apple-app-site-association from the redirect. Deploy the file there if it is missing."

    fileprivate static func words(type: String, _ holdsFile: Bool, _ protection: BotProtection?) -> Words {
        if let protection { return Words(why(protection, 200), action(protection)) }
        return Words(
            type.isEmpty ? "The file has no Content-Type." : "The Content-Type is \(type), not application/json.",
            holdsFile ? "Send Content-Type: application/json." : exemptionFromPages)
    }

    fileprivate static func words(notPublic addresses: [ResolvedAddress], of all: Int) -> Words {
        let shown = addresses.map { "\($0.address) (\(words($0.scope)))" }
        return Words(
            (addresses.count == all
                ? "The domain has no public address: "
                : "\(addresses.count) of the domain's \(all) addresses \(addresses.count == 1 ? "is" : "are") not public: ")
                + "\(shown.listed(upTo: 2)). Apple's CDN does not connect to such addresses.",
            addresses.count == all ? publicAddress : publicAlone,
            ["addresses": shown.joined(separator: ", ")])
    }

    private static func words(_ scope: AddressScope) -> String {
        switch scope {
        case .public: "public"
        case .loopback: "loopback"
        case .private: "a private address"
        case .carrierGrade: "an address of a carrier's or overlay network"
        case .linkLocal: "a link-local address"
        case .reserved: "a reserved address"
        }
    }

    static let publicAlone = "Remove the addresses that are not public from the A and AAAA records."

    static let publicAddress =
        "Publish the domain on a public address. For an internal host use ?mode=developer or ?mode=managed in the app's "
        + "entitlement."

    fileprivate static func words(busy: Int, of all: Int, _ statuses: [Int]) -> Words {
        let listed = statuses.map(String.init).joined(separator: " and ")
        return Words(
            "\(busy) of this check's \(all) requests got status \(listed): the server limits requests, or failed for a moment.",
            "Nothing needs to be done unless Apple's crawler reports the same. Then exempt the file from the limit.",
            ["status": listed, "requests": "\(busy) of \(all)"])
    }

    fileprivate static func words(_ refusals: AgentRefusals) -> Words {
        let those = refusals.addresses.listed(upTo: 3)
        let part = refusals.addresses.isEmpty ? "" : " (at \(those) only, of \(refusals.tried) addresses tried)"
        var evidence = ["plain": words(refusals.plain)]
        for refused in refusals.agents { evidence[refused.agent.rawValue] = words(refused.served) + part }
        let isCrawler = refusals.agents.first?.agent == .crawler
        let names = refusals.agents.map(\.agent.shortName).joined(separator: " and ")
        let sign = refusals.protection.map { " (\($0.sign))" } ?? ""
        let isRule =
            switch refusals.first {
            case .redirect: false
            case .status(let status): !Absence.isTold(by: status)
            default: true
            }
        let client = isCrawler ? "Apple's crawler" : "Apple's devices"
        let lead =
            switch refusals.first {
            case _ where !isRule: "Your server answers \(client) differently by user agent"
            case .status(400..<500), .page: "A firewall rule blocks \(client) by user agent"
            case _ where refusals.protection != nil: "A firewall rule blocks \(client) by user agent"
            // A status such as 502, or another body, need not be a refusal.
            default: "A rule treats \(client) differently by user agent"
            }
        let verb = refusals.agents.count == 1 ? "gets" : "get"
        let answer =
            switch refusals.first {
            case .status(let status): "\(names) \(verb) \(status)"
            case .page: "\(names) \(verb) an HTML page"
            default: "for \(names) your server \(words(refusals.first))"
            }
        return Words(
            "\(lead): \(answer)\(sign)\(part), other clients get the file.",
            isRule
                ? "Allow the user agents AASA-Bot and CFNetwork through the firewall and bot protection."
                    + (refusals.isCloudflare ? English.skippedInCloudflare : "")
                : "Serve the file to every user agent, with status 200: look for a rule or a separate server for AASA-Bot.",
            evidence)
    }

    fileprivate static func words(_ fault: VantageFault, _ served: [ServedAt], _ here: Served) -> Words {
        let addition =
            switch fault {
            case .absent: ": there is no file"
            case .applesFile: ", the one that Apple's CDN has"
            default: ""
            }
        var evidence = ["here": words(here)]
        let told = served.enumerated().map { index, group in
            let words = words(group.served, isOther: fault.isVersion) + addition
            if index < 8 { evidence["vantage_\(index + 1)"] = "\(group.places.joined()): \(words)" }
            return "from \(group.places.joined()) your server \(words)"
        }
        let lead =
            fault.isVersion
            ? "The origin \(versions(served.map(\.served), here: 1)): this machine gets one, and "
            : "This machine gets the file, but "
        return Words("\(lead)\(told.listed(upTo: 2)).", action(fault), evidence)
    }

    /// `gives the user agent AASA-Bot a different file (SHA-256 0011…) than a plain client`.
    fileprivate static func words(_ others: [AgentRefusals.Refused]) -> String {
        let names = others.map(\.agent.shortName).joined(separator: " and ")
        let hash = if case .file(_, let name)? = others.first?.served { " (SHA-256 \(name)…)" } else { "" }
        return "gives the user agent\(others.count > 1 ? "s" : "") \(names) a different file\(hash) than a plain client"
    }

    private static func action(_ fault: VantageFault) -> String {
        switch fault {
        case .refused: "Open this path to every address in every country. A rule by country or address blocks it."
        case .unreachable:
            "Look for a firewall that drops or refuses connections by country or address, and open this path to every address."
        case .page: "Exempt this path from challenges, logins and country pages, for every address in every country."
        case .rateLimited: "Exempt the file from rate limits, for every address."
        case .certificate:
            "Install the same certificate, with its chain, on every server. If it belongs to that place's network, "
                + "that network inspects TLS."
        case .handshake: "Let every server of the domain speak TLS 1.2 and 1.3."
        case .noSuchName: "Let the name servers give every place in the world the same addresses."
        case .privateAddress: "Let the name and its redirects lead to public addresses from every location."
        case .absent: "Deploy the file to every server of the domain: the one that answers there has none."
        case .redirect: "Serve the file itself there too: no redirect by country, language or address."
        case .serverTrouble:
            "Check the error log of the server that answers there: this machine may reach a different one."
        case .partial: "Find what cuts the answer short on the way there, and check the error log of that server."
        case .otherFile, .applesFile:
            "Deploy the same file to every server, and purge the caches in front of them."
        }
    }

    fileprivate static func words(_ apple: RootAtApple?) -> String {
        switch apple {
        case nil: "Phones that ask the site themselves no longer look there."
        case .sameFile: "Apple's CDN has it, but Apple does not promise to look there."
        case .otherFile: "Apple's CDN has another file."
        case .nothing: "Apple's CDN does not have it."
        case .noAnswer: "Apple does not document whether its crawler looks there, and its CDN gave no answer."
        }
    }
}

extension AgentResult.Agent {
    /// The name in firewall rules.
    package var shortName: String {
        switch self {
        case .crawler: "AASA-Bot"
        case .device: "CFNetwork"
        }
    }
}

extension CertificateProblem {
    var words: String { rawValue.replacing("_", with: " ") }
}
