// The diagnosis: one sentence for a tired person, chosen by the first row of a table that fits, most specific first.

import AASA
import Foundation

/// What a row may look at.
struct DiagnosisContext {
    let check: CheckContext
    let findings: [Finding]

    var domain: Domain { check.domain }
    var comparison: Comparison { check.comparison }
    var originIsFine: Bool { check.readings.originFile != nil && !hasError(in: "origin.") && !hasError(in: "aasa.") }
    var crawlerFailure: CrawlerFailure? { check.cdn?.answer.flatMap(CrawlerFailure.init) }

    func finding(_ rule: String) -> Finding? { findings.first { $0.rule.rawValue == rule } }

    func hasError(in area: String) -> Bool {
        findings.contains { $0.severity == .error && $0.rule.rawValue.hasPrefix(area) }
    }

    /// How long Apple's edge keeps a failure, in words.
    var failureLifetime: String {
        let seconds = check.cdn?.answer?.secondsUntilExpiry ?? 3600
        return "about \(max(60, TimeInterval(seconds)).inWords)"
    }
}

struct DiagnosisRow: Sendable {
    let name: String
    /// The sentence where the row fits, else nil.
    let sentence: @Sendable (DiagnosisContext) -> String?
}

package enum Diagnosis {
    /// - Returns: one sentence without final stop.
    static func sentence(for context: DiagnosisContext) -> String {
        for row in rows {
            if let sentence = row.sentence(context) { return sentence }
        }
        if let worst = context.findings.first, worst.severity > .note {
            return "\(worst.message): \(worst.fix)"
        }
        return "the origin's file is reachable and valid"
    }

    static let rows: [DiagnosisRow] = crawlerRows + originRows + copyRows

    /// Apple's own word, where the origin looks fine from here: what Apple's crawler saw outranks what we guess.
    private static let crawlerRows: [DiagnosisRow] = [
        DiagnosisRow(name: "crawler-refused") { context in
            guard context.originIsFine, let status = context.crawlerFailure?.originStatus,
                [401, 403, 406, 429, 503].contains(status)
            else { return nil }
            return "your server answers Apple's crawler with \(status) while this machine gets the file: a firewall or "
                + "bot rule refuses AASA-Bot; let every client read the file, then allow \(context.failureLifetime) "
                + "for Apple to ask again"
        },
        DiagnosisRow(name: "crawler-remembers-absence") { context in
            guard context.originIsFine, let status = context.crawlerFailure?.originStatus, [404, 410].contains(status)
            else { return nil }
            return "the file is there now, but Apple's CDN remembers that it was not (\(status)); it asks again in "
                + "\(context.failureLifetime)"
        },
        DiagnosisRow(name: "crawler-other-status") { context in
            guard context.originIsFine, let failure = context.crawlerFailure, failure.family == .status else {
                return nil
            }
            return "your server gives Apple's crawler another answer than this machine: \(failure.reason)"
        },
        DiagnosisRow(name: "crawler-private-address") { context in
            guard let failure = context.crawlerFailure, failure.family == .address else { return nil }
            return
                "for Apple the domain has a private or reserved address, which its CDN refuses to ask; publish it on "
                + "a public address, or use ?mode=developer or ?mode=managed"
        },
        DiagnosisRow(name: "crawler-timeout") { context in
            guard context.originIsFine, let failure = context.crawlerFailure, failure.family == .network else {
                return nil
            }
            let cause = failure.details["cause"].map { " (\($0))" } ?? ""
            return
                "Apple's crawler gets no answer from your server\(cause) while this machine does: look for a firewall "
                + "or geo rule, a dead IPv6 address, or a server that sleeps"
        },
        DiagnosisRow(name: "crawler-content") { context in
            guard context.originIsFine, let failure = context.crawlerFailure, failure.family == .content else {
                return nil
            }
            return "Apple's crawler gets something that is no JSON where this machine gets the file: look for a "
                + "challenge page or another variant served to bots, or wait if the file was just repaired"
        },
        DiagnosisRow(name: "crawler-unknown") { context in
            guard context.originIsFine, let failure = context.crawlerFailure else { return nil }
            let words = [failure.code, failure.reason].compactMap(\.self).joined(separator: " ")
            return "Apple's crawler could not take the file, though this machine can: \(words)"
        },
    ]

    /// The origin is at fault, and this machine sees it too.
    private static let originRows: [DiagnosisRow] = [
        DiagnosisRow(name: "own-fault") { context in
            context.finding("monitor.fetch-failed").map(\.message)
        },
        DiagnosisRow(name: "no-such-name") { context in
            context.finding("origin.dns-failed").map { _ in
                "the name \(context.domain) does not resolve, so neither Apple nor a phone finds the file"
            }
        },
        DiagnosisRow(name: "not-deployed") { context in
            guard let status = context.check.origin.answer?.status, status == 404 || status == 410,
                context.finding("origin.status") != nil
            else { return nil }
            let consequence =
                context.check.observation.cdn == .notAsked(.originHasNoFile)
                ? "Apple's CDN was not asked, since it would remember the failure (--ask-cdn asks anyway)"
                : context.check.readings.cdnFile == nil
                    ? "no phone gets it" : "Apple's CDN still serves the last copy, but not for ever"
            return "there is no file at the origin (\(status)): deploy it to /.well-known/apple-app-site-association; "
                + consequence
        },
        DiagnosisRow(name: "page-instead-of-file") { context in
            guard context.check.readings.originBody?.syntaxError?.cause == .htmlPage,
                context.finding("aasa.json-syntax") != nil
            else { return nil }
            return "the origin serves an HTML page where the file should be: exempt "
                + "/.well-known/apple-app-site-association from the catch-all route, login or challenge page"
        },
        DiagnosisRow(name: "origin-fault") { context in
            guard
                let worst = context.findings.first(where: {
                    $0.severity == .error
                        && ($0.rule.rawValue.hasPrefix("origin.") || $0.rule.rawValue.hasPrefix("aasa."))
                })
            else { return nil }
            let clock =
                context.check.readings.cdnFile == nil
                ? "" : "; Apple's CDN still serves a copy, but for how long nobody knows"
            return "\(worst.message): \(worst.fix)\(clock)"
        },
    ]

    /// The origin is fine; Apple's copy may not be.
    private static let copyRows: [DiagnosisRow] = [
        DiagnosisRow(name: "cdn-missing") { context in
            guard context.comparison.state == .missing else { return nil }
            return
                "Apple's CDN has no copy and gives no reason: a new file takes up to 24 hours; after that, look for a "
                + "firewall that refuses AASA-Bot"
        },
        DiagnosisRow(name: "cdn-stale") { context in
            guard context.comparison.state == .stale, let lag = context.comparison.lagSeconds else { return nil }
            return "Apple's CDN still serves the old file, \(TimeInterval(lag).inWords) after the change: phones that "
                + "install or update the app follow the old rules; make sure that AASA-Bot can fetch the new file"
        },
        DiagnosisRow(name: "cdn-propagating") { context in
            guard context.comparison.state == .propagating, let lag = context.comparison.lagSeconds else { return nil }
            return
                "the file changed \(TimeInterval(lag).inWords) ago and Apple's CDN still serves the old one: this is "
                + "normal for about 24 hours, and installed apps follow within 5 to 7 days after that"
        },
        DiagnosisRow(name: "bad-copy") { context in
            context.finding("cdn.bad-copy").map { "\($0.message): \($0.fix)" }
        },
        DiagnosisRow(name: "cdn-divergent") { context in
            guard context.comparison.state == .divergent else { return nil }
            return "Apple's CDN serves another file than the origin: wait a day if the file was just changed; if not, "
                + "Apple's crawler is served another variant than this machine"
        },
        DiagnosisRow(name: "cdn-unreachable") { context in
            context.finding("cdn.unreachable").map { "the origin is fine, but \($0.message.lowercasedFirst)" }
        },
        DiagnosisRow(name: "warning") { context in
            guard let worst = context.findings.first, worst.severity == .warning else { return nil }
            return "the file works, with a risk: \(worst.message); \(worst.fix)"
        },
        DiagnosisRow(name: "in-sync") { context in
            context.comparison.state == .inSync ? "the origin's file is valid, and Apple's CDN serves the same" : nil
        },
        DiagnosisRow(name: "other-mode") { context in
            guard context.check.observation.cdn == .notAsked(.mode) else { return nil }
            return "the origin's file is valid; devices in \(context.check.observation.mode.rawValue) mode read it "
                + "there, not from Apple's CDN"
        },
    ]
}

extension String {
    fileprivate var lowercasedFirst: String { hasPrefix("Apple") ? self : prefix(1).lowercased() + dropFirst() }
}
