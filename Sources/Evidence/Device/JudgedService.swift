// A check of one service of a domain, named as in an entitlement: `webcredentials:example.com`. Whether links open says
// nothing about passkeys.

import AASA
import Foundation

/// The service that a person asks about. Every check covers `applinks` anyway.
package struct JudgedService: Equatable, Sendable {
    /// Such as `webcredentials`.
    package let name: String

    package init(_ name: String) { self.name = name }

    /// What people call it, and whether that is a plural.
    /// https://developer.apple.com/documentation/xcode/configuring-an-associated-domain
    private var known: (words: String, isPlural: Bool) {
        switch name {
        case "applinks": ("Links", true)
        case "webcredentials": ("Passkeys and password AutoFill", true)
        case "appclips": ("App Clips", true)
        case "activitycontinuation": ("Handoff", false)
        case "authsrv": ("Single sign-on", false)
        case "messagefilter": ("The filter of messages", false)
        case "classificationreport": ("Reports of unwanted calls and messages", true)
        default: (name.inSentence, false)
        }
    }

    private var works: String { "\(known.words) \(known.isPlural ? "work" : "works")" }
    private var fails: String { "\(known.words) \(known.isPlural ? "do" : "does") not work" }

    /// Whether a finding is about another service's part of the file.
    func isOther(_ finding: Finding) -> Bool {
        let part = finding.problem.pointer?.split(separator: "/", maxSplits: 1).first.map(String.init)
        return part.map { $0 != name && Association.knownServices.contains($0) } ?? false
    }

    /// What phones do, in words; nil if that is the same for every service.
    package func effect(of verdict: Verdict, _ readings: Readings) -> String? {
        guard name != "applinks" else { return nil }
        let effect = verdict.diagnosis.effect
        if case .unknown = effect.links { return nil }
        let isCopy = readings.observation.mode.readsCDN
        let place = isCopy ? "Apple's copy" : "the origin's file"
        let phones = isCopy ? "" : " on phones in \(effect.phones.rawValue) mode"
        let copies = isCopy ? readings.copies : [readings.observation.origin]
        let apps = copies.map { copy in readings.file(of: copy).map { Set(self.apps(of: $0)) } }
        guard !apps.isEmpty else { return nil }
        let without = apps.count { $0?.isEmpty ?? true }
        if without == apps.count {
            let why = apps.allSatisfy { $0 == nil } ? "phones get no file" : "\(place) names no app for \(name)"
            return "\(fails)\(phones): \(why)."
        }
        if without > 0 { return "\(fails) at \(without) of Apple's \(apps.count) edges." }
        guard isCopy, let origin = readings.originFile.map({ Set(self.apps(of: $0)) }),
            apps.contains(where: { $0 != origin })
        else { return "\(works)\(phones)." }
        return "\(works) for the apps that Apple's copy names. The origin's file names other apps for \(name)."
    }

    private func apps(of file: ContentReading) -> [String] {
        // For a duplicate key the last one counts, as everywhere else.
        let services = file.document.map { AssociationFile($0).services } ?? []
        return services.last { $0.name == name }?.appIDs ?? []
    }
}

extension Verdict {
    /// The verdict for one service: problems of other services stay in it as notes and decide nothing.
    package func about(_ service: JudgedService) -> Verdict {
        var verdict = self
        var others: Set<Rule> = []
        for index in findings.indices where findings[index].severity > .note && service.isOther(findings[index]) {
            verdict.findings[index].severity = .note
            others.insert(findings[index].rule)
        }
        guard !others.isEmpty else { return self }
        verdict.findings =
            verdict.findings.filter { $0.severity > .note } + verdict.findings.filter { $0.severity == .note }
        if level == .failing || level == .warning {
            let worst = verdict.findings.map(\.severity).max()
            verdict.level = worst == .error ? .failing : worst == .warning ? .warning : .ok
        }
        if let rule = diagnosis.cause.rule, others.contains(rule),
            !verdict.findings.contains(where: { $0.rule == rule && $0.severity > .note })
        {
            // What the check would have said without that finding.
            if case .followFaultyFile = diagnosis.effect.links { verdict.diagnosis.effect.links = .work(seen: nil) }
            if !diagnosis.effect.phones.readsCDN {
                verdict.diagnosis.cause = .copy(.otherMode(diagnosis.effect.phones))
            } else if comparison.state == .inSync {
                verdict.diagnosis.cause = .copy(.inSync)
            }
        }
        return verdict
    }
}
