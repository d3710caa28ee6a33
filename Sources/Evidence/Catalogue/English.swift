// The English catalogue, a file for each area, for its causes and its findings. It alone has sentences of diagnoses; style: words.md.

import Facts
import Foundation

package enum English {
    /// `findings`: those of the same check. Some causes are the words of one of them.
    package static func text(of diagnosis: Diagnosis, findings: [Finding]) -> DiagnosisText {
        let words = words(diagnosis.cause, findings)
        let isUntested = findings.contains { $0.counterevidence == .untested }
        var (why, action) = (words.why, words.action)
        if case .origin = diagnosis.cause, isUntested {
            why = why.map { "Seen from this machine alone: \($0)" }
            action = action.map { "Look from another machine or network first. If it is so there too: \($0)" }
        }
        // What a cause says in Apple's words is not said twice.
        if let report = diagnosis.word, report.word.reason.isEmpty || why?.contains(report.word.reason) != true {
            why = [quote(report), why].compactMap(\.self).joined(separator: " ")
        }
        return DiagnosisText(
            effect: text(of: diagnosis.effect), cause: why, action: action,
            outlook: diagnosis.outlook.map(text))
    }

    /// `Apple's crawler reports "SWCERR00101 Bad HTTP Response: 403 Forbidden", and it is so here.`
    private static func quote(_ report: AppleReport) -> String {
        "Apple's crawler reports \"\(both(report.word))\"\(report.isSoHere ? ", and it is so here" : "")."
    }

    static func words(_ cause: Cause, _ findings: [Finding]) -> CauseText {
        switch cause {
        case .origin(let cause): words(cause)
        case .access(let cause): words(cause)
        case .crawler(let cause): words(cause)
        case .copy(let cause): words(cause)
        case .file(let cause): words(cause, findings)
        case .monitor(let cause): words(cause)
        }
    }

    // MARK: - Words of several areas

    /// What was given, as the end of a sentence about who gives it.
    static func words(_ given: Given, isOther: Bool = false) -> String {
        switch given {
        case .file(let hash): "serves \(isOther ? "another" : "a") file (SHA-256 \(hash)…)"
        case .page: "serves an HTML page in place of the file"
        case .noFile: "serves something that is no such file"
        case .partial: "does not send the whole file"
        case .redirect(let target): target.isEmpty ? "redirects without saying where to" : "redirects to \(target)"
        case .status(let status): "answers with status \(status)"
        case .clientCertificate(let status): "answers with status \(status) and demands a client certificate"
        case .certificate(let problem): "shows a certificate that is refused" + (problem.map { " (\($0.words))" } ?? "")
        case .failed(let kind, let phase): words(kind, phase)
        }
    }

    /// `serves two versions of the file`. `here`: so many besides.
    static func versions(_ given: [Given], here: Int = 0) -> String {
        var known: [Given] = []
        for one in given where !known.contains(one) { known.append(one) }
        let count = max(2, known.count + here)
        return "serves \(count == 2 ? "two" : count == 3 ? "three" : "\(count)") versions of the file"
    }

    /// A failure, as the end of a sentence about the server.
    static func words(_ kind: Failure.Kind, _ phase: Failure.Phase) -> String {
        switch kind {
        case .nameNotFound: "has a name that does not resolve"
        case .noIPv4Address: "has no IPv4 address"
        case .noIPv6Address: "has no IPv6 address"
        case .connectionRefused: "refuses connections"
        case .unreachable: "cannot be reached (no route)"
        case .timedOut:
            switch phase {
            case .resolving: "has name servers that do not answer in time"
            case .connecting: "does not take the connection in time"
            case .handshaking: "does not finish the TLS handshake in time"
            case .waiting: "takes the request and does not answer in time"
            case .receiving: "does not finish the headers of its answer in time"
            }
        case .connectionReset:
            phase == .receiving ? "breaks off in the headers of its answer" : "ends the connection without an answer"
        case .truncated: "breaks off in the headers of its answer"
        case .tlsHandshake: "fails the TLS handshake"
        case .tlsVersion: "offers only TLS versions that are too old"
        case .certificate: "shows a certificate that is refused"
        case .headersTooLarge: "sends headers without end"
        case .malformedAnswer: "answers with something that is no HTTP"
        case .badEncoding: "sends a body that cannot be decompressed"
        case .privateAddress: "leads to a private or reserved address"
        case .noAddress: "has no address"
        case .nameServerFailure, .noNameServer: "could not be asked, since no name server gave its address"
        case .proxy: "could not be asked, since the proxy failed"
        case .own: "could not be asked from here"
        }
    }

    /// `192.0.2.2 refuses connections, 192.0.2.3 answers with status 404`.
    static func words(_ groups: [GivenAt]) -> String {
        groups.map(words).listed(upTo: 4)
    }

    static func words(_ group: GivenAt) -> String {
        let places = places(group)
        return "\(places.listed(upTo: 2))\(places.count > 1 ? " each" : "") \(words(group.given))"
    }

    static func places(_ group: GivenAt) -> [String] {
        group.places + [group.again].compactMap(\.self).map { "\($0) at another moment" }
    }

    static func words(_ listing: Listing) -> String {
        listing.names.joined(separator: ", ") + (listing.more > 0 ? " and \(listing.more) more" : "")
    }

    /// `Timeout`: Apple's words without the code, or the code where there is nothing else.
    static func words(_ word: AppleWord) -> String { word.reason.isEmpty ? word.code ?? "no reason" : word.reason }

    /// `1 Timeout, 2 Bad HTTP Response: 403 Forbidden`; one reason alone has no count.
    static func words(_ reasons: [AbsenceReason]) -> String {
        func one(_ reason: AbsenceReason) -> String { reason.word.map(words) ?? "no reason given" }
        guard reasons.count > 1 else { return reasons.first.map(one) ?? "no reason given" }
        return reasons.map { "\($0.count) \(one($0))" }.listed(upTo: 4)
    }

    static func age(_ seconds: Int) -> String { TimeInterval(seconds).inWords }

    static func seconds(_ milliseconds: Int) -> String { (Double(milliseconds) / 1000).inWords }

    /// `21 Nov 2026`.
    static func day(_ date: Date) -> String { date.formatted(style.day().month(.abbreviated).year()) }

    /// `21 Nov 15:13 UTC`.
    static func instant(_ date: Date) -> String {
        let clock = style.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
        return "\(date.formatted(style.day().month(.abbreviated))) \(date.formatted(clock)) UTC"
    }

    private static let style = Date.FormatStyle(
        locale: Locale(identifier: "en_GB"), timeZone: TimeZone(secondsFromGMT: 0) ?? .gmt)
}

// MARK: - What phones do now, and until when

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

// MARK: - A diagnosis as people read it

// Four short parts, each a sentence or two.

package struct DiagnosisText: Equatable, Sendable {
    /// What phones do now.
    package var effect: String
    /// Why.
    package var cause: String?
    /// What to do; it begins with a verb.
    package var action: String?
    /// Until when it stays so.
    package var outlook: String?

    /// Parts may quote what a watched site sent: they are made fit for display, and bounded.
    package init(effect: String, cause: String? = nil, action: String? = nil, outlook: String? = nil) {
        self.effect = Self.shown(effect)
        self.cause = cause.map(Self.shown)
        self.action = action.map(Self.shown)
        self.outlook = outlook.map(Self.shown)
    }

    private static func shown(_ part: String) -> String { part.displayable.shortened(to: 500) }

    /// In the order of reading, a line each.
    package var parts: [String] { [effect, cause, action, outlook].compactMap(\.self) }

    package var oneLine: String { parts.joined(separator: " ") }
}

/// Why, and what to do.
struct CauseText {
    var why: String?
    var action: String?

    init(_ why: String?, _ action: String? = nil) {
        self.why = why
        self.action = action
    }
}

// MARK: - A finding as people and receivers of alerts read it

package struct FindingText: Encodable, Equatable, Sendable {
    package let rule: Rule
    package let severity: Severity
    /// One sentence: what is wrong.
    package var message: String
    package var evidence: [String: String]
    /// What to do about it.
    package var fix: String
    /// A link to the requirement.
    package let reference: String
}

/// What is wrong, and what to do.
struct FindingWords {
    var message: String
    var fix: String
    /// What was seen, as far as it needs words.
    var evidence: [String: String]

    init(_ message: String, _ fix: String, _ evidence: [String: String] = [:]) {
        self.message = message
        self.fix = fix
        self.evidence = evidence
    }

    /// The words of a cause that is a finding as well: they are written once.
    init(_ words: CauseText) {
        self.init(Self.clause(words.why ?? ""), Self.clause(words.action ?? ""))
    }

    /// Sentences as a clause: small letters at the beginning, semicolons between, no full stop.
    private static func clause(_ text: String) -> String {
        let body = text.hasSuffix(".") ? String(text.dropLast()) : text
        return body.components(separatedBy: ". ").map { $0.prefix(1).lowercased() + $0.dropFirst() }
            .joined(separator: "; ")
    }
}

extension English {
    static func text(of finding: Finding) -> FindingText {
        var words = words(finding.matter)
        if let place = finding.place { words.message = "\(text(of: place)): \(words.message)" }
        if let counterevidence = finding.counterevidence {
            switch counterevidence {
            case .untested: words.message += ", as this machine alone sees it"
            case .appleWord: words.message += "; Apple's crawler met something else"
            case .appleCopy, .appleCopyAndAgent, .otherServer, .freshCopy: words.message += "; Apple's CDN has the file"
            }
            words.fix = fix(finding.matter, words.fix, beside: counterevidence)
        }
        // Words may quote what a watched site sent.
        let evidence = words.evidence.mapValues { $0.displayable.shortened(to: 2000) }
        return FindingText(
            rule: finding.rule, severity: finding.severity, message: words.message.displayable.shortened(to: 1000),
            evidence: finding.evidence.merging(evidence) { $1 }, fix: words.fix.displayable.shortened(to: 1000),
            reference: finding.matter.ruling.reference)
    }

    private static func fix(_ matter: Matter, _ fix: String, beside counterevidence: Finding.Counterevidence) -> String
    {
        switch (matter, counterevidence) {
        case (_, .freshCopy(let age)):
            "nothing needs to be done: Apple's crawler got the file \(Self.age(age)) ago; protections that know bots by their "
                + "address refuse clients that only bear the name"
        case (_, .untested): "look from another machine or network first; if it is so there too, \(fix)"
        case (.origin(.notPublic), _), (_, .otherServer), (_, .appleWord):
            "check from a network with public DNS, or name a vantage; nothing needs to be done at the site"
        case (_, .appleCopyAndAgent(let agent)): "let every user agent read the file, as \(agent.shortName) can"
        case (_, .appleCopy):
            "look from another network, or let this machine pass: Apple's copy shows that its crawler gets the file"
        }
    }

    private static func text(of place: Finding.Place) -> String {
        switch place {
        case .behindRedirect(let host): "behind the redirect to \(host.inSentence)"
        case .addresses(let addresses, let all, othersAnswer: true):
            "at \(addresses.listed(upTo: 3)) only (\(addresses.count) of \(all) addresses)"
        case .addresses(let addresses, _, othersAnswer: false):
            "at \(addresses.listed(upTo: 3)), while the other addresses do not answer"
        }
    }

    private static func words(_ matter: Matter) -> FindingWords {
        switch matter {
        case .origin(let matter): words(matter)
        case .cdn(let matter): words(matter)
        case .file(let matter): words(matter)
        case .monitor(let cause): finding(cause)
        case .vantageFailed(let name, let detail):
            FindingWords(
                "the vantage \(name) could not be used: \(detail ?? "its proxy failed")",
                "check the proxy of that vantage; it says nothing about the site, which is judged without it")
        }
    }
}
