// Apple's copy and its CDN, and that all is well.

import Facts
import Foundation

// MARK: - Causes

extension English {
    static func words(_ cause: CopyCause) -> CauseText {
        switch cause {
        case .edgesWithoutCopy(let missing, let all, let reasons):
            CauseText(
                "\(missing) of Apple's \(all) edges \(missing == 1 ? "has" : "have") no copy (\(words(reasons))).",
                actions(reasons))
        case .edgesCatchingUp(let inSync, let all, let lag):
            CauseText(
                "The file changed \(age(lag)) ago, and \(inSync) of Apple's \(all) edges \(inSync == 1 ? "serves" : "serve") "
                    + "it already.", "Wait. Nothing needs to be done.")
        case .edgesDiffer(let tally, let lag):
            CauseText(
                "Apple's edges disagree: \(tally.inSync) of \(tally.asked) \(tally.inSync == 1 ? "serves" : "serve") the "
                    + "origin's file" + (lag.map { ", \(age($0)) after the change." } ?? "."),
                (lag == nil ? "Wait a day if the file was just changed. Then look" : "Look")
                    + " for a server that still serves another file, and report it to Apple.")
        case .edgeTrouble(let count, let all, let fault):
            CauseText(
                "\(count) of Apple's \(all) edges \(count == 1 ? "is" : "are") in trouble: \(words(fault)).",
                action(fault))
        case .missing:
            CauseText(
                "Apple's CDN has no copy and gives no reason.",
                "Wait a day if the file is new. Then look for a firewall that refuses AASA-Bot, and report it to Apple."
            )
        case .failsBesideCopy(let word, let trouble):
            CauseText(
                "Apple's crawler failed when it asked last (\(words(word))). Apple's CDN still serves a copy.",
                action(trouble))
        case .lacksService(let service, let app, let lag):
            CauseText(
                "Apple's copy lacks "
                    + (app.map { "\($0) in \(service)" } ?? "the service \(service)") + ": \(consequence(service)). "
                    + since(lag), wait(lag))
        case .hasOtherApp(let old, let new, let lag):
            CauseText("Apple's copy names the app \(old) in place of \(new). \(since(lag))", wait(lag))
        case .stale(let lag):
            CauseText(
                "Apple's CDN still serves the old file, \(age(lag)) after the change.",
                // What its operator wants to know earlier than Apple promises is no matter of waiting alone.
                lag < 86_400 ? "Make sure that AASA-Bot can fetch the new file." : wait(lag))
        case .propagating(let lag):
            CauseText(
                "The file changed \(age(lag)) ago, and Apple's CDN still serves the old one.",
                "Wait. Nothing needs to be done.")
        case .badCopy:
            CauseText(
                "Apple's CDN serves something that is no apple-app-site-association file.",
                "See what your server sends to the user agent AASA-Bot. Make sure that nothing between here and Apple's CDN "
                    + "answers in its place.")
        case .divergent:
            CauseText(
                "Apple's CDN serves another file than the origin, and it is not known since when.",
                "Wait a day if the file was just changed. Then look for a rule by country or user agent, an A/B test, or a "
                    + "server with the other file.")
        case .unreachable(let fault, let cause?):
            CauseText(
                lack(cause).map { "The origin is fine. \($0)" }
                    ?? "The origin is fine, but Apple's CDN says nothing: \(words(fault)).", action(ofLack: cause))
        case .unreachable(let fault, nil):
            CauseText("The origin is fine, but Apple's CDN says nothing: \(words(fault)).", action(fault))
        case .inSyncInternational:
            CauseText(
                "The origin's file is valid, and Apple's CDN serves the same.",
                "Look at the device if links still fail: some iOS versions do not open internationalised names.")
        case .inSync: CauseText("The origin's file is valid, and Apple's CDN serves the same.")
        case .otherMode(let mode):
            CauseText(
                "The origin's file is valid. Phones in \(mode.rawValue) mode read it there, not from Apple's CDN.")
        case .originFine: CauseText("The origin's file is valid.")
        }
    }

    /// What this machine lacks, where that can be said without a word about the site.
    private static func lack(_ cause: MonitorCause) -> String? {
        switch cause {
        case .nameServerFailed(_, nil), .clockIsWrong, .noFamily: words(cause).why
        default: nil
        }
    }

    /// The same to do as for the site, of which something may be known.
    private static func action(ofLack cause: MonitorCause) -> String {
        (words(cause).action ?? "").replacing(" Nothing is known of the site.", with: "")
    }

    private static func consequence(_ service: String) -> String {
        switch service {
        case "webcredentials": "passkeys and password AutoFill fail"
        case "appclips": "App Clips do not open"
        case "activitycontinuation": "Handoff does not work"
        default: "links open the website"
        }
    }

    private static func since(_ lag: Int?) -> String {
        lag.map { "The file changed \(age($0)) ago." } ?? "It is not known since when."
    }

    /// What to do about an old copy, by how old it is.
    private static func wait(_ lag: Int?) -> String {
        switch lag {
        case nil: "Wait a day if the file was just changed. Then make sure that AASA-Bot can fetch it."
        case let lag? where lag < 86_400: "Wait. Nothing needs to be done."
        case let lag? where lag <= 7 * 86_400:
            "Make sure that AASA-Bot can fetch the new file. Report it to Apple if the copy is still old after a week."
        default: "Report it to Apple with this evidence. Make sure that AASA-Bot can fetch the new file."
        }
    }

    private static func words(_ fault: CDNFault) -> String {
        switch fault {
        case .failed(let kind, let phase):
            switch kind {
            case .nameNotFound: "its name does not resolve here"
            case .noIPv4Address: "it has no IPv4 address here"
            case .noIPv6Address: "it has no IPv6 address here"
            case .certificate: "its certificate is refused here (is a proxy reading the traffic?)"
            case .proxy: "the proxy failed"
            case .own: "the request could not be made"
            default: "it \(words(kind, phase))"
            }
        case .cutShort: "the answer is cut short"
        case .rateLimited: "too many requests from this machine (status 429)"
        case .ownTrouble(let status, _): "an outage (status \(status))"
        case .notApple(let status): "another server answers in its place (status \(status))"
        }
    }

    private static func action(_ fault: CDNFault) -> String {
        switch fault {
        case .failed(let kind, let phase): action(kind, phase)
        case .cutShort: "Look again in 5 min. If it stays so, look for a proxy that cuts answers."
        case .rateLimited(let pause):
            "Check less often from this address, and look again in \(age(pause)). Nothing needs to be done at the site."
        case .ownTrouble(_, let pause):
            "Look again in \(age(pause)). Nothing needs to be done at the site. Report it to Apple if it lasts for hours."
        case .notApple: "Look for a proxy, a filter or a login page between this machine and Apple's CDN."
        }
    }

    private static func action(_ kind: Failure.Kind, _ phase: Failure.Phase) -> String {
        switch kind {
        case .nameNotFound, .noAddress, .nameServerFailure, .noNameServer: "Repair this machine's DNS."
        case .certificate, .tlsHandshake, .tlsVersion:
            "Exempt Apple's CDN from what reads the network's traffic, or name its authority (--cacert, network.ca_file)."
        case .noIPv4Address, .noIPv6Address: "Ask without -4 or -6."
        // It took the connection, so that nothing on the way is to be opened.
        case .timedOut where phase == .waiting || phase == .receiving:
            "Look again in 5 min. Nothing needs to be done at the site."
        case .proxy, .own: "Check the proxy and the trust store that this machine uses."
        default: "Let this machine reach Apple's CDN over HTTPS (firewall, proxy, route)."
        }
    }
}

// MARK: - Findings

extension English {
    static func words(_ matter: CDNMatter) -> FindingWords {
        switch matter {
        case .unreachable(let fault, let host, let detail, nil):
            FindingWords("Apple's CDN \(trouble(fault, detail))", fix(fault, host))
        case .unreachable(let fault, _, let detail, let cause?):
            FindingWords(
                "Apple's CDN " + (lack(cause).map { "could not be asked: \(clause($0))" } ?? trouble(fault, detail)),
                "\(clause(action(ofLack: cause))); phones may still reach it")
        case .stale(let lag):
            FindingWords(
                "Apple's CDN still serves the old file, \(age(lag)) after the origin changed",
                "the CDN cannot be purged: make sure that Apple's crawler gets the new file (no firewall, no redirect, a "
                    + "good certificate), then report it to Apple with this evidence")
        case .propagating(let lag):
            FindingWords(
                "the origin changed \(age(lag)) ago; Apple's CDN does not serve the new file yet",
                "wait; Apple asks for a changed file within about 24 hours")
        case .divergent:
            FindingWords(
                "Apple's CDN serves another file than the origin, and it is not known since when",
                "if the file was changed less than a day ago, wait; if not, find out whether Apple's crawler is served "
                    + "another variant (geo rule, A/B test, several servers)")
        case .formattingDiffers:
            FindingWords(
                "Apple's copy differs from the origin's in formatting only; it means the same",
                "nothing needs to be done")
        case .crawlerFails(let word, let trouble, let seconds, let places):
            FindingWords(
                "Apple's CDN has no copy; its crawler says: \(both(word))\(words(places))",
                fix(trouble)
                    + (seconds.map { "; this edge asks again in about \(age(min(max(60, $0), 86_400)))" } ?? ""))
        case .crawlerFailsBesideCopy(let word, let trouble, let places):
            FindingWords(
                "Apple's CDN serves a copy, and says that its crawler failed: \(both(word))\(words(places))",
                "\(fix(trouble)); how long Apple keeps the copy is unknown")
        case .missing(let status, let places):
            FindingWords(
                "Apple's CDN has no copy (status \(status)) and gives no reason\(words(places))",
                "Apple asks for a new file within 24 hours; if the copy stays away, look for a firewall that refuses the "
                    + "user agent AASA-Bot")
        case .badCopy(let places):
            FindingWords(
                "what Apple's CDN serves is no apple-app-site-association file\(words(places))",
                "make sure that nothing between here and Apple's CDN answers in its place; then look at what the origin "
                    + "serves to the user agent AASA-Bot")
        case .edgesDiffer(let groups, let all, let isPropagating): words(groups, of: all, isPropagating)
        case .edgesInTrouble(let fault, let places, let addresses, let host):
            FindingWords(
                "\(places.edges.count) of Apple's \(places.all) edges "
                    + "\(places.edges.count == 1 ? trouble(fault, nil) : troubleOfSeveral(fault)): \(words(places.edges))",
                fix(fault, host),
                [
                    "errors": addresses.map { "\($0): \(trouble(fault, nil))".shortened(to: 200) }
                        .joined(separator: "; ")
                ])
        case .edgesSilent(let dead, let all):
            FindingWords(
                "\(dead.count) of Apple's \(all) edges could not be asked from here: \(dead.map(words).listed(upTo: 2))",
                "check this machine's way to them, IPv6 above all; phones may still reach them")
        }
    }

    // MARK: - Edges

    private static func words(_ places: EdgePlaces?) -> String {
        places.map { ", at \($0.edges.count) of \($0.all) edges (\(words($0.edges)))" } ?? ""
    }

    private static func words(_ groups: [EdgeGroup], of all: Int, _ isPropagating: Bool) -> FindingWords {
        var evidence: [String: String] = [:]
        for (index, group) in groups.prefix(6).enumerated() {
            evidence["group_\(index + 1)"] = "\(words(group.held)): \(group.places.joined(separator: ", "))"
        }
        var told = groups.prefix(3).enumerated().map { index, group in
            "\(group.places.count) of \(all) \(words(group.held))"
                + (index == 0 ? "" : " (\(group.places.listed(upTo: 2)))")
        }
        if groups.count > 3 { told.append("and \(groups.count - 3) more versions") }
        return FindingWords(
            "Apple's edges disagree: \(told.joined(separator: "; "))",
            isPropagating
                ? "wait; each edge asks again by itself, within about 24 hours"
                : "a phone meets any of them: wait a day if the file was just changed; if they still disagree then, report "
                    + "it to Apple with this evidence", evidence)
    }

    private static func words(_ held: EdgeGroup.Held) -> String {
        switch held {
        case .originFile(let hash): "serve the origin's file (SHA-256 \(hash)…)"
        case .otherFile(let hash): "serve another file (SHA-256 \(hash)…)"
        case .noFile: "serve something that is no such file"
        case .nothing(let codes): "have no copy" + (codes.isEmpty ? "" : ", \(codes.listed(upTo: 3))")
        }
    }

    private static func clause(_ text: String) -> String { FindingWords(CauseText(text)).message }

    // MARK: - The CDN's own trouble

    /// As the end of a sentence about one edge, or about the whole CDN.
    private static func trouble(_ fault: CDNFault, _ detail: String?) -> String {
        switch fault {
        case .failed(let kind, _): "could not be asked: \(reason(kind, detail))"
        case .cutShort: "did not send the whole file"
        case .rateLimited: "has had enough of this machine's requests (status 429)"
        case .ownTrouble(let status, _): "is in trouble itself (status \(status))"
        case .notApple(let status): "is not what answers here (status \(status))"
        }
    }

    private static func troubleOfSeveral(_ fault: CDNFault) -> String {
        switch fault {
        case .failed, .cutShort: trouble(fault, nil)
        case .rateLimited: "have had enough of this machine's requests (status 429)"
        case .ownTrouble(let status, _): "are in trouble themselves (status \(status))"
        case .notApple(let status): "are not what answers here (status \(status))"
        }
    }

    private static func reason(_ kind: Failure.Kind, _ detail: String?) -> String {
        switch kind {
        case .nameNotFound, .noAddress: "its name does not resolve here"
        case .nameServerFailure: "the name server of this machine could not resolve it"
        case .noNameServer: "no name server answers this machine"
        case .noIPv4Address: "it has no IPv4 address here"
        case .noIPv6Address: "it has no IPv6 address here"
        case .timedOut: "no answer in time"
        case .connectionRefused: "the connection was refused"
        case .certificate: "its certificate is refused here (is a proxy reading the traffic?)"
        case .tlsHandshake, .tlsVersion: "the TLS handshake failed"
        default: detail ?? "it \(words(kind, .connecting))"
        }
    }

    private static func fix(_ fault: CDNFault, _ name: String) -> String {
        let host = name.isEmpty ? "Apple's CDN" : name
        return switch fault {
        case .failed(let kind, let phase): "\(fix(kind, phase, host)); phones may still reach it"
        case .cutShort:
            "look again in about 5 min; if it stays so, look for a proxy between here and \(host) that cuts answers"
        case .rateLimited(let pause):
            "nothing to do at the site: check less often from this address, and look again in about \(age(pause)); phones "
                + "ask from addresses of their own"
        case .ownTrouble(_, let pause):
            "nothing to do at the site: look again in about \(age(pause)); if it lasts for hours, see Apple's system "
                + "status page, and report it to Apple"
        case .notApple:
            "look for a proxy, a filter or a login page between this machine and \(host), and ask again from another "
                + "network; phones may still reach Apple's CDN"
        }
    }

    private static func fix(_ kind: Failure.Kind, _ phase: Failure.Phase, _ host: String) -> String {
        switch kind {
        case .nameNotFound, .noAddress, .nameServerFailure, .noNameServer:
            "repair this machine's DNS, so that \(host) resolves"
        case .certificate, .tlsHandshake, .tlsVersion:
            "exempt \(host) from TLS inspection in this network, or name the inspecting authority (--cacert, network.ca_file)"
        case .noIPv4Address, .noIPv6Address: "ask without -4 or -6: \(host) has no address of that kind here"
        // It took the connection, so that nothing on the way is to be opened.
        case .timedOut where phase == .waiting || phase == .receiving:
            "nothing to do at the site: look again in about 5 min"
        case .proxy, .own: "check the proxy and the trust store that this machine uses"
        default: "let this machine reach \(host) over HTTPS (firewall, proxy, route), and look again in about 5 min"
        }
    }

    // MARK: - Apple's failure codes

    private static func fix(_ trouble: CrawlerTrouble) -> String {
        switch trouble {
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
