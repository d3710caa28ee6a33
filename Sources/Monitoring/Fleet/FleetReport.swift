// The words for each problem of the fleet, and its finding. docs/rules.md describes the same rules.

import Evidence
import Foundation

/// What is to be said about an incident of the fleet.
struct FleetReport: Equatable {
    var severity = Severity.error
    /// Who has it: `42 of 500 domains`, `aasa-monitor`.
    var subject = "aasa-monitor"
    /// What is wrong, without the subject.
    var trouble: String
    /// What is well again.
    var relief: String
    var diagnosis: Diagnosis
    var finding: Finding
    /// nil where no domain is meant.
    var affected: AffectedDomains?
    /// Which of several problems it is, where one rule stands for them.
    var variant = ""

    var facts: IncidentFacts {
        IncidentFacts(
            diagnosis: diagnosis, findings: [finding], affected: affected, subject: subject, trouble: trouble,
            relief: relief)
    }

    /// What makes it another problem to a reader: no counts, no names, no words of others.
    var fingerprint: ContentHash {
        ContentHash(of: "\(severity.rawValue)\n\(finding.rule.rawValue)\n\(variant)".utf8)
    }

    private static func finding(
        _ rule: String, _ message: String, _ evidence: [String: String] = [:], severity: Severity = .error, fix: String
    ) -> Finding {
        Finding(
            rule: Rule(rawValue: rule), severity: severity, message: message.displayable.shortened(to: 600),
            evidence: evidence.mapValues { $0.displayable.shortened(to: 600) }, fix: fix,
            reference: rule.hasPrefix("cdn.") ? "https://www.apple.com/support/systemstatus/" : Verdict.curlManual)
    }

    static func networkLost(_ affected: AffectedDomains, canaries hosts: [String]) -> FleetReport {
        let canaries = hosts.sorted().joined(separator: ", ")
        let also = canaries.isEmpty ? "" : ", nor did it reach the reference hosts \(canaries)"
        return FleetReport(
            trouble: "the local network seems to be down", relief: "the local network works again",
            diagnosis: .monitor(
                .networkLost(
                    domains: affected.count, of: affected.total, canaries: hosts.sorted().prefix(8).map(\.inSentence)),
                .unknown(.localNetwork)),
            finding: finding(
                Rule.networkLost.rawValue, "the last checks of \(affected.words) reached nobody\(also)",
                ["domains": "\(affected.count)", "canaries": canaries].filter { !$0.value.isEmpty },
                fix: Verdict.networkFix), affected: affected)
    }

    static func manyFailing(_ affected: AffectedDomains) -> FleetReport {
        FleetReport(
            trouble: "\(affected.words) fail together, at the origin and at Apple's CDN",
            relief: "the domains are reachable again",
            diagnosis: .monitor(
                .manyFailing(domains: affected.count, of: affected.total),
                .ofMany(.silent, domains: affected.count)),
            finding: finding(
                "monitor.many-failing",
                "the origins of \(affected.words) began to fail together, and Apple's CDN gives no answer about them",
                ["domains": "\(affected.count)"],
                fix:
                    "check what this machine's requests pass through: a proxy, a firewall, a gateway that wants a login, "
                    + "the name server; name reference hosts in network.canaries to tell these apart"),
            affected: affected)
    }

    static func cdnWide(_ failure: CDNFailure, _ affected: AffectedDomains) -> FleetReport {
        let trouble =
            switch failure {
            case .missing: "Apple's CDN has lost its copies"
            case .stale: "Apple's CDN still serves the old files"
            case .divergent: "Apple's CDN serves other files than the origins"
            case .silent: "Apple's CDN gives no answer about the files"
            }
        return FleetReport(
            subject: affected.words, trouble: trouble, relief: "Apple's CDN works again",
            diagnosis: .monitor(
                .cdnWide(failure, domains: affected.count, of: affected.total),
                .ofMany(failure, domains: affected.count)),
            finding: finding(
                "cdn.wide", "\(trouble) of \(affected.words), which began to fail together",
                ["domains": "\(affected.count)"],
                fix:
                    "look for what they share: a firewall or a setting that refuses Apple's crawler, one server for all "
                    + "of them; if there is nothing, wait, and see Apple's system status page"),
            affected: affected, variant: failure.rawValue)
    }

    static func scheduleBehind(_ affected: AffectedDomains, intervals: Int) -> FleetReport {
        let words = "\(affected.words) were not checked for \(intervals) intervals"
        return FleetReport(
            severity: .warning, trouble: "checks are late for \(affected.words)", relief: "checks are on time again",
            diagnosis: .monitor(
                .scheduleBehind(domains: affected.count, of: affected.total, intervals: intervals)),
            finding: finding(
                "monitor.schedule-behind", words, ["domains": "\(affected.count)"], severity: .warning,
                fix: "raise network.max_concurrent or the intervals, lower the timeouts, or give the machine more "
                    + "resources"), affected: affected)
    }

    static func reloadRefused(_ refusal: RefusedConfiguration) -> FleetReport {
        let words = refusal.words.displayable.shortened(to: 400)
        return FleetReport(
            severity: .warning, trouble: "the changed configuration is not in force",
            relief: "the configuration file is in force",
            diagnosis: .monitor(.configReloadFailed(fault: words)),
            finding: finding(
                "monitor.config-reload-failed", "the configuration file was refused at a reload: \(words)",
                ["since": refusal.since.rfc3339], severity: .warning,
                fix: "correct the file, try it with `aasa-monitor config check`, and reload again (SIGHUP)"))
    }

    static func deliveryFailing(_ channel: FailingChannel) -> FleetReport {
        let name = channel.name.displayable
        let what = channel.isDisabled ? "refuses our messages" : "takes no messages"
        let severity: Severity = channel.isDisabled ? .error : .warning
        return FleetReport(
            severity: severity, trouble: "the channel '\(name)' \(what)",
            relief: "the channel '\(name)' takes messages again",
            diagnosis: .monitor(
                .deliveryFailing(
                    channel: name, isDisabled: channel.isDisabled,
                    answer: channel.words.displayable.shortened(to: 200))),
            finding: finding(
                "monitor.delivery-failing", "the channel '\(name)' \(what): \(channel.words)",
                ["channel": name, "since": channel.since.rfc3339], severity: severity,
                fix: channel.isDisabled
                    ? "check the channel's URL, token and permissions; then `aasa-monitor alert test \(name)`"
                    : "check whether the service is down or blocked from here: `aasa-monitor alert test \(name)`"))
    }
}

extension Rule {
    static let networkLost = Rule(rawValue: "monitor.network-lost")
}

extension Verdict {
    static let networkFix =
        "check this machine's network: cable, route, name server, proxy, firewall; checks continue by themselves"
    static let curlManual = "https://curl.se/docs/manpage.html"

    /// The verdict while the local network is suspect: what was not reached is no fault of the site.
    var suspect: Verdict {
        let sentence =
            "this check reached nobody, and neither did others: the local network is suspect, so the state of the domain is "
            + "unknown"
        let own = Finding(
            rule: .networkLost, severity: .warning, message: sentence, fix: Self.networkFix, reference: Self.curlManual)
        let seen = findings.map { finding in
            var finding = finding
            finding.severity = .note
            return finding
        }
        return Verdict(
            level: .warning, diagnosis: .monitor(.networkSuspect, .unknown(.localNetwork)), comparison: comparison,
            findings: [own] + seen)
    }
}
