// Findings about Apple's CDN: what it serves, how old that is, where its edges differ, and missing answers.

import Facts
import Foundation

package enum CDNProblem: Codable, Equatable, Sendable {
    /// `besideFile`: the origin serves one. `by`: what this machine lacks, if that is the reason.
    case unreachable(CDNFault, besideFile: Bool, by: MonitorCause? = nil)
    // How the copy compares with the origin's file.
    case stale(OriginChange)
    case propagating(OriginChange)
    /// `originSince`: since when checks have seen the origin's file; nil if that is not known.
    case divergent(originSince: Date? = nil)
    case formattingDiffers
    /// Another version than the origin's, with the same effect on phones.
    case withoutEffect
    // What the CDN holds. `at`: the edges, if others hold something else.
    case crawlerFails(AppleWord, CrawlerTrouble, asksAgainAt: Date?, at: EdgePlaces?)
    case crawlerFailsBesideCopy(AppleWord, CrawlerTrouble, at: EdgePlaces?)
    case missing(status: Int, at: EdgePlaces?)
    case badCopy(at: EdgePlaces?)
    // Edges.
    case edgesDiffer([EdgeGroup], of: Int, isPropagating: Bool, originSince: Date? = nil)
    /// Edges that answer with a failure of their own; `addresses`: the first of them.
    case edgesInTrouble(CDNFault, at: EdgePlaces, addresses: [String])
    /// Edges that this machine cannot reach.
    case edgesSilent([ServedAt], of: Int)

    var declaration: Declaration {
        switch self {
        case .unreachable(let fault, let besideFile, let cause):
            .init(.cdnUnreachable, leads: .cdnUnreachable) { English.words(fault, besideFile, cause, $0) }
        case .stale(let change):
            .init(.stale, leads: .cdnStale) { now in
                var overdue = change
                overdue.isOverdue = true
                return Words(English.stale(change, now), English.wait(overdue, now))
            }
        case .propagating(let change):
            .init(.propagating, leads: .cdnPropagating) { now in
                Words(English.lagging(change, now), "Wait. Nothing needs to be done.")
            }
        case .divergent(let originSince):
            .init(.divergent, leads: .cdnDivergent) { now in
                Words(
                    "Apple's CDN and the origin serve different files. It is unknown since when.",
                    (English.isForLong(originSince, now) ? "Look" : "\(English.waitIfNew) Then look")
                        + " for a rule by country or user agent, an A/B test, or a server with the other file.")
            }
        case .formattingDiffers:
            .init(
                .formattingDiffers,
                "Apple's copy differs from the origin's file in formatting only. It means the same.",
                "Nothing needs to be done.")
        case .withoutEffect:
            .init(
                .withoutEffect, leads: .withoutEffect,
                "Apple's CDN and the origin serve different versions of the file. The difference changes no URL.",
                "Nothing needs to be done.")
        case .crawlerFails(let word, let trouble, let next, let places):
            .init(.crawlerError) { now in
                let wait = next.map { Int($0.timeIntervalSince(now).rounded()) } ?? 0
                return Words(
                    "\(English.noCopy(places)). Its crawler reports \"\(English.both(word))\".",
                    English.action(trouble)
                        + (wait > 0
                            ? " This edge asks again in about \(English.age(min(max(60, wait), 86_400)))." : ""))
            }
        case .crawlerFailsBesideCopy(let word, let trouble, let places):
            .init(
                .crawlerError, severity: .warning, leads: .crawlerFailsBesideCopy,
                "Apple's crawler failed at its last request (\(English.both(word)))\(English.words(places)). Apple's "
                    + "CDN still serves a copy.",
                English.action(trouble))
        case .missing(_, let places):
            .init(
                .cdnMissing, leads: .cdnMissing, "\(English.noCopy(places)), and it gives no reason.",
                "Wait a day if the file is new. Then look for a firewall that refuses AASA-Bot, and report it to Apple."
            )
        case .badCopy(let places):
            .init(
                .badCopy, leads: .badCopy,
                "Apple's CDN serves something that is not an apple-app-site-association file\(English.words(places)).",
                "Check what your server sends to the user agent AASA-Bot. Make sure that nothing between here and "
                    + "Apple's CDN answers in its place.")
        case .edgesDiffer(let groups, let all, let isPropagating, let originSince):
            .init(.edgesDiffer, severity: isPropagating ? .note : .warning, leads: .edgesDiffer) { now in
                English.words(groups, of: all, isPropagating, originSince, now)
            }
        case .edgesInTrouble(let fault, let places, let addresses):
            .init(
                .edgeUnreachable, leads: .edgeTrouble,
                "\(places.edges.count) of Apple's \(places.all) edges \(places.edges.count == 1 ? "fails" : "fail"): "
                    + "\(English.words(fault)) (\(English.words(places.edges))).",
                English.action(fault),
                evidence: ["errors": addresses.map { "\($0): \(English.words(fault))" }.joined(separator: "; ")])
        case .edgesSilent(let dead, let all):
            .init(
                .edgeUnreachable, severity: .note,
                "\(dead.count) of Apple's \(all) edges could not be reached from here: "
                    + "\(dead.map(English.words).listed(upTo: 2)).",
                "Check this machine's route to them, especially over IPv6. Phones may still reach them.")
        }
    }
}

/// A part of all edges.
package struct EdgePlaces: Codable, Equatable, Sendable {
    package var edges: TruncatedList
    package var all: Int

    package init(_ places: [String], of all: Int) {
        edges = TruncatedList(places, upTo: 2)
        self.all = all
    }
}

/// Edges that hold the same content.
package struct EdgeGroup: Codable, Equatable, Sendable {
    package var held: Held
    package var places: [String]

    package enum Held: Codable, Equatable, Sendable {
        /// Named by the beginning of its SHA-256.
        case originFile(String)
        case otherFile(String)
        case noFile
        /// With Apple's codes.
        case nothing(codes: [String])
    }
}

/// Apple's own words about its crawler: verbatim, but cleaned and bounded.
package struct AppleWord: Codable, Equatable, Sendable {
    package var code: String?
    package var reason: String
}

extension AppleWord {
    init(_ failure: CrawlerFailure) {
        self.init(code: failure.code?.inSentence, reason: failure.reason.inSentence)
    }
}

// MARK: - The CDN's own trouble

/// Why the CDN's answer, or its silence, says nothing about the file: the CDN failed, or the way to it. The site is not
/// at fault.
package enum CDNFault: Codable, Hashable, Sendable {
    case failed(Failure.Kind, Failure.Phase)
    case cutShort
    /// `pause`: how many seconds to leave the CDN alone.
    case rateLimited(pause: Int)
    case ownTrouble(status: Int, pause: Int)
    case notApple(status: Int)

    /// nil if the retrieval says something about the file.
    init?(_ retrieval: Retrieval, _ now: Date) {
        guard !retrieval.isAboutFile else { return nil }
        switch retrieval.outcome {
        case .failed(let failure): self = .failed(failure.kind, failure.phase)
        case .answered(let answer) where answer.isAboutFile: self = .cutShort
        case .answered(let answer):
            if answer.isForeign {
                self = .notApple(status: answer.status)
            } else if answer.status == 429 {
                self = .rateLimited(pause: answer.pause(now))
            } else {
                self = .ownTrouble(status: answer.status, pause: answer.pause(now))
            }
        }
    }

    /// Makes edges that ask for different pauses compare as equal.
    var withoutPause: CDNFault {
        switch self {
        case .rateLimited: .rateLimited(pause: 0)
        case .ownTrouble(let status, _): .ownTrouble(status: status, pause: 0)
        case .failed, .cutShort, .notApple: self
        }
    }
}

extension Answer {
    /// How many seconds to leave a failing CDN alone: the time that it asks for, or a default; at most one day.
    fileprivate func pause(_ now: Date) -> Int {
        let asked = retryAfter(now) ?? secondsUntilExpiry
        return asked.map { min(max($0, 60), 86_400) } ?? (status == 429 ? 3600 : 300)
    }
}

// MARK: - Words

extension English {
    /// What made copy and origin differ, and how long ago: `The file changed 3 h ago`. A range if checks were too rare.
    static func begin(_ change: OriginChange, _ now: Date) -> String {
        let what =
            switch change.way {
            case .changed: "The file changed"
            case .rolledBack: "The file was rolled back"
            case .wentBack: "Apple's CDN went back to an older file"
            }
        return "\(what) \(range(of: change, now) ?? "\(age(change.lag(at: now))) ago")"
    }

    /// What the CDN has served since then.
    fileprivate static func lagging(_ change: OriginChange, _ now: Date) -> String {
        switch change.way {
        case .changed: "\(begin(change, now)), and Apple's CDN still serves the old one."
        case .rolledBack: "\(begin(change, now)), and Apple's CDN still serves the withdrawn one."
        case .wentBack: "\(begin(change, now))."
        }
    }

    /// The same for a copy that lags for too long.
    fileprivate static func stale(_ change: OriginChange, _ now: Date) -> String {
        guard change.way != .wentBack else { return lagging(change, now) }
        let (file, event) = change.way == .rolledBack ? ("withdrawn", "roll-back") : ("old", "change")
        let serves = "Apple's CDN still serves the \(file) file"
        return range(of: change, now) == nil
            ? "\(serves), \(age(change.lag(at: now))) after the \(event)." : "\(serves). \(begin(change, now))."
    }

    /// nil if checks were frequent enough to know the time.
    private static func range(of change: OriginChange, _ now: Date) -> String? {
        guard let after = change.after, change.isMuchOlder(at: now) else { return nil }
        return between(after, change.at)
    }

    /// The owners know this; the monitor does not.
    fileprivate static let waitIfNew = "Wait a day if you have just changed the file."

    /// Whether the origin has had its file for longer than Apple takes for a change.
    fileprivate static func isForLong(_ originSince: Date?, _ now: Date) -> Bool {
        originSince.map { now.timeIntervalSince($0) >= 86_400 } ?? false
    }

    /// What to do about an old copy, by its age.
    static func wait(_ change: OriginChange?, _ now: Date) -> String {
        switch change?.lag(at: now) {
        case nil: "\(waitIfNew) Then make sure that AASA-Bot can fetch it."
        // An operator who wants to know earlier than Apple promises needs more advice than to wait.
        case let lag? where lag < 86_400 && change?.isOverdue == true: "Make sure that AASA-Bot can fetch the new file."
        case let lag? where lag < 86_400: "Wait. Nothing needs to be done."
        case let lag? where lag <= 7 * 86_400:
            "Make sure that AASA-Bot can fetch the new file. Report it to Apple if the copy is still old after a week."
        default: "Report it to Apple with this evidence. Make sure that AASA-Bot can fetch the new file."
        }
    }

    fileprivate static func noCopy(_ places: EdgePlaces?) -> String {
        places.map {
            "\($0.edges.count) of Apple's \($0.all) edges \($0.edges.count == 1 ? "has" : "have") no copy (\(words($0.edges)))"
        } ?? "Apple's CDN has no copy"
    }

    fileprivate static func words(_ places: EdgePlaces?) -> String {
        places.map { ", at \($0.edges.count) of \($0.all) edges (\(words($0.edges)))" } ?? ""
    }

    fileprivate static func words(
        _ groups: [EdgeGroup], of all: Int, _ isPropagating: Bool, _ originSince: Date?, _ now: Date
    ) -> Words {
        var evidence: [String: String] = [:]
        for (index, group) in groups.prefix(6).enumerated() {
            evidence["group_\(index + 1)"] = "\(words(group.held)): \(group.places.joined(separator: ", "))"
        }
        // Which edges these are, and which bytes, is evidence.
        var told = groups.prefix(3).map { "\($0.places.count) of \(all) \(words($0.held, hasHash: false))" }
        if groups.count > 3 { told.append("and \(groups.count - 3) more versions") }
        return Words(
            "Apple's edges disagree: \(told.joined(separator: "; ")).",
            isPropagating
                ? "Check the edges again later. Each asks for the file by itself."
                : isForLong(originSince, now)
                    ? "Report it to Apple with this evidence."
                    : "\(waitIfNew) If they still disagree then, report it to Apple with this evidence.",
            evidence)
    }

    private static func words(_ held: EdgeGroup.Held, hasHash: Bool = true) -> String {
        switch held {
        case .originFile(let hash): "serve the origin's file" + (hasHash ? " (SHA-256 \(hash)…)" : "")
        case .otherFile(let hash): "serve another file" + (hasHash ? " (SHA-256 \(hash)…)" : "")
        case .noFile: "serve something that is not the file"
        case .nothing(let codes): "have no copy" + (codes.isEmpty ? "" : ", \(codes.listed(upTo: 3))")
        }
    }

    fileprivate static func words(_ fault: CDNFault, _ besideFile: Bool, _ cause: MonitorCause?, _ now: Date) -> Words {
        let lead = besideFile ? "The origin is fine" : ""
        guard let cause else {
            return Words(
                "\(besideFile ? "\(lead), but " : "")Apple's CDN says nothing about the file: \(words(fault)).",
                action(fault))
        }
        let own = cause.declaration.words(now)
        let why =
            switch cause {
            // These say nothing about the site.
            case .noFamily(let family):
                "\(besideFile ? "\(lead). " : "")This machine has no IPv\(family), and Apple's CDN was tried only over IPv\(family)."
            case .nameServerFailed, .clockIsWrong, .proxyFailed:
                [besideFile ? "\(lead)." : nil, own.why].compactMap(\.self).joined(separator: " ")
            default: "\(besideFile ? "\(lead), but " : "")Apple's CDN says nothing about the file: \(words(fault))."
            }
        return Words(why, own.action, closing: "Phones may still reach it.")
    }

    static func words(_ fault: CDNFault) -> String {
        switch fault {
        case .failed(let kind, let phase):
            switch kind {
            case .nameNotFound, .noAddress: "its name does not resolve here"
            case .nameServerFailure: "the name server of this machine could not resolve it"
            case .noNameServer: "no name server answered for it"
            case .noIPv4Address: "it has no IPv4 address here"
            case .noIPv6Address: "it has no IPv6 address here"
            case .certificate: "its certificate is refused here (is a proxy reading the traffic?)"
            case .proxy: "the proxy failed"
            case .own: "the request could not be made"
            default: "it \(words(kind, phase))"
            }
        case .cutShort: "the answer is cut short"
        case .rateLimited: "too many requests from this machine (status 429)"
        case .ownTrouble(let status, _) where status < 500: "it refuses the request (status \(status))"
        case .ownTrouble(let status, _): "an outage (status \(status))"
        case .notApple(let status): "another server answers in its place (status \(status))"
        }
    }

    static func action(_ fault: CDNFault) -> String {
        switch fault {
        case .failed(let kind, let phase): action(kind, phase)
        case .cutShort: "Check again in 5 min. If it still happens, look for a proxy that truncates answers."
        case .rateLimited(let pause):
            "Check less often from this address, and check again in \(age(pause)). Nothing needs to be done at the site."
        case .ownTrouble(_, let pause):
            "Check again in \(age(pause)). Nothing needs to be done at the site. Report it to Apple if it lasts for hours."
        case .notApple:
            "Look for a proxy, a filter or a login page between this machine and Apple's CDN, and check from another network."
        }
    }

    private static func action(_ kind: Failure.Kind, _ phase: Failure.Phase) -> String {
        switch kind {
        case .nameNotFound, .noAddress, .nameServerFailure, .noNameServer: "Fix this machine's DNS."
        case .certificate, .tlsHandshake, .tlsVersion:
            "Exempt Apple's CDN from TLS inspection if your network has one, or trust its CA (--cacert, network.ca_file)."
        case .noIPv4Address, .noIPv6Address: "Check without -4 or -6."
        // The CDN accepted the connection, so nothing on the way needs to be opened.
        case .timedOut where phase == .waiting || phase == .receiving:
            "Check again in 5 min. Nothing needs to be done at the site."
        case .proxy, .own: "Check the proxy and the trust store that this machine uses."
        default: "Let this machine reach Apple's CDN over HTTPS (firewall, proxy, route). Phones may still reach it."
        }
    }

    // MARK: - Apple's word

    static func both(_ word: AppleWord) -> String {
        [word.code ?? "", word.reason].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// `Timeout`: Apple's words without the code, or the code if there are no words.
    static func words(_ word: AppleWord) -> String { word.reason.isEmpty ? word.code ?? "no reason" : word.reason }

    /// What to do about the trouble of Apple's crawler.
    static func action(_ trouble: CrawlerTrouble) -> String {
        switch trouble {
        case .refusal: "Allow AASA-Bot through the firewall and bot protection, from any address."
        case .absence: "Make sure that every server has the file."
        case .redirect, .connection(.redirects): "Serve the file without a redirect."
        case .outage: "Check in the server's log whether it failed when Apple asked."
        case .rateLimit: "Exempt the file from the rate limit."
        case .status: "Check in the server's log why AASA-Bot got that status."
        case .address: "Remove the addresses that are not public from the domain's records."
        case .connection(.certificate): "Install the full certificate chain of a public authority on every server."
        case .connection(.certificateDates):
            "Renew the certificate on every server behind the name, and check that each server uses the new one."
        case .connection(.certificateName):
            "Give every server behind the name a certificate whose names include the domain."
        case .connection(.tls): "Let every server speak TLS 1.2 or 1.3, with a certificate for the domain."
        case .connection(.name): "Check the A and AAAA records at each of the domain's name servers, and DNSSEC."
        case .connection(.refused):
            "Let every address accept connections on port 443, and look for a firewall that rejects Apple's connections."
        case .silence: "Look for a firewall or geo rule that drops Apple's packets, or a dead or slow server."
        case .content:
            "Check what the server sends to the user agent AASA-Bot: it must be complete, valid JSON of at most 128 KiB."
        case .unknown: "Look for a rule by country or address. Report it to Apple if it lasts longer than a day."
        }
    }
}
