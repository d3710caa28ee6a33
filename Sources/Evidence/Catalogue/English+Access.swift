// Who gets the file, and who does not.

extension English {
    static func words(_ cause: AccessCause) -> CauseText {
        switch cause {
        case .challengedHere(let protection, let status, let agent, let place, let copyAge):
            CauseText(
                why(protection, status) + passing(agent, place) + (copyAge.map { " " + fetched($0) } ?? ""),
                copyAge == nil || agent != nil ? action(protection) : letThisMachinePass)
        case .refusedHereOnly(let agent, let here):
            CauseText(
                "Your server refuses this program (it \(words(here))), while the user agent \(agent.shortName) gets the "
                    + "file.", "Let every client read the file, whatever its user agent.")
        case .elsewhereFine(let place, let here):
            CauseText(
                "The file is there from \(place), but this machine does not get it: your server \(words(here)).",
                "Let every address read the file. A rule by address or country may refuse Apple's crawler too.")
        case .turnedAwayHere(let here, let age):
            CauseText(
                "To this machine your server \(words(here)). \(fetched(age)) Most likely this machine alone is turned away.",
                here == .status(429)
                    ? "Check less often from this address, or take the file out of the rate limit." : letThisMachinePass
            )
        case .turnedAwayForLong(let here, let seconds, let age):
            CauseText(
                "To this machine your server \(words(here))\(seconds < 3600 ? "" : ", for \(Self.age(seconds)) now"). "
                    + "Apple's CDN still has the file, but its copy may be old (fetched \(Self.age(age)) ago, as its edge says).",
                actionForLong(here))
        case .agentRefused(let refusal):
            CauseText(
                "A bot or firewall rule treats \(refusal.agent == .crawler ? "Apple's crawler" : "Apple's devices") by user "
                    + "agent: to \(refusal.agent.shortName) your server \(words(refusal)). A plain client gets the file.",
                action(refusal))
        case .agentRefusedAsApple(let refusal, let word):
            CauseText(
                "A bot or firewall rule refuses Apple by its user agent: to \(refusal.agent.shortName) your server "
                    + "\(words(refusal)). Apple's crawler fails too (\(words(word))).", action(refusal))
        case .agentDiffers(let others, let plain):
            CauseText(
                "The origin \(versions(others.map(\.given) + [plain])): it \(words(others)).",
                "Serve the same file to every user agent. Apple's CDN takes the one that AASA-Bot gets.")
        case .vantageRefused(let places, let word):
            CauseText(
                "This machine gets the file, but \(words(places, isOther: false))\(words(word)).",
                "Open this path to every address in every country. A rule by country or address is in the way.")
        case .vantageDiffers(let fault, let places, let word) where fault.isVersion:
            CauseText(
                "The origin \(versions(places.map(\.given), here: 1)): "
                    + words(places, isOther: true) + (fault == .applesFile ? ", the one that Apple's CDN has" : "")
                    + "\(words(word)).", action(fault))
        case .vantageDiffers(let fault, let places, let word):
            CauseText(
                "This machine gets the file, but \(words(places, isOther: false))\(words(word)).", action(fault))
        }
    }

    /// `gives the user agent AASA-Bot another file (SHA-256 0011…) than a plain client`.
    static func words(_ others: [AgentRefusals.Refused]) -> String {
        let names = others.map(\.agent.shortName).joined(separator: " and ")
        let hash = if case .file(let hash)? = others.first?.given { " (SHA-256 \(hash)…)" } else { "" }
        return "gives the user agent\(others.count > 1 ? "s" : "") \(names) another file\(hash) than a plain client"
    }

    private static func fetched(_ age: Int) -> String {
        "Apple's crawler got the file: the copy is \(Self.age(age)) old."
    }

    private static func actionForLong(_ here: Given) -> String {
        switch here {
        case .status(429): "Check less often from this address, or take the file out of the rate limit."
        case .clientCertificate: action(.handshake(.clientCertificate))
        default: "Let every client in the world read the file: no login, no firewall rule, no geo rule."
        }
    }

    private static let letThisMachinePass =
        "Let this machine's address pass, or check from another network."

    private static func words(_ refusal: AgentRefusal) -> String {
        words(refusal.given)
            + (refusal.addresses.isEmpty ? "" : " (at \(refusal.addresses.listed(upTo: 3)) only)")
    }

    private static func action(_ refusal: AgentRefusal) -> String {
        "Allow the user agents AASA-Bot and CFNetwork through the firewall and bot protection."
            + (refusal.isCloudflare ? " In Cloudflare add a skip rule for this path, Bot Fight Mode included." : "")
    }

    private static func words(_ places: [GivenAt], isOther: Bool) -> String {
        places.map { "from \($0.places.listed(upTo: 2)) your server \(words($0.given, isOther: isOther))" }.listed(
            upTo: 3)
    }

    /// What Apple's crawler says besides.
    private static func words(_ word: AppleWord?) -> String {
        word.map { ". Apple's crawler fails too (\(words($0)))" } ?? ""
    }

    private static func action(_ fault: VantageFault) -> String {
        switch fault {
        case .refused, .unreachable, .page: "Open this path to every address in every country."
        case .rateLimited: "Exempt the file from rate limits, for every address."
        case .certificate:
            "Install the same certificate, with its chain, on every server. If it is of that place's own network, that "
                + "network opens TLS."
        case .handshake: "Let every server of the domain speak TLS 1.2 and 1.3."
        case .noSuchName: "Let the name servers give every place in the world the same addresses."
        case .privateAddress: "Let the name and its redirects lead to public addresses, wherever they are asked from."
        case .absent: "Deploy the file to every server of the domain: the one that answers there has none."
        case .redirect: "Serve the file itself there too: no redirect by country, language or address."
        case .serverTrouble: "See the error log of the server that answers there. It may be another one than here."
        case .partial: "See what cuts the answer short on the way there, and the error log of that server."
        case .otherFile, .applesFile:
            "Bring the same file to every server, and purge the caches that stand before them."
        }
    }
}
