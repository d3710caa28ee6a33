// Phrases that several sentences share, and diagnoses in words. Findings and causes declare their own words.

import Foundation

package enum English {
    /// `Apple's crawler reports "SWCERR00101 Bad HTTP Response: 403 Forbidden"; we see the same.`
    fileprivate static func quote(_ report: AppleReport) -> String {
        "Apple's crawler reports \"\(both(report.word))\"" + (report.detail.map { " (\($0))" } ?? "")
            + (report.here == .same ? "; we see the same." : ".")
    }

    package static func words(_ listing: TruncatedList) -> String {
        listing.names.joined(separator: ", ") + (listing.more > 0 ? " and \(listing.more) more" : "")
    }

    static func age(_ seconds: Int) -> String { TimeInterval(seconds).inWords }

    /// Never negative: an instant computed from an age may be off by a fraction of a second.
    package static func age(since start: Date, _ now: Date) -> String {
        age(Int(max(0, now.timeIntervalSince(start)).rounded()))
    }

    /// `in 6 days, `; empty once it is over.
    static func left(until end: Date, _ now: Date) -> String {
        now < end ? "in \(age(since: now, end)), " : ""
    }

    /// `3 of 12 domains`.
    package static func share(_ domains: Int, of all: Int) -> String {
        "\(domains) of \(all) \(all == 1 ? "domain" : "domains")"
    }

    static func seconds(_ milliseconds: Int) -> String { (Double(milliseconds) / 1000).inWords }

    /// `21 Nov 2026`.
    static func day(_ date: Date) -> String { date.formatted(style.day().month(.abbreviated).year()) }

    /// `21 Nov 15:13 UTC`.
    package static func instant(_ date: Date) -> String { "\(minute(date)) UTC" }

    /// `between 13 Nov 14:33 and 21 Nov 15:13 UTC`.
    package static func between(_ from: Date, _ to: Date) -> String {
        "between \(minute(from)) and \(minute(to)) UTC"
    }

    private static func minute(_ date: Date) -> String {
        let clock = style.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
        return "\(date.formatted(style.day().month(.abbreviated))) \(date.formatted(clock))"
    }

    private static let style = Date.FormatStyle(
        locale: Locale(identifier: "en_GB"), timeZone: TimeZone(secondsFromGMT: 0) ?? .gmt)
}

// MARK: - What phones do now, and until when

extension English {
    /// What phones do now, and what ends that: readers stop at an alert that begins with "Links work.".
    static func text(of effect: Effect, _ risk: Risk?) -> String {
        let now = text(of: effect)
        guard let risk, case .work(let seen) = effect.links else { return now }
        let works = works(effect.service ?? "applinks").atStart
        let end =
            switch risk {
            case .nextFetch: "can break when Apple fetches the file again"
            case .certificateEnds: "can break once the certificate expires"
            }
        return (seen == nil ? "\(works) now, but " : now.dropLast() + ", but ") + end + "."
    }

    /// The effect without example paths, to begin a message. It has only the monitor's own words.
    package static func brief(_ effect: Effect) -> String {
        var effect = effect
        switch effect.links {
        case .followOtherFile(let way, let at, _, _):
            effect.links = .followOtherFile(by: way, at: at, website: [], app: [])
        case .none: return "the file opens no links"
        default: break
        }
        let text = text(of: effect)
        return String(text.midSentence.prefix { $0 != "." })
    }

    static func text(of effect: Effect) -> String {
        let isAll = effect.phones == .production
        let phones = isAll ? "Phones" : "Phones in \(effect.phones.rawValue) mode"
        let place = isAll ? "" : " on phones in \(effect.phones.rawValue) mode"
        let works = works(effect.service ?? "applinks").atStart
        if let service = effect.service {
            let fails = fails(service).atStart
            switch effect.links {
            case .work(nil): return "\(works)\(place)."
            case .openWebsite(nil): return "\(fails)\(place)."
            case .openWebsite(let at?): return "\(fails) on \(share(at))."
            case .followOtherFile(_, let at, _, _):
                return "\(works) for the apps that Apple's copy names\(at.map { " on \(share($0))" } ?? "")."
                    + " The origin's file names other apps for \(service), or none."
            case .unknown(let reason) where reason != .ofManyDomains:
                return "Whether \(self.works(service)) is unknown: \(text(of: reason))."
            default: break
            }
        }
        switch effect.links {
        case .work(nil): return "\(works)\(place)."
        case .work(let seen?):
            return "\(works) on the \(seen.edges) of Apple's \(seen.asked) edges that answered."
        case .followFaultyFile: return "\(phones) use this file, and it has an error."
        case .followUnexpectedFile: return "\(phones) use this file, but it does not meet your expectations."
        case .openWebsite(nil): return "Links open the website, not the app\(isAll ? "" : "," + place)."
        case .openWebsite(let at?): return "Links open the website, not the app, on \(share(at))."
        case .followOtherFile(let way, let at, let website, let app):
            let file =
                switch way {
                case .changed: "the old file"
                case .rolledBack: "the withdrawn file"
                case .wentBack: "an older file"
                case nil: "a different file than the origin's"
                }
            let head = "\(phones) use \(file)" + (at.map { " on \(share($0))" } ?? "")
            if !website.isEmpty {
                return "\(head): \(paths(website)) \(website.count == 1 ? "opens" : "open") the website."
            }
            return app.isEmpty
                ? "\(head)." : "\(head): \(paths(app)) still \(app.count == 1 ? "opens" : "open") the app."
        case .none(let services):
            return "\(phones) get the file, but it opens no links. It only covers \(services.listed(upTo: 3))."
        case .unknown(.ofManyDomains): return "What phones do differs by domain: see the status of each."
        case .unknown(.cdnNotAsked): return "Unknown: \(text(of: Effect.Unknown.cdnNotAsked))."
        case .unknown(let reason): return "What phones do is unknown: \(text(of: reason))."
        case .unaffected: return "Phones are not affected."
        case .ofMany(let failure, let domains):
            switch failure {
            case .missing: return "Links of \(domains) domains open the website, not the app."
            case .stale: return "Phones use the old files of \(domains) domains."
            case .divergent: return "Phones use different files than the origins of \(domains) domains serve."
            case .silent: return "What phones do with \(domains) domains is unknown."
            }
        }
    }

    private static func text(of reason: Effect.Unknown) -> String {
        switch reason {
        case .cdnNotAsked: "we did not ask Apple's CDN, because it would cache the failure"
        case .cdnNotReached: "Apple's CDN gave this machine no answer"
        case .originNotRead: "this machine did not get the file"
        case .addressesDiffer: "the server's addresses give different answers"
        case .localNetwork: "this machine reached no host"
        case .ofManyDomains: "it differs from domain to domain"
        case .notMonitored: "the domain is no longer monitored"
        case .noFacts: "the store has no data about it"
        }
    }

    private static func share(_ share: EdgeShare) -> String { "\(share.edges) of Apple's \(share.asked) edges" }

    /// `/trips/a and /help/b`: at most two.
    private static func paths(_ paths: [String]) -> String {
        paths.prefix(2).map { $0.shortened(to: 60) }.joined(separator: " and ")
    }

    /// `18 h 42 min`, rounded to the minute.
    private static func minutes(_ seconds: Int) -> String { Span.words(TimeInterval(max(60, seconds + 30))) }

    static func text(of outlook: Outlook) -> String {
        switch outlook {
        case .asksAgain(let date): "Apple asks again at about \(instant(date))."
        case .normalUntil(let date):
            "This is normal until \(instant(date)). Phones that have the app pick up the change within a week."
        case .usual(let time):
            "Changes usually take \(minutes(time.median)), and 9 of 10 take \(minutes(time.percentile90)) at most."
        case .beyondUsual(let time):
            "This change takes longer than usual: 9 of 10 took \(minutes(time.percentile90)) at most. Apple documents up to 24 h."
        case .pastLimit(let limit):
            "This is past your limit of \(Span.words(TimeInterval(limit))). Apple documents up to 24 h."
        case .withinDay: "Apple takes up to 24 h for a change. Phones that have the app pick it up within a week."
        case .beyondPromise: "Apple gives no estimate beyond 24 hours."
        case .copyMayEnd: "Apple does not say how long it keeps the copy."
        case .atInstall(let mode): "Phones in \(mode.rawValue) mode read the origin's file when the app is installed."
        case .phonesWithinWeek:
            "Phones that have the app pick up a change within a week, or immediately if it is reinstalled."
        }
    }
}

// MARK: - A diagnosis as people read it

// Four short parts, each a sentence or two.

package struct DiagnosisText: Equatable, Sendable {
    /// What phones do now.
    package var effect: String
    /// Why.
    package var cause: String?
    /// What to do; it begins with a verb.
    package var action: String?
    /// How long it lasts.
    package var outlook: String?

    /// Parts may quote a watched site, so they are cleaned for display and bounded.
    package init(effect: String, cause: String? = nil, action: String? = nil, outlook: String? = nil) {
        self.effect = Self.shown(effect)
        self.cause = cause.map(Self.shown)
        self.action = action.map(Self.shown)
        self.outlook = outlook.map(Self.shown)
    }

    private static func shown(_ part: String) -> String { part.displayable.shortened(to: 500) }

    /// In the order of reading, one line each.
    package var parts: [String] { [effect, cause, action, outlook].compactMap(\.self) }

    package var oneLine: String { parts.joined(separator: " ") }
}

extension Diagnosis {
    /// The diagnosis in words as of an instant.
    package func text(at now: Date) -> DiagnosisText {
        let words = cause.declaration.words(now)
        var (why, action) = (words.why, words.advice)
        // The cause may quote it already.
        if let said, why?.lowercased().contains(said.lowercased()) == false { why? += " Your server says: '\(said)'." }
        if isSeenHereAlone == true {
            why = why.map { "Seen only from this machine: \($0)" }
            action = action.map(English.elsewhereFirst)
        }
        if let fileNeeds {
            action = [action, English.adding(fileNeeds, [])].compactMap(\.self).joined(separator: " ")
        }
        if let fetched = copySinceFailure {
            why = why.map {
                "\($0) Apple's crawler got the file since then: its copy is \(English.age(since: fetched, now)) old."
            }
            if isSeenHereAlone != true { action = action.map(English.elsewhereFirst) }
        }
        if let word, word.here == .otherwise {
            why = why.map { "This machine sees a different problem: \($0)" }
            action = action.map { "\(English.action(word.trouble)) For the problem seen here: \($0.midSentence)" }
        }
        // Apple's words are not repeated if the cause already has them.
        if let word, word.word.reason.isEmpty || why?.contains(word.word.reason) != true {
            why = [English.quote(word), why].compactMap(\.self).joined(separator: " ")
        }
        return DiagnosisText(
            effect: English.text(of: effect, risk), cause: why, action: action, outlook: outlook.map(English.text))
    }
}

extension String {
    /// With a capital, as a sentence begins.
    package var atStart: String { prefix(1).uppercased() + dropFirst() }

    /// Without that capital, as a sentence goes on.
    var midSentence: String { prefix(1).lowercased() + dropFirst() }
}

extension [String] {
    /// The first few in a sentence: `a, b and 6 more`.
    package func listed(upTo limit: Int = 4) -> String {
        count <= limit ? joined(separator: ", ") : prefix(limit).joined(separator: ", ") + " and \(count - limit) more"
    }
}
