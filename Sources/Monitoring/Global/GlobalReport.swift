// What messages say about each global problem. docs/reference/rules.md describes the same rules.

import Evidence
import Foundation

/// What messages say about a global incident.
struct GlobalReport: Equatable {
    /// Who has the problem: `42 of 500 domains`, `aasa-monitor`.
    var subject = "aasa-monitor"
    /// What is wrong, without the subject.
    var trouble: String
    /// What works again.
    var resolvedText: String
    let cause: MonitorCause
    var effect = Effect.Links.unaffected
    /// The reason, if it is the same for all of the domains.
    var shared: Diagnosis?
    /// Observations, by name.
    var evidence: [String: String] = [:]
    /// nil if it is not about domains.
    var affected: AffectedDomains?
    /// Which of several problems with the same rule it is.
    var variant = ""

    private var finding: Finding { Finding(.monitor(cause), evidence: evidence.mapValues { $0.shortened(to: 600) }) }

    var severity: Severity { finding.severity }

    var facts: IncidentFacts {
        var diagnosis = Diagnosis.monitor(cause, effect)
        if let shared { (diagnosis.cause, diagnosis.word) = (shared.cause, shared.word) }
        return IncidentFacts(
            diagnosis: diagnosis, findings: [finding], affected: affected, subject: subject,
            trouble: trouble, resolvedText: resolvedText)
    }

    /// A different value is a different problem to a reader. Without counts, names, and text from others.
    var fingerprint: ContentHash {
        ContentHash(of: "\(severity.rawValue)\n\(finding.rule.rawValue)\n\(variant)".utf8)
    }

    static func networkLost(_ affected: AffectedDomains, canaries hosts: [String]) -> GlobalReport {
        let canaries = hosts.sorted()
        return GlobalReport(
            trouble: "the local network seems to be down", resolvedText: "the local network works again",
            cause: .networkLost(
                domains: affected.count, of: affected.total, canaries: canaries.prefix(8).map(\.inSentence)),
            effect: .unknown(.localNetwork),
            evidence: ["domains": "\(affected.count)", "canaries": canaries.joined(separator: ", ")]
                .filter { !$0.value.isEmpty }, affected: affected)
    }

    static func manyFailing(_ affected: AffectedDomains) -> GlobalReport {
        GlobalReport(
            trouble: "\(affected.words) fail together, at the origin and at Apple's CDN",
            resolvedText: "the domains no longer fail together",
            cause: .manyFailing(domains: affected.count, of: affected.total),
            effect: .ofMany(.silent, domains: affected.count), evidence: ["domains": "\(affected.count)"],
            affected: affected)
    }

    /// `reason`: shared by all of them; nil: they differ. `isOfPhones`: Apple's copy is unknown too.
    static func blind(_ affected: AffectedDomains, _ reason: Diagnosis?, isOfPhones: Bool) -> GlobalReport {
        GlobalReport(
            trouble: isOfPhones
                ? "what phones do is unknown for \(affected.words)"
                : "this machine cannot check the origins of \(affected.words)",
            resolvedText: isOfPhones ? "what phones do is known again" : "this machine can check the origins again",
            cause: .blind(domains: affected.count, of: affected.total),
            effect: reason?.effect.links ?? .unknown(.localNetwork), shared: reason,
            evidence: ["domains": "\(affected.count)"], affected: affected, variant: reason?.id.rawValue ?? "")
    }

    static func cdnWide(_ failure: CDNFailure, _ affected: AffectedDomains, shared: Diagnosis?) -> GlobalReport {
        GlobalReport(
            subject: affected.words, trouble: English.trouble(failure),
            resolvedText: "Apple's CDN no longer fails for many domains",
            cause: .cdnWide(failure, domains: affected.count, of: affected.total),
            effect: .ofMany(failure, domains: affected.count), shared: shared,
            evidence: ["domains": "\(affected.count)"], affected: affected, variant: failure.rawValue)
    }

    static func scheduleBehind(_ affected: AffectedDomains, intervals: Int) -> GlobalReport {
        GlobalReport(
            trouble: "checks are late for \(affected.words)", resolvedText: "checks are on time again",
            cause: .scheduleBehind(domains: affected.count, of: affected.total, intervals: intervals),
            evidence: ["domains": "\(affected.count)"], affected: affected)
    }

    static func reloadRefused(_ refusal: RefusedConfiguration) -> GlobalReport {
        GlobalReport(
            trouble: "the changed configuration is not active", resolvedText: "the configuration file is active",
            cause: .configReloadFailed(fault: refusal.words.displayable.shortened(to: 400)),
            evidence: ["since": refusal.since.rfc3339])
    }

    static func deliveryFailing(_ channel: FailingChannel) -> GlobalReport {
        let name = channel.name.displayable
        let words = channel.words.displayable.shortened(to: 80)
        return GlobalReport(
            trouble: "the channel '\(name)' \(channel.isDisabled ? "refuses" : "accepts no") messages"
                + (words.isEmpty ? "" : ": \(words)"),
            resolvedText: "the channel '\(name)' accepts messages again",
            cause: .deliveryFailing(
                channel: name, isDisabled: channel.isDisabled, answer: channel.words.displayable.shortened(to: 200)),
            evidence: ["channel": name, "since": channel.since.rfc3339])
    }
}

extension Verdict {
    /// The verdict while the local network is suspect: an unreachable site is not the site's fault.
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

/// The domains of a global incident, and which of their incidents it inhibits. It is stored with the incident, so that
/// every reader of the incident knows its domains.
package struct AffectedDomains: Codable, Equatable, Sendable {
    /// In ascending order.
    package let domains: [Domain]
    /// The number of evaluated domains.
    package let total: Int
    /// The kinds of their incidents that it inhibits.
    package let kinds: [IncidentKind]

    /// A message names at most this many: names have up to 253 bytes, and a webhook's body stays under 20 KB.
    package static let mostNamed = 50

    package init(_ domains: [Domain], of total: Int, explaining kinds: Set<IncidentKind> = []) {
        self.domains = domains.sorted()
        self.total = total
        self.kinds = kinds.sorted()
    }

    package var count: Int { domains.count }

    /// `42 of 500 domains`.
    package var words: String { English.share(count, of: total) }

    /// Whether this incident inhibits an incident of a domain.
    package func explains(_ kind: IncidentKind, of domain: Domain) -> Bool {
        kinds.contains(kind) && domains.binaryContains(domain)
    }
}

extension Array where Element: Comparable {
    /// Whether an array in ascending order contains an element.
    fileprivate func binaryContains(_ element: Element) -> Bool {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < element { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low] == element
    }
}
