// The origin: names, addresses, what is not there, what fails.

import Facts
import Foundation

extension English {
    static func words(_ cause: OriginCause) -> CauseText {
        switch cause {
        case .noSuchName(let domain):
            CauseText(
                "The name \(domain) does not resolve.",
                "Check its spelling, its registration and its A and AAAA records. Remove it from the app's entitlements if "
                    + "it is no longer used.")
        case .danglingAlias(let alias, let service):
            CauseText(
                "The domain is an alias (CNAME) of \(alias)\(service.map { " at \($0)" } ?? ""), which does not resolve"
                    + (service == nil ? "." : ": most likely the site there was removed or renamed."),
                service == nil
                    ? "Correct the A and AAAA records of that name, or point the alias to where the site is now."
                    : "Point the record to where the site is now, or remove it. Until then somebody else may be able to claim "
                        + "that name.")
        case .privateForApple(let seen, let all):
            CauseText(
                "For Apple the domain has a private or reserved address"
                    + (seen.isEmpty ? "" : " (\(seen.listed(upTo: 2)) from here)") + ", which its CDN refuses to ask.",
                seen.isEmpty || seen.count == all ? privateAction : publicAlone)
        case .privateAddress(let addresses, let all):
            CauseText(
                (addresses.count == all ? "The domain has" : "Of \(all) addresses, the domain has")
                    + " \(addresses.listed(upTo: 2)), which \(addresses.count == 1 ? "is" : "are") not public: Apple's CDN "
                    + "refuses to ask.",
                addresses.count == all ? privateAction : publicAlone)
        case .privateHere(let addresses, let all):
            CauseText(
                "From here \(addresses.count == all ? "the domain has" : "of \(all) addresses the domain has") "
                    + "\(addresses.listed(upTo: 2)), not public. Apple's CDN has the file, so public DNS answers otherwise "
                    + "than this machine's DNS, hosts file or VPN.",
                "Check from a network with public DNS, or name a vantage. Nothing needs to be done at the site.")
        case .addressesFailVariously(let answers, let repairs):
            CauseText("\(lead(answers)): \(words(answers.groups)).", repairs.map(action).joined(separator: " "))
        case .addressesDiffer(let answers):
            CauseText(
                (answers.groups.areVersions
                    ? "The origin \(versions(answers.groups.map(\.given)))"
                    : "The addresses of the domain do not answer alike")
                    + ": \(words(answers.groups)). A client meets one or another of them by chance.",
                "Bring the same file to every server behind the name, or take servers out of its records.")
        case .addressAnswersDifferently(let address, let answers):
            CauseText(
                (answers.groups.areVersions
                    ? "The origin \(versions(answers.groups.map(\.given)))"
                    : "The address \(address) answered two requests differently") + ": \(words(answers.groups)).",
                "Bring the same file to every server behind that address. Let no cache keep an old one.")
        case .addressUnreachable(let dead, let all):
            CauseText(
                "\(count(dead, all)): \(words(dead)). Whether Apple's crawler meets "
                    + "\(dead.count == 1 ? "it" : "them") is chance.",
                "Repair the server at that address, or take the address out of the records.")
        case .alternates(let files, let changes, let checks):
            CauseText(
                "The origin served \(files) files in turn: \(changes) changes back and forth within \(checks) checks.",
                "Bring the same file to every server behind the name. Let no cache keep an old one.")
        case .chainIncomplete(let missing, let place):
            CauseText(
                "Your server does not send its intermediate certificate" + (missing.map { " (\($0) is missing)" } ?? "")
                    + "\(words(place)). Browsers fetch it themselves, Apple's crawler cannot.",
                "Install the full chain: leaf and intermediates.")
        case .certificateAtAddress(let fault, let place):
            CauseText("\(why(fault, place)) Whether Apple's crawler meets it is chance.", action(fault))
        case .rootOnly(let apple):
            CauseText(
                "The file is at /apple-app-site-association only. \(words(apple))",
                "Serve it at /.well-known/apple-app-site-association too.")
        case .redirectToNothing(let hop, let target, let status, let addsSlash):
            CauseText(
                "The origin redirects (\(hop)) to \(target), where there is no file (\(status))"
                    + (addsSlash ? ". A rule adds a slash to every path." : "."),
                "Take /.well-known/apple-app-site-association out of the redirect. Deploy the file there if it is missing."
            )
        case .hosting(let fault, let status): CauseText(why(fault, status), action(fault))
        case .notDeployed(let status):
            CauseText(
                "There is no file at the origin (\(status)).", "Deploy it to /.well-known/apple-app-site-association.")
        case .pageInsteadOfFile:
            CauseText(
                "Your server sends an HTML page in place of the file.",
                exemptionFromPages)
        case .webPageInsteadOfFile(let page): CauseText(why(page), action(page.kind))
        case .errorMessageInsteadOfFile(let words):
            CauseText(
                "Your server sends an error message, no association file, with status 200: \(words).",
                "Take /.well-known/apple-app-site-association out of the API's routes, and deploy the file there.")
        case .hostSleeps(let word):
            CauseText(
                "Your server takes the request, but does not answer this machine or Apple's crawler in time "
                    + "(\(words(word))). It sleeps between visits, or is overloaded.",
                "Serve the file from a cache or a static host that does not sleep. Try --max-time 60 to see it wake.")
        case .hostDown(let word):
            CauseText(
                "Your server does not answer this machine or Apple's crawler (\(words(word))). It is down or gone.",
                "Bring it back. If the domain was given up, take it out of the app's entitlements.")
        case .fault(let fault, let place): CauseText(why(fault, place), action(fault))
        case .slow(let milliseconds):
            CauseText(
                "The first byte came after \(seconds(milliseconds)). Apple's crawler gives up after a few seconds.",
                "Serve the file from a cache, or as a static file.")
        case .ipv6Broken(let dead):
            CauseText(
                "No IPv6 address of the domain answers, while IPv4 does: \(words(dead)).",
                "Repair IPv6, or take the AAAA records away. Apple's crawler may try IPv6 first.")
        case .certificateExpiring(let end, let place):
            CauseText("The certificate expires on \(instant(end))\(words(place)).", "Renew it now.")
        case .redirectSameSite(let target, let followed):
            CauseText(
                "The origin redirects to \(target). Apple documents that redirects are not allowed"
                    + (followed ? ", though its CDN followed this one." : "."),
                "Serve the file without a redirect, with status 200.")
        }
    }

    private static func why(_ page: WebPage) -> String {
        let title = page.title.map { " titled '\($0)'" } ?? ""
        let kind =
            switch page.kind {
            case .notFound: ": a not-found page with status 200"
            case .login: ": a login page"
            case .maintenance: ": a maintenance page"
            case .appShell: ": the empty page of a single-page app"
            case nil: ""
            }
        return "Your server sends an HTML page\(title) in place of the file\(kind)."
    }

    private static func action(_ kind: WebPage.Kind?) -> String {
        switch kind {
        case .notFound: "Deploy the file to /.well-known/apple-app-site-association."
        case .login: "Let everybody read /.well-known/apple-app-site-association, without a login."
        case .maintenance: "Take /.well-known/apple-app-site-association out of maintenance mode."
        case .appShell:
            "Exempt /.well-known/apple-app-site-association from the app's catch-all route. Deploy the file there."
        case nil: exemptionFromPages
        }
    }

    private static func words(_ apple: RootAtApple?) -> String {
        switch apple {
        case nil: "Phones that ask the site themselves no longer look there."
        case .sameFile: "Apple's CDN has it, but Apple does not promise to look there."
        case .otherFile: "Apple's CDN has another file."
        case .nothing(let word):
            "Apple's CDN does not have it\(word.map { " (\(words($0)))" } ?? "")."
        case .noAnswer: "Whether Apple's crawler looks there is not documented, and its CDN gave no answer."
        }
    }

    private static let publicAlone = "Take the addresses that are not public out of the A and AAAA records."

    private static let privateAction =
        "Publish the domain on a public address. For an internal host use ?mode=developer or ?mode=managed in the app's "
        + "entitlement."

    private static func lead(_ answers: AddressAnswers) -> String {
        switch answers.good {
        case nil: "The \(answers.asked) addresses of the domain do not give the same file"
        case 0?: "None of the \(answers.asked) addresses of the domain gives the file"
        case let good?:
            "Only \(good) of the \(answers.asked) addresses of the domain \(good == 1 ? "gives" : "give") the file"
        }
    }

    private static func action(_ repair: AddressRepair) -> String {
        switch repair {
        case .deadAddress: "Repair the dead address, or take it out of the records."
        case .ipv6: "Repair IPv6, or take the AAAA records away."
        case .sameFile: "Bring the same file to every server."
        case .fault(let fault): action(fault)
        }
    }

    static func count(_ dead: [GivenAt], _ all: Int) -> String {
        "\(dead.count) of the \(max(all, dead.count)) addresses \(dead.count == 1 ? "does" : "do") not answer"
    }

    /// Behind what was met there: ` at 192.0.2.2 only`, ` at www.example.com, behind the redirect`.
    static func words(_ place: FaultPlace) -> String {
        if let host = place.host { return ", at \(host) behind the redirect" }
        return place.addresses.isEmpty ? "" : ", at \(place.addresses.listed(upTo: 3)) only"
    }
}

// MARK: - Findings

// Its addresses, what it answers, and to whom.

extension English {
    static func words(_ matter: OriginMatter) -> FindingWords {
        switch matter {
        case .fault(let fault, let place): finding(fault, at: place)
        case .redirect(.home(let target), let domain):
            FindingWords(finding(RedirectFault.home(target)), outOfRedirect(domain))
        case .redirect(.maintenance(let target), let domain):
            FindingWords(
                finding(RedirectFault.maintenance(target)),
                "take that path out of maintenance mode: serve the file at \(domain.wellKnownURL), with status 200")
        case .redirect(let fault, let domain): FindingWords(finding(fault), servedThere(domain))
        case .redirectSameSite(let target, let domain):
            FindingWords(
                "the origin redirects to \(target); Apple documents that redirects are not allowed", servedThere(domain)
            )
        case .status(let answer, let domain): words(answer, domain)
        case .falseEncoding(let encoding):
            FindingWords(
                "the Content-Encoding is '\(encoding)', which is no compression; the body is readable as it is",
                "send no Content-Encoding with a body that is not compressed: clients may refuse what they cannot undo")
        case .contentType(let type, _, let holdsFile, let protection): words(type: type, holdsFile, protection)
        case .notPublic(let addresses, let all, let domain): words(notPublic: addresses, of: all, domain)
        case .addressesUnreachable(let dead, let all, let othersAnswer, let domain):
            FindingWords(
                "\(dead.count) of the \(all) addresses of \(domain) \(dead.count == 1 ? "does" : "do") not answer"
                    + "\(othersAnswer ? ", while others do" : ""): \(reasons(dead))",
                "repair the server at that address, or take the address out of the domain's records")
        case .ipv6Broken(let dead, let domain):
            FindingWords(
                "no IPv6 address of \(domain) answers, while IPv4 does: \(reasons(dead))",
                "repair IPv6 on the server and its firewall, or take the AAAA records away; Apple's crawler may try IPv6 "
                    + "first and report a time-out")
        case .ipv6Unchecked(let addresses):
            FindingWords(
                "the IPv6 addresses (\(addresses.listed(upTo: 2))) were not checked: this machine reaches nobody over IPv6",
                "run the check from a machine with IPv6, or name a vantage that has it")
        case .ipv4Unchecked(let addresses):
            FindingWords(
                "the IPv4 addresses (\(addresses.listed(upTo: 2))) were not checked: this machine reaches nobody over IPv4",
                "run the check from a machine with IPv4, or name a vantage that has it")
        case .stalls(let stalled):
            FindingWords(
                "one request of this check was answered, another to the same address was not: \(reasons(stalled))",
                "see the server's load, and its limits on connections from one client")
        case .singleFamily(let family, let domain):
            FindingWords(
                "\(domain) has IPv\(family) addresses only",
                family == 4
                    ? "nothing needs to be done; it rules out a broken IPv6 address"
                    : "publish an IPv4 address too: not every network that fetches the file has IPv6")
        case .addressesDiffer(let groups, let domain):
            FindingWords(
                (groups.areVersions
                    ? "the origin \(versions(groups.map(\.given)))" : "the addresses of \(domain) do not answer alike")
                    + ": \(told(groups))",
                "bring the same file to every server behind the name, or take those that must not answer out of its "
                    + "records", evidence(groups))
        case .addressAnswersDifferently(let groups, let domain):
            FindingWords(
                (groups.areVersions
                    ? "the origin \(versions(groups.map(\.given)))"
                    : "one address of \(domain) answered two requests differently") + ": \(told(groups))",
                "bring the same file to every server that stands behind that address, and let no cache in between keep an "
                    + "old one", evidence(groups))
        case .formattingsDiffer(let groups, let domain):
            FindingWords(
                "the addresses of \(domain) serve the file in \(groups.count) formattings that mean the same",
                "nothing needs to be done, if it is meant",
                ["groups": groups.prefix(6).map { places($0).listed(upTo: 8) }.joined(separator: " | ")])
        case .alternates(let files, let changes, let checks):
            FindingWords(
                "the origin served \(files) files in turn: \(changes) changes back and forth within the last \(checks) "
                    + "checks",
                "bring the same file to every server behind the name, and let no cache in between keep an old one")
        case .certificateExpiring(let end, let left):
            FindingWords(
                "the certificate expires in \(age(left)), on \(end.rfc3339)",
                "renew it now; Apple's crawler refuses an expired certificate")
        case .chainExpiring(let end, let left, let name):
            FindingWords(
                "an intermediate certificate expires in \(age(left)), on \(end.rfc3339): \(name)",
                "install the chain that the authority hands out now, and renew the certificate if it still leads there")
        case .chainExpired(let end, let name):
            FindingWords(
                "the server sends an intermediate certificate that expired on \(end.rfc3339): \(name); this machine did not "
                    + "need it", "install the chain that the authority hands out now")
        case .crawlerRefused(let refusals): words(refusals)
        case .agentDiffers(let others, let plain):
            FindingWords(
                "the origin \(versions(others.map(\.given) + [plain])): it \(words(others))",
                "serve the same file to every user agent: Apple's CDN takes the one that AASA-Bot gets",
                Dictionary(others.map { ($0.agent.rawValue, words($0.given)) } + [("plain", words(plain))]) { $1 })
        case .rateLimited(let busy, let all, let statuses):
            words(busy: busy, of: all, statuses.map(String.init).joined(separator: " and "))
        case .vantageDiffers(let fault, let given, let here, let domain): words(fault, given, here, domain)
        case .rootCopyDiffers:
            FindingWords(
                "the file at /apple-app-site-association is another one than at /.well-known/: which of them counts "
                    + "depends on who reads", "serve the same file at both places, or remove the one at the root")
        case .rootOnly(let domain):
            FindingWords(
                "the file is at /apple-app-site-association only: devices since iOS 9.3 ask /.well-known/ first, and "
                    + "developer mode and newer systems ask nowhere else", "serve it at \(domain.wellKnownURL) too")
        }
    }

    private static let exemption = "exempt the file's path from challenges and bot protection, for every client"

    private static func servedThere(_ domain: Domain) -> String {
        "serve the file at \(domain.wellKnownURL) itself, with status 200"
    }

    /// `192.0.2.2 refuses connections and 6 more`.
    private static func reasons(_ dead: [GivenAt]) -> String { dead.map(words).listed(upTo: 3) }

    // MARK: - Addresses

    private static func words(
        notPublic addresses: [ResolvedAddress], of all: Int, _ domain: Domain
    ) -> FindingWords {
        let shown = addresses.map { "\($0.address) (\(words($0.scope)))" }
        let those = shown.listed(upTo: 3)
        let evidence = ["addresses": shown.joined(separator: ", ")]
        return addresses.count == all
            ? FindingWords(
                "from here \(domain) leads to \(those); Apple's CDN refuses to ask such addresses",
                "publish the domain on a public address; an internal host needs ?mode=developer or ?mode=managed in the "
                    + "app's entitlement", evidence)
            : FindingWords(
                "from here \(addresses.count) of the \(all) addresses of \(domain) are not public: \(those); Apple's CDN "
                    + "refuses to ask those",
                "take the addresses that are not public out of the domain's A and AAAA records", evidence)
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

    private static func told(_ groups: [GivenAt]) -> String {
        groups.prefix(3).map(words).joined(separator: "; ")
    }

    private static func evidence(_ groups: [GivenAt]) -> [String: String] {
        var evidence: [String: String] = [:]
        for (index, group) in groups.prefix(6).enumerated() {
            evidence["group_\(index + 1)"] = "\(places(group).joined(separator: ", ")): \(words(group.given))"
        }
        return evidence
    }

    // MARK: - Statuses

    private static func words(_ answer: StatusAnswer, _ domain: Domain) -> FindingWords {
        let sign = answer.protection.map { words($0) } ?? answer.hosting.flatMap { words($0) }
        var message =
            "the \(answer.isElsewhere ? "server" : "origin") answers with status \(answer.status) instead of 200"
        if let target = answer.target { message = "behind the redirect to \(target): \(message)" }
        if let address = answer.address { message += " at \(address)" }
        if let sign { message += ": \(sign)" }
        if answer.demandsClientCertificate { message += ": it demands a client certificate" }
        return FindingWords(message, fix(answer, domain))
    }

    private static func fix(_ answer: StatusAnswer, _ domain: Domain) -> String {
        if answer.protection != nil { return exemption }
        if answer.demandsClientCertificate { return "let every client read the file without a certificate of its own" }
        // Behind a redirect the fault is the redirect: what its target lacks is not to be put there.
        switch answer.isElsewhere || answer.target != nil ? nil : answer.hosting?.meaning {
        case .unknownSite:
            return "add the domain to the site at its host, or point its DNS records to where the site is"
        case .stopped: return "switch the site on again at its host"
        case .failing: return "see the log of the site's program at its host"
        case .missingOrPrivate:
            return "upload the file to .well-known/apple-app-site-association, and let everybody read it"
        case .missing, .dotFolderDropped, nil: break
        }
        if case .behindCloudflare = answer.fault { return "repair the server behind Cloudflare, or the way to it" }
        switch answer.status {
        case 401:
            return
                "let every client in the world read the file, without a login; for a staging host use ?mode=developer in "
                + "the app's entitlement"
        case 403, 405, 406, 451:
            return "let every client in the world read the file: no login, no firewall rule, no geo rule"
        case 404, 410:
            return answer.isElsewhere || answer.target != nil
                ? outOfRedirect(domain)
                : "deploy the file to /.well-known/apple-app-site-association, without extension; some hosts drop folders "
                    + "whose names begin with a dot"
        case 429: return "exempt the file from rate limits"
        case 500...: return "see the server's error log"
        default: return "answer with status 200 and the file"
        }
    }

    private static func outOfRedirect(_ domain: Domain) -> String {
        "serve the file at \(domain.wellKnownURL) itself: take that path out of the redirect, and deploy the file there if "
            + "it is missing"
    }

    /// `a challenge of Cloudflare (cf-mitigated: challenge)`.
    private static func words(_ protection: BotProtection) -> String {
        switch protection.kind {
        case .challenge: "a challenge of \(protection.vendor.rawValue) (\(protection.sign))"
        case .refusal: "a refusal of \(protection.vendor.rawValue) (\(protection.sign))"
        }
    }

    /// `Amazon S3 says 'AccessDenied'`.
    private static func words(_ fault: HostingFault) -> String? {
        fault.word.map { "\(fault.platform.rawValue) says '\($0)'" }
    }

    private static func words(type: String, _ holdsFile: Bool, _ protection: BotProtection?) -> FindingWords {
        let sign = protection.map { ": \(words($0))" } ?? ""
        let message =
            type.isEmpty
            ? "the file has no Content-Type" : "the Content-Type is \(type) instead of application/json\(sign)"
        if protection != nil { return FindingWords(message, exemption) }
        return FindingWords(
            message,
            holdsFile
                ? "send Content-Type: application/json"
                : "exempt the file's path from the catch-all route, the login or the challenge page, and deploy the file there"
        )
    }

    private static func words(busy: Int, of all: Int, _ statuses: String) -> FindingWords {
        FindingWords(
            "\(busy) of this check's \(all) requests got status \(statuses): the server limits how often it is asked, or "
                + "was in trouble for a moment",
            "nothing needs to be done, unless Apple's crawler reports the same; then take the file out of the limit",
            ["status": statuses, "requests": "\(busy) of \(all)"])
    }

    // MARK: - Apple's agents and other places

    private static func words(_ refusals: AgentRefusals) -> FindingWords {
        let isPart = !refusals.addresses.isEmpty
        let those = refusals.addresses.listed(upTo: 3)
        var evidence = ["plain": words(refusals.plain)]
        for refused in refusals.agents {
            evidence[refused.agent.rawValue] = words(refused.given) + (isPart ? " (at \(those) only)" : "")
        }
        let lead = isPart ? "at \(those) only (\(refusals.addresses.count) of \(refusals.tried) addresses tried): " : ""
        let names = refusals.agents.map(\.agent.shortName).joined(separator: " and ")
        let sign = refusals.protection.map { ": \(words($0))" } ?? ""
        return FindingWords(
            "\(lead)for the user agent \(names) the origin \(words(refusals.first))\(sign), while this program gets the file "
                + "at the same address",
            "let every user agent read the file, AASA-Bot and CFNetwork above all: exempt its path from bot protection and "
                + "challenges", evidence)
    }

    private static func words(
        _ fault: VantageFault, _ seen: [GivenAt], _ here: Given, _ domain: Domain
    ) -> FindingWords {
        var evidence = ["here": words(here)]
        var told: [String] = []
        for (index, group) in seen.enumerated() {
            let words = words(group.given, isOther: fault == .otherFile || fault == .applesFile) + addition(fault)
            if index < 8 { evidence["vantage_\(index + 1)"] = "\(group.places.joined()): \(words)" }
            told.append("from \(group.places.joined()) it \(words)")
        }
        let lead =
            fault.isVersion
            ? "the origin \(versions(seen.map(\.given), here: 1)): this machine gets one, and "
            : "the origin gives this machine the file, but "
        return FindingWords(lead + told.listed(upTo: 3), fix(fault, domain), evidence)
    }

    private static func addition(_ fault: VantageFault) -> String {
        switch fault {
        case .absent: ": there is no file"
        case .applesFile: ", the one that Apple's CDN has"
        default: ""
        }
    }

    private static func fix(_ fault: VantageFault, _ domain: Domain) -> String {
        switch fault {
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

extension StatusAnswer {
    fileprivate var demandsClientCertificate: Bool {
        if case .handshake(.clientCertificate) = fault { true } else { false }
    }
}

extension AgentLook.Agent {
    /// As rules of firewalls name it.
    var shortName: String {
        switch self {
        case .crawler: "AASA-Bot"
        case .device: "CFNetwork"
        }
    }
}

extension CertificateProblem {
    var words: String { rawValue.replacing("_", with: " ") }
}

extension [String] {
    /// The first few in a sentence: `a, b and 6 more`.
    func listed(upTo limit: Int = 4) -> String {
        count <= limit ? joined(separator: ", ") : prefix(limit).joined(separator: ", ") + " and \(count - limit) more"
    }
}
