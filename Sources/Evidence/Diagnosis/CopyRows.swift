// The origin is fine; Apple's copy may not be.

import Foundation

extension Diagnosis {
    static let copyRows: [DiagnosisRow] = [
        DiagnosisRow("cdn-missing") { context in
            guard context.comparison.state == .missing else { return nil }
            return
                "Apple's CDN has no copy and gives no reason: a new file takes up to 24 hours; after that, look for a "
                + "firewall that refuses AASA-Bot, and report it to Apple"
        },
        DiagnosisRow("crawler-fails-beside-copy") { context in
            guard context.findings.contains(where: { $0.rule == .cdn("crawler-error") && $0.severity == .warning }),
                let failure = context.failureBesideCopy
            else { return nil }
            let said = (failure.reason.isEmpty ? failure.words : failure.reason).inSentence
            let copy =
                context.comparison.state == .inSync
                ? "the origin's file"
                : context.comparison.lagSeconds.map { "the old file, \(TimeInterval($0).inWords) after the change" }
                    ?? "another file than the origin"
            return "Apple's CDN serves \(copy), and says all the same that its crawler failed (\(said)): "
                + "\(CrawlerAdvice.brief(for: failure.trouble)), and look again within a day; how long Apple keeps the copy "
                + "nobody knows"
        },
        DiagnosisRow("copy-lacks-service") { context in
            guard let clock = context.copyClock, let lacking = context.lackingService else { return nil }
            return "Apple's copy lacks \(lacking.what), so \(lacking.consequence) until it has the new file: \(clock)"
        },
        DiagnosisRow("copy-has-other-app") { context in
            guard let clock = context.copyClock, let apps = context.replacedApp else { return nil }
            return "Apple's copy still names the app \(apps.old) where the origin names \(apps.new), so links open "
                + "nothing in the new one: \(clock)"
        },
        DiagnosisRow("cdn-stale") { context in
            guard context.comparison.state == .stale, let lag = context.comparison.lagSeconds else { return nil }
            return "Apple's CDN still serves the old file, \(TimeInterval(lag).inWords) after the change: phones that "
                + "install or update the app follow the old rules; \(context.staleAdvice)"
        },
        DiagnosisRow("cdn-propagating") { context in
            guard context.comparison.state == .propagating, let lag = context.comparison.lagSeconds else { return nil }
            return
                "the file changed \(TimeInterval(lag).inWords) ago and Apple's CDN still serves the old one: this is "
                + "normal for about 24 hours, and installed apps follow within 5 to 7 days after that"
                + context.edgeWait
        },
        DiagnosisRow("bad-copy") { context in
            context.finding("cdn.bad-copy").map { "\($0.message): \($0.fix); Apple asks again within 24 hours" }
        },
        DiagnosisRow("cdn-divergent") { context in
            guard context.comparison.state == .divergent else { return nil }
            return "Apple's CDN serves another file than the origin: wait a day if the file was just changed; if not, "
                + "Apple's crawler is served another variant than this machine: look for a rule by country or user agent, "
                + "an A/B test, or a server that still has the other file"
        },
        DiagnosisRow("page-missing") { context in
            context.error("expect.page-missing").map { "the file is fine, but there is \($0.message): \($0.fix)" }
        },
        DiagnosisRow("cdn-unreachable") { context in
            context.finding("cdn.unreachable").map { "the origin is fine, but \($0.message): \($0.fix)" }
        },
    ]
}

extension DiagnosisContext {
    /// Apple's word on its crawler at the first edge that serves a copy and has one.
    fileprivate var failureBesideCopy: CrawlerFailure? {
        let edges = EdgeSurvey(check.readings).speaking.map(\.look.retrieval)
        return ([check.cdn].compactMap { $0 } + edges).lazy.compactMap(\.answer).filter { $0.status == 200 }
            .compactMap(\.crawlerFailure).first
    }

    /// How long the copy has lagged and what to wait for, where it lags or is another.
    fileprivate var copyClock: String? {
        switch comparison.state {
        case .stale:
            comparison.lagSeconds.map { "it has lagged for \(TimeInterval($0).inWords); \(staleAdvice)" }
        case .propagating:
            comparison.lagSeconds.map {
                "the file changed \(TimeInterval($0).inWords) ago; Apple takes up to 24 hours, installed apps 5 to 7 days "
                    + "more\(edgeWait)"
            }
        case .divergent:
            "wait a day if the file was just changed, else make sure that AASA-Bot can fetch it; installed apps follow 5 "
                + "to 7 days later, a reinstalled one at once"
        default: nil
        }
    }

    fileprivate var staleAdvice: String {
        guard let lag = comparison.lagSeconds, lag > 7 * 86400 else {
            return "Apple asks within about 24 hours: make sure that AASA-Bot can fetch the new file, and report it to "
                + "Apple if the copy is still old after a week"
        }
        return "this is beyond every bound that Apple documents: report it to Apple with this evidence, and make sure "
            + "that AASA-Bot can fetch the new file"
    }

    /// When the edge asks again at the earliest, as its own headers tell.
    fileprivate var edgeWait: String {
        guard let left = check.cdn?.answer?.secondsUntilExpiry, left > 0 else { return "" }
        return "; this edge asks again in about \(max(60, TimeInterval(left)).inWords)"
    }

    /// A service, or an app of a service, that the origin's file has and Apple's copy has not.
    fileprivate var lackingService: (what: String, consequence: String)? {
        let consequences = [
            ("webcredentials", "passkeys and password AutoFill fail"), ("appclips", "App Clips do not open"),
            ("activitycontinuation", "Handoff does not work"), ("applinks", "links open the browser"),
        ]
        for (service, consequence) in consequences {
            for change in comparison.changes where change.kind == .added {
                if change.pointer == "/\(service)" { return ("the service \(service)", consequence) }
                let prefix = "\(service): app "
                if service != "applinks", change.summary.hasPrefix(prefix) {
                    return ("\(change.summary.dropFirst(prefix.count)) in \(service)", consequence)
                }
            }
        }
        return nil
    }

    /// One app ID in place of another.
    fileprivate var replacedApp: (old: String, new: String)? {
        let prefix = "applinks: app "
        func app(_ kind: Change.Kind) -> String? {
            comparison.changes.first { $0.kind == kind && $0.summary.hasPrefix(prefix) }
                .map { String($0.summary.dropFirst(prefix.count)) }
        }
        guard let old = app(.removed), let new = app(.added) else { return nil }
        return (old, new)
    }
}
