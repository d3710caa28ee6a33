// The words for each trouble of the fleet, and its finding. docs/rules.md describes the same rules.

import Evidence
import Foundation

extension FleetReport {
    private static func finding(
        _ rule: String, _ message: String, _ evidence: [String: String] = [:], severity: Severity = .error, fix: String
    ) -> Finding {
        Finding(
            rule: Rule(rawValue: rule), severity: severity, message: message.displayable.shortened(to: 600),
            evidence: evidence.mapValues { $0.displayable.shortened(to: 600) }, fix: fix,
            reference: rule.hasPrefix("cdn.") ? "https://www.apple.com/support/systemstatus/" : Self.guide)
    }

    private static let guide = "https://curl.se/docs/manpage.html"

    static func networkLost(_ doubt: EgressDoubt, of total: Int) -> FleetReport {
        let affected = AffectedDomains(doubt.domains, of: total)
        let canaries = doubt.canaries.sorted().joined(separator: ", ")
        let also = canaries.isEmpty ? "" : ", and neither were the reference hosts \(canaries)"
        return FleetReport(
            subject: "aasa-monitor", trouble: "this machine's own network seems to be lost",
            relief: "the network is back",
            diagnosis:
                "nobody was reached at the last checks, neither origins nor Apple's CDN\(also): the fault is most "
                + "likely this machine's own network, and nothing is known of the watched domains meanwhile",
            finding: Self.finding(
                Rule.networkLost.rawValue, "nobody was reached at the last check of \(affected.words)\(also)",
                ["domains": "\(affected.count)", "canaries": canaries].filter { !$0.value.isEmpty },
                fix: Verdict.networkFix), affected: affected)
    }

    static func manyFailing(_ tally: FleetTally) -> FleetReport {
        let affected = AffectedDomains(tally.affected, of: tally.total)
        return FleetReport(
            subject: "aasa-monitor", trouble: "\(affected.words) fail together, at the origin and at Apple's CDN",
            relief: "the domains are reached again",
            diagnosis: "\(affected.words) began to fail together, and Apple's CDN says nothing about them either: "
                + "something between this machine and the network fails, rather than each of them",
            finding: Self.finding(
                "monitor.many-failing",
                "the origins of \(affected.words) began to fail together, and Apple's CDN gives no answer about them",
                ["domains": "\(affected.count)"],
                fix: "look at what this machine's requests pass through: a proxy, a firewall, a gateway that wants a "
                    + "login, the name server; name reference hosts in network.canaries, so that it can be told apart"),
            affected: affected)
    }

    static func cdnWide(_ failure: CDNFailure, _ tally: FleetTally) -> FleetReport {
        let affected = AffectedDomains(tally.affected, of: tally.total)
        let trouble =
            switch failure {
            case .missing: "Apple's CDN has lost its copies"
            case .stale: "Apple's CDN still serves the old files"
            case .divergent: "Apple's CDN serves other files than the origins"
            case .silent: "Apple's CDN gives no answer about the files"
            }
        return FleetReport(
            subject: affected.words, trouble: trouble, relief: "Apple's CDN is well again",
            diagnosis:
                "\(trouble) of \(affected.words), which turned together while their origins are well: the cause is "
                + "most likely one that they share, at Apple or on the way there",
            finding: Self.finding(
                "cdn.wide", "\(trouble) of \(affected.words), which turned together",
                ["domains": "\(affected.count)"],
                fix:
                    "look for what they share: a firewall or a setting that refuses Apple's crawler, one server behind "
                    + "all of them; if there is none, wait, and see Apple's page of system status"),
            affected: affected)
    }

    static func storeFailing(_ trouble: StoreTrouble) -> FleetReport {
        let consequence =
            trouble.isAtStart
            ? "no domain is watched and no other alert is sent until it does"
            : "checks count for nothing and alerts cannot be told"
        return FleetReport(
            subject: "aasa-monitor",
            trouble: trouble.isAtStart ? "it cannot begin to watch" : "what it sees cannot be stored",
            relief: trouble.isAtStart ? "it has begun to watch" : "the store takes writes again",
            diagnosis: "the store takes no writes, so \(consequence): \(trouble.words.displayable.shortened(to: 400))",
            finding: Self.finding(
                "monitor.store-failing", "the store takes no writes: \(trouble.words)",
                ["since": trouble.since.rfc3339],
                fix: "free space on the disk of store.path, end whoever holds the database locked, or mend the disk; "
                    + "checks go on and are stored again then"))
    }

    static func scheduleBehind(_ late: [Domain], of total: Int) -> FleetReport {
        let affected = AffectedDomains(late, of: total)
        return FleetReport(
            severity: .warning, subject: "aasa-monitor", trouble: "checks are late for \(affected.words)",
            relief: "checks are on time again",
            diagnosis: "\(affected.words) were not checked for three intervals: this machine does not get on with its "
                + "work, and what the page tells of them is old",
            finding: Self.finding(
                "monitor.schedule-behind", "\(affected.words) were not checked for three intervals",
                ["domains": "\(affected.count)"], severity: .warning,
                fix: "raise network.max_concurrent or the intervals, lower the timeouts, or give the machine more to "
                    + "work with"), affected: affected)
    }

    static func reloadRefused(_ refusal: RefusedConfiguration) -> FleetReport {
        let words = refusal.words.displayable.shortened(to: 400)
        return FleetReport(
            severity: .warning, subject: "aasa-monitor", trouble: "the changed configuration is not in force",
            relief: "the configuration file is in force",
            diagnosis: "the configuration file was not taken at a reload, and the former one stays in force: \(words)",
            finding: Self.finding(
                "monitor.config-reload-failed", "the configuration file was not taken at a reload: \(words)",
                ["since": refusal.since.rfc3339], severity: .warning,
                fix: "mend the file, try it with `aasa-monitor config check`, and reload again (SIGHUP)"))
    }

    static func deliveryFailing(_ trouble: FailingChannel) -> FleetReport {
        let name = trouble.name.displayable
        let what = trouble.isDisabled ? "refuses our messages" : "takes no messages"
        let severity: Severity = trouble.isDisabled ? .error : .warning
        return FleetReport(
            severity: severity, subject: "aasa-monitor", trouble: "the channel '\(name)' \(what)",
            relief: "the channel '\(name)' takes messages again",
            diagnosis: "messages to the channel '\(name)' do not arrive; they wait until it works again or their time "
                + "runs out" + (trouble.words.isEmpty ? "" : ": \(trouble.words.displayable.shortened(to: 300))"),
            finding: Self.finding(
                "monitor.delivery-failing", "the channel '\(name)' \(what): \(trouble.words)",
                ["channel": name, "since": trouble.since.rfc3339], severity: severity,
                fix: trouble.isDisabled
                    ? "check the channel's URL, token and rights; then `aasa-monitor alert test \(name)`"
                    : "see whether the service is down or blocked from here: `aasa-monitor alert test \(name)`"))
    }
}

extension Rule {
    static let networkLost = Rule(rawValue: "monitor.network-lost")
}

extension Verdict {
    static let networkFix =
        "check this machine's network: cable, route, name server, proxy, firewall; checks go on and tell the rest by "
        + "themselves"

    /// The verdict while this machine's own network is in doubt: what was not reached is no fault of the site.
    var inDoubt: Verdict {
        let sentence =
            "nobody was reached, and neither were others: this machine's own network is in doubt, so nothing is known of "
            + "the domain at present"
        let own = Finding(
            rule: .networkLost, severity: .warning, message: sentence, fix: Self.networkFix,
            reference: "https://curl.se/docs/manpage.html")
        let seen = findings.map { finding in
            var finding = finding
            finding.severity = .note
            return finding
        }
        return Verdict(level: .warning, diagnosis: sentence, comparison: comparison, findings: [own] + seen)
    }
}
