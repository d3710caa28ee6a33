// The texts of messages, shared by all channels. They are not escaped: each channel escapes for itself.

import Evidence
import Foundation
import Monitoring

extension Incident {
    /// A prefix of the id that is long enough for commands.
    var shortID: String { String(id.prefix(12)) }
}

extension Alert {
    /// One line with the subject and the trouble.
    package var summary: String {
        if isTest { return "test message from aasa-monitor: nothing is wrong with \(subject)" }
        if isChange, !isOver { return "\(subject): \(trouble)" }
        if isOver { return "\(subject): \(end) (\(lasted))" }
        return "\(subject): \(summaryPrefix)\(trouble)" + (certificateEnd == nil ? " (\(lasting))" : "")
            + (refusers.isEmpty ? "" : ", refused by \(refusers.joined(separator: ", "))")
    }

    private var summaryPrefix: String {
        switch reason {
        case .firing, .escalated, .resolved, .wasFiring: ""
        case .again: "again: "
        case .worse: "worse: "
        case .changed: "changed: "
        case .flapping: "flapping, notifications paused: "
        case .reminder: "still: "
        case .acknowledged: "acknowledged: "
        }
    }

    /// How this message differs from the first one, in words between the subject and the effect; empty for the first.
    private var turn: String {
        if isTest { return "test" }
        if isChange { return "" }
        return switch reason {
        case .firing, .escalated: ""
        case .again: "again"
        case .worse: "worse"
        case .changed: "changed"
        case .flapping: "flapping, notifications paused"
        case .reminder: "still"
        case .acknowledged: "acknowledged"
        // Nobody knows whether the trouble has ended.
        case .resolved: incident.reason == .removed ? "" : "resolved"
        case .wasFiring: "was firing, resolved"
        }
    }

    /// The first line of a message, which lock screens show: whose links, and what they do. Contains only the monitor's
    /// own words and the names of domains.
    var headline: String {
        let effect = headlineEffect
        let names = digest.map { digest in
            // A domain may have several incidents of one kind.
            let (alerts, domains) = (digest.alerts.count, digest.domains.count)
            return domains == alerts
                ? "\(domains) domains" : "\(alerts) incidents of \(domains) \(domains == 1 ? "domain" : "domains")"
        }
        let subject = names ?? self.subject
        let head = [subject, turn].filter { !$0.isEmpty }.joined(separator: ", ")
        // A long name leaves no room for the effect on a lock screen.
        return subject.count > 40 && head.count + effect.count > Self.preview
            ? "\(effect): \(head)" : "\(head): \(effect)"
    }

    /// How much of a message a notification shows, in characters.
    private static let preview = 80

    private var headlineEffect: String {
        if isTest { return "nothing is wrong" }
        if let digest {
            if isOver { return digest.common(\.end) ?? "all of them" }
            return digest.common(\.phonesInBrief) ?? Self.troubles(incident.kind)
        }
        return isOver ? endInBrief : effectInBrief
    }

    /// What phones do. If that is unknown, or not affected yet: what is wrong.
    var effectInBrief: String { phonesInBrief ?? trouble }

    /// What phones do; nil if something else is the news.
    var phonesInBrief: String? {
        if isChange || incident.kind == .monitorDegraded || incident.kind == .certificateExpiring { return nil }
        let effect = facts.diagnosis.effect
        return switch effect.links {
        case .work, .none, .unaffected, .unknown: nil
        case .followFaultyFile, .followUnexpectedFile, .openWebsite, .followOtherFile, .ofMany: English.brief(effect)
        }
    }

    private var endInBrief: String {
        guard !isChange, incident.domain != nil, incident.reason != .removed else { return end }
        let effect = facts.diagnosis.effect
        return switch effect.links {
        // It has ended, and what phones do is the news.
        case .work: "links work"
        case .unaffected, .unknown, .none, .ofMany: end
        case .followFaultyFile, .followUnexpectedFile, .openWebsite, .followOtherFile:
            "but \(English.brief(effect))"
        }
    }

    /// What was wrong during an ended incident, in one or two sentences. nil while it is open, if it was not trouble, and
    /// if the message says the same about what is still wrong.
    var past: String? {
        guard isOver, !isChange, digest == nil, let was, let wasText else { return nil }
        if facts.isStillFailing == true, (text.effect, text.cause) == (wasText.effect, wasText.cause) { return nil }
        // "Links work now" is not trouble, and it is in the present tense.
        let effect: String? =
            switch was.diagnosis.effect.links {
            case .work, .unaffected: nil
            default: wasText.effect
            }
        let sentences = [effect, wasText.cause].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// The affected domain or domains, in a few words.
    var subject: String { facts.subject ?? incident.subjectName }

    /// `for 25 h`; `just now` for less than a second; the period of the start if that is known only roughly.
    var lasting: String {
        roughStart ?? (at.timeIntervalSince(incident.since) < 1 ? "just now" : "for \(duration)")
    }

    /// The period in which it began, if nobody monitored the domain then; nil: the start is known well enough.
    var roughStart: String? {
        guard let after = facts.beganAfter, OriginChange(at: incident.since, after: after).isMuchOlder(at: at) else {
            return nil
        }
        return "began \(English.between(after, incident.since)), while not monitored"
    }

    /// `after 25 h`, for an end; the period of the end if that is known only roughly.
    var lasted: String { roughEnd.map { "ended \($0)" } ?? "after \(duration)" }

    /// The period in which it ended, if nobody monitored the domain then; nil: the end is known well enough.
    var roughEnd: String? {
        let lasted = (incident.resolvedAt ?? at).timeIntervalSince(incident.since)
        // For a long incident the duration matters more than the exact end.
        guard let ended = facts.ended, let after = ended.after, ended.at.timeIntervalSince(after) > lasted / 4 else {
            return nil
        }
        return "\(English.between(after, ended.at)), while not monitored"
    }

    /// The expiry date of the certificate. Messages state it instead of the incident's age.
    private var certificateEnd: Date? {
        incident.kind == .certificateExpiring && !isOver ? facts.findings.lazy.compactMap(\.certificateEnd).min() : nil
    }

    /// `for 25 h`, or `expires on 2026-12-01, in 6 d`.
    var span: String { certificateEnd.map(expiry) ?? lasting }

    private func expiry(_ end: Date) -> String {
        let day = Span.day(end)
        return at < end ? "expires on \(day), in \(Span.words(end.timeIntervalSince(at)))" : "expired on \(day)"
    }

    var duration: String { Span.words((incident.resolvedAt ?? at).timeIntervalSince(incident.since)) }

    var trouble: String {
        let facts = was ?? facts
        if let trouble = facts.trouble { return trouble }
        return switch incident.kind {
        case .originUnreachable: "the origin is unreachable"
        case .originBroken: facts.brokenOrigin
        case .originInconsistent: "the origin serves different files"
        case .fileBroken: facts.brokenFile
        case .cdnMissing: "Apple's CDN has no copy of the file"
        case .cdnStale: facts.oldCopy
        case .cdnDivergent: "Apple's CDN serves a different file than the origin"
        case .certificateExpiring: "the certificate \(certificateEnd.map(expiry) ?? "expires soon")"
        case .expectationFailed: "the file does not meet the expectations"
        case .cdnWide: "Apple's CDN fails for many domains"
        case .monitorDegraded: "the monitor has a problem"
        case .change: "a new version is live at the origin"
        }
    }

    /// A plural for several incidents of the kind.
    static func troubles(_ kind: IncidentKind) -> String {
        switch kind {
        case .originUnreachable: "the origins are unreachable"
        case .originBroken: "the origins do not serve their files correctly"
        case .originInconsistent: "each origin serves different files"
        case .fileBroken: "the files at the origins have errors"
        case .cdnMissing: "Apple's CDN has no copies of the files"
        case .cdnStale: "Apple's CDN still serves the old files"
        case .cdnDivergent: "Apple's CDN serves different files than the origins"
        case .certificateExpiring: "the certificates expire soon"
        case .expectationFailed: "the files do not meet the expectations"
        case .cdnWide: "Apple's CDN fails for many domains"
        case .monitorDegraded: "the monitor has a problem"
        case .change: "new versions are live at the origins"
        }
    }

    /// Why it ended.
    var end: String {
        if let resolvedText = facts.resolvedText { return resolvedText }
        return switch incident.reason {
        case .cdnCaughtUp: "Apple's CDN serves the origin's file now"
        case .cdnRefreshed: "Apple's CDN serves a newer file, but not yet the newest"
        case .originReverted: "the origin serves the same file as Apple's CDN again"
        case .superseded: "another problem replaced this one"
        case .ignored: "the configuration ignores what is still wrong"
        case .removed:
            incident.kind.isOfCDN ? "Apple's copy is no longer monitored" : "the domain is no longer monitored"
        case .recovered, nil:
            switch incident.kind {
            // The state before the incident is unknown: the trouble may be as old as the domain.
            case .originUnreachable: "the origin is reachable now"
            case .originBroken: "the origin serves a valid file now"
            case .originInconsistent: "the origin serves one file now"
            case .fileBroken: "the file at the origin has no error now"
            case .cdnMissing: "Apple's CDN has a copy now"
            case .cdnStale, .cdnDivergent: "every URL now does the same with Apple's copy as with the origin's file"
            case .certificateExpiring: "the certificate was renewed"
            case .expectationFailed: "the file meets the expectations now"
            case .cdnWide: "Apple's CDN no longer fails for many domains"
            case .monitorDegraded: "the monitor has no problem now"
            case .change: "every edge serves the new version"
            }
        }
    }

    /// What is still wrong after an end; nil: nothing.
    var remainder: String? {
        guard isOver else { return nil }
        if facts.isStillFailing == true {
            return (["Still wrong:", text.effect] + [text.cause, text.action].compactMap(\.self)).joined(separator: " ")
        }
        guard incident.cause?.inhibits.isEmpty == false else { return nil }
        return "Any domain that still fails gets its own alert."
    }

    /// `team=growth, tier=1`; nil without labels.
    var labelText: String? {
        labels.isEmpty ? nil : labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }

    /// The channels that this one replaces, each with its error; empty if there are none.
    private var refusers: [String] {
        var seen: Set<String> = []
        return refusals.filter { seen.insert($0.channel).inserted }
            .map { "channel '\($0.channel)'" + ($0.words.map { " (\($0))" } ?? "") }
    }

    var refusedBy: String? { refusers.isEmpty ? nil : "\(refusers.joined(separator: ", ")). Sent here instead." }

    /// How to acknowledge; nil if that is not possible.
    var acknowledging: String? {
        guard let digest else { return canBeAcknowledged ? "aasa-monitor ack \(incident.shortID)" : nil }
        return digest.alerts.contains(where: \.canBeAcknowledged)
            ? "aasa-monitor ack ID (the ID ends each line)" : nil
    }

    /// The first domains of a global incident; empty for an incident of one domain.
    var affectedDomains: [String] {
        guard let affected = facts.affected, !isOver else { return [] }
        let names = affected.domains.prefix(Digest.shown).map(\.name)
        let rest = affected.count - names.count
        return names + (rest > 0 ? ["… and \(rest) more"] : [])
    }
}

// MARK: - Headlines of `cdn.stale`

extension IncidentFacts {
    fileprivate var oldCopy: String {
        switch comparison.change?.way {
        case .changed, nil: "Apple's CDN still serves the old file"
        case .rolledBack: "Apple's CDN still serves the withdrawn file"
        case .wentBack: "Apple's CDN went back to an older file"
        }
    }
}

// MARK: - Headlines of `file.broken`

extension IncidentFacts {
    /// While Apple has an older copy, phones use that one.
    var brokenFile: String {
        let isBeforeApple = [.propagating, .stale, .divergent, .mixed].contains(comparison.state)
        let trouble =
            if findings.contains(where: { $0.kind == .linksRemoved }) {
                "the file no longer opens any app"
            } else if findings.contains(where: { $0.rule == Self.namesNoApp && $0.problem.pointer == "/applinks" }) {
                "the file opens no app"
            } else {
                "the file at the origin has an error"
            }
        return isBeforeApple ? "\(trouble), and Apple may fetch it at any time" : trouble
    }

    private static let namesNoApp = Rule(lint: "service-without-apps")
}

// MARK: - Headlines of `origin.broken`
// The kind has many causes. Refusals, addresses that Apple does not use, and other vantages are not faults of the file.

extension IncidentFacts {
    /// From the cause of the diagnosis; if that has no headline, from the incident's own findings.
    var brokenOrigin: String {
        Self.headline(of: diagnosis.cause) ?? findings.lazy.compactMap { Self.headline(of: $0.problem, isLead: false) }
            .first
            ?? "the origin serves no valid file"
    }

    private static func headline(of cause: Cause) -> String? {
        switch cause.id {
        case .challengedHere: "bot protection answers instead of the origin"
        case .refusedHereOnly, .elsewhereFine, .turnedAwayHere, .turnedAwayForLong: "the origin refuses this machine"
        case .vantageRefused: "the origin refuses other locations"
        case .vantageDiffers: otherPlace
        case .crawlerPrivateAddress, .privateAddressHere: privateAddress
        case .siteUnknown: "the domain points to a host that does not know it"
        case .siteStopped: "the site is switched off at its host"
        case .notDeployed, .dotFolderDropped, .extensionRefused: "the origin has no file"
        case .rootOnly: "the file is only at the root"
        case .redirectToNothing: redirect
        default: if case .finding(_, let problem, _) = cause { headline(of: problem, isLead: true) } else { nil }
        }
    }

    /// `isLead`: the problem is the cause of the diagnosis.
    private static func headline(of problem: Problem, isLead: Bool) -> String? {
        switch problem.kind {
        case .crawlerRefused: "the origin refuses Apple's user agents"
        case .vantageRefused: otherPlace
        case .notPublicAddress: privateAddress
        case .redirect, .redirectInsecure, .redirectLoop: redirect
        default: if isLead, case .origin(.status(let answer)) = problem { headline(of: answer) } else { nil }
        }
    }

    private static func headline(of answer: StatusAnswer) -> String? {
        switch (answer.fault, answer.status) {
        case (.status, 401), (.status, 403): "the origin refuses this machine"
        case (_, 429): "the origin limits this machine's requests"
        case (.behindCloudflare, _), (.busy, _), (_, 500...): "the origin is in trouble"
        default: nil
        }
    }

    private static let otherPlace = "the origin answers other locations differently"
    private static let privateAddress = "the domain has an address that is not public"
    private static let redirect = "the origin redirects instead of serving the file"
}
