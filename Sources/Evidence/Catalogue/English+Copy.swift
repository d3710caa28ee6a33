// Apple's copy, and that all is well.

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
        case .unreachable(let fault):
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
        case .nameNotFound: "Repair this machine's DNS."
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
