// What phones do now, and until when.

extension English {
    static func text(of effect: Effect) -> String {
        let isAll = effect.phones == .production
        let phones = isAll ? "Phones" : "Phones in \(effect.phones.rawValue) mode"
        let place = isAll ? "" : " on phones in that mode"
        switch effect.links {
        case .work(nil): return "Links work\(place)."
        case .work(let seen?):
            return "Links work, as far as \(seen.edges) of Apple's \(seen.asked) edges show."
        case .followFaultyFile: return "\(phones) follow the file as it is, and it has an error."
        case .followUnexpectedFile: return "\(phones) follow the file as it is, and it is not as expected."
        case .openWebsite(nil): return "Links open the website, not the app\(isAll ? "" : "," + place)."
        case .openWebsite(let at?): return "Links open the website, not the app, on \(share(at))."
        case .followOtherFile(let isOld, let at, let website, let app):
            let file = isOld ? "the old file" : "another file than the origin's"
            let head = "\(phones) follow \(file)" + (at.map { " on \(share($0))" } ?? "")
            if !website.isEmpty {
                return "\(head): \(paths(website)) \(website.count == 1 ? "opens" : "open") the website."
            }
            return app.isEmpty
                ? "\(head)." : "\(head): \(paths(app)) still \(app.count == 1 ? "opens" : "open") the app."
        case .none(let services):
            return "\(phones) get the file, which opens no link. It is for \(services.listed(upTo: 3))."
        case .unknown(.ofManyDomains): return "What phones do differs: each domain's own status says it."
        case .unknown(let reason): return "What phones do is unknown: \(text(of: reason))."
        case .unaffected: return "Phones are not affected."
        case .ofMany(let failure, let domains):
            switch failure {
            case .missing: return "Links of \(domains) domains open the website, not the app."
            case .stale: return "Phones follow the old files of \(domains) domains."
            case .divergent: return "Phones follow other files than those of \(domains) origins."
            case .silent: return "What phones do with \(domains) domains is unknown."
            }
        }
    }

    private static func text(of reason: Effect.Unknown) -> String {
        switch reason {
        case .cdnNotAsked:
            "Apple's CDN was not asked, since it would remember that there is no file (--ask-cdn asks it)"
        case .cdnNotReached: "Apple's CDN gave this machine no answer"
        case .originNotRead: "this machine did not get the file"
        case .addressesDiffer: "the addresses of the server do not answer alike"
        case .localNetwork: "this machine reached nobody"
        case .ofManyDomains: "it differs from domain to domain"
        case .notMonitored: "the domain is no longer monitored"
        case .noFacts: "the store does not say"
        }
    }

    private static func share(_ share: EdgeShare) -> String { "\(share.edges) of Apple's \(share.asked) edges" }

    /// `/trips/a and /help/b`: no more than two.
    private static func paths(_ paths: [String]) -> String {
        paths.prefix(2).map { $0.shortened(to: 60) }.joined(separator: " and ")
    }

    /// `18 h 42 min`: to the minute, and days as `Duration.notation` has them.
    private static func minutes(_ seconds: Int) -> String {
        let minutes = max(1, (seconds + 30) / 60)
        if minutes % 1440 == 0, minutes > 1440 { return "\(minutes / 1440) days" }
        return [(minutes / 60, "h"), (minutes % 60, "min")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            .joined(separator: " ")
    }

    static func text(of outlook: Outlook) -> String {
        switch outlook {
        case .asksAgain(let date): "Apple asks again at about \(instant(date))."
        case .normalUntil(let date):
            "This is normal until \(instant(date)). Phones that have the app follow within a week."
        case .usual(let time):
            "Changes usually take \(minutes(time.median)), and 9 of 10 take \(minutes(time.ninth)) at most."
        case .withinDay: "Apple takes up to 24 h for a change. Phones that have the app follow within a week."
        case .beyondPromise: "Apple documents no time beyond 24 h."
        case .copyMayEnd: "How long Apple keeps its copy is unknown."
        case .atInstall: "Phones in that mode read the origin when the app is installed."
        case .phonesWithinWeek:
            "Phones that have the app follow a change within a week, and at once if it is reinstalled."
        }
    }
}
