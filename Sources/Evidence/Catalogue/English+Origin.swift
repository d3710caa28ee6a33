// The origin: names, addresses, what is not there, what fails.

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
                "The addresses of the domain do not answer alike: \(words(answers.groups)). A client meets one or another of them by chance.",
                "Bring the same file to every server behind the name, or take servers out of its records.")
        case .addressAnswersDifferently(let address, let answers):
            CauseText(
                "The address \(address) answered two requests differently: \(words(answers.groups)).",
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
        case .hostSleeps(let word):
            CauseText(
                "Your server takes the request, but does not answer this machine or Apple's crawler in time "
                    + "(\(words(word))). It sleeps between visits, or is overloaded.",
                "Serve the file from a cache or a static host that does not sleep. Try --max-time 60 to see it wake.")
        case .hostDown(let word):
            CauseText(
                "Your server does not answer this machine or Apple's crawler (\(words(word))). It is down or gone.",
                "Bring it back, or take the domain out of the app's entitlements.")
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
