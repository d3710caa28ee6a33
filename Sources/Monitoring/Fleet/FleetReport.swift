// What is to be said about each problem of the fleet. docs/rules.md describes the same rules.

import Evidence
import Foundation

/// What is to be said about an incident of the fleet.
struct FleetReport: Equatable {
    /// Who has it: `42 of 500 domains`, `aasa-monitor`.
    var subject = "aasa-monitor"
    /// What is wrong, without the subject.
    var trouble: String
    /// What is well again.
    var relief: String
    let cause: MonitorCause
    var effect = Effect.Links.unaffected
    /// What was seen, by name.
    var evidence: [String: String] = [:]
    /// nil where no domain is meant.
    var affected: AffectedDomains?
    /// Which of several problems it is, where one rule stands for them.
    var variant = ""

    private var finding: Finding { Finding(.monitor(cause), evidence: evidence.mapValues { $0.shortened(to: 600) }) }

    var severity: Severity { finding.severity }

    var facts: IncidentFacts {
        IncidentFacts(
            diagnosis: .monitor(cause, effect), findings: [finding], affected: affected, subject: subject,
            trouble: trouble, relief: relief)
    }

    /// What makes it another problem to a reader: no counts, no names, no words of others.
    var fingerprint: ContentHash {
        ContentHash(of: "\(severity.rawValue)\n\(finding.rule.rawValue)\n\(variant)".utf8)
    }

    static func networkLost(_ affected: AffectedDomains, canaries hosts: [String]) -> FleetReport {
        let canaries = hosts.sorted()
        return FleetReport(
            trouble: "the local network seems to be down", relief: "the local network works again",
            cause: .networkLost(
                domains: affected.count, of: affected.total, canaries: canaries.prefix(8).map(\.inSentence)),
            effect: .unknown(.localNetwork),
            evidence: ["domains": "\(affected.count)", "canaries": canaries.joined(separator: ", ")]
                .filter { !$0.value.isEmpty }, affected: affected)
    }

    static func manyFailing(_ affected: AffectedDomains) -> FleetReport {
        FleetReport(
            trouble: "\(affected.words) fail together, at the origin and at Apple's CDN",
            relief: "the domains no longer fail together",
            cause: .manyFailing(domains: affected.count, of: affected.total),
            effect: .ofMany(.silent, domains: affected.count), evidence: ["domains": "\(affected.count)"],
            affected: affected)
    }

    static func cdnWide(_ failure: CDNFailure, _ affected: AffectedDomains) -> FleetReport {
        FleetReport(
            subject: affected.words, trouble: English.trouble(failure),
            relief: "Apple's CDN no longer fails for many domains",
            cause: .cdnWide(failure, domains: affected.count, of: affected.total),
            effect: .ofMany(failure, domains: affected.count), evidence: ["domains": "\(affected.count)"],
            affected: affected, variant: failure.rawValue)
    }

    static func scheduleBehind(_ affected: AffectedDomains, intervals: Int) -> FleetReport {
        FleetReport(
            trouble: "checks are late for \(affected.words)", relief: "checks are on time again",
            cause: .scheduleBehind(domains: affected.count, of: affected.total, intervals: intervals),
            evidence: ["domains": "\(affected.count)"], affected: affected)
    }

    static func reloadRefused(_ refusal: RefusedConfiguration) -> FleetReport {
        FleetReport(
            trouble: "the changed configuration is not in force", relief: "the configuration file is in force",
            cause: .configReloadFailed(fault: refusal.words.displayable.shortened(to: 400)),
            evidence: ["since": refusal.since.rfc3339])
    }

    static func deliveryFailing(_ channel: FailingChannel) -> FleetReport {
        let name = channel.name.displayable
        return FleetReport(
            trouble: "the channel '\(name)' \(channel.isDisabled ? "refuses our" : "takes no") messages",
            relief: "the channel '\(name)' takes messages again",
            cause: .deliveryFailing(
                channel: name, isDisabled: channel.isDisabled, answer: channel.words.displayable.shortened(to: 200)),
            evidence: ["channel": name, "since": channel.since.rfc3339])
    }
}

extension Verdict {
    /// The verdict while the local network is suspect: what was not reached is no fault of the site.
    var suspect: Verdict {
        let seen = findings.map { finding in
            var finding = finding
            finding.severity = .note
            return finding
        }
        return Verdict(
            level: .unknown, diagnosis: .monitor(.networkSuspect, .unknown(.localNetwork)), comparison: comparison,
            findings: [Finding(.monitor(.networkSuspect))] + seen, ignored: ignored)
    }
}

/// The domains that an incident of the fleet is about, in a bounded form: a message names some, and the count of all.
package struct AffectedDomains: Codable, Equatable, Sendable {
    /// By name; at most `limit`.
    package let domains: [Domain]
    /// Of all that are affected.
    package let count: Int
    /// Of all that were evaluated.
    package let total: Int

    /// Names are up to 253 bytes long, and a webhook's body stays under 20 KB.
    package static let limit = 50

    package init(_ domains: [Domain], of total: Int) {
        // Ten thousand are not sorted for the sake of fifty.
        var first: [Domain] = []
        for domain in domains {
            if first.count == Self.limit, let last = first.last, last <= domain { continue }
            first.insert(domain, at: (first.lastIndex { $0 <= domain } ?? -1) + 1)
            if first.count > Self.limit { first.removeLast() }
        }
        self.domains = first
        count = domains.count
        self.total = total
    }

    /// `42 of 500 domains`.
    package var words: String { "\(count) of \(total) domains" }
}
