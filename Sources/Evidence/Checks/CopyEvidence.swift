// Apple's copy as evidence for the origin: where Apple's CDN has the file, its crawler was let in.

import Foundation

/// Evidence, not proof: behind the edges lies a tier that may keep a body a day longer than `Age` tells.
struct CopyEvidence {
    /// Seconds since the youngest copy was fetched.
    let age: Int
    /// For how many seconds this machine has not got the file; nil: it gets it.
    let outOfSight: Int?

    private static let day = 86_400

    /// Whether the copy speaks for the origin as it is now. Where this machine gets the file too, every copy does. Where it
    /// does not, the copy must be less than a day old, and fetched less than a day after the file was lost from sight.
    var isRecent: Bool {
        guard let outOfSight else { return true }
        return age < Self.day && outOfSight < age + Self.day
    }

    /// nil where an edge has no file, or another than the origin last served, or Apple says that its crawler failed: all
    /// that is evidence against the origin.
    init?(_ readings: Readings, _ history: CopyHistory, now: Date) {
        let copies = readings.copies
        let isHealthy = copies.allSatisfy { copy in
            guard let answer = copy.answer, let file = readings.file(of: copy) else { return false }
            return file.namesService && answer.body.decodedBytes <= Checks.sizeLimit && answer.failureReason == nil
        }
        guard isHealthy else { return nil }
        let isInSight = readings.originFile?.namesService == true
        let last = isInSight ? nil : history.periods.last?.meaning
        let ages = copies.filter { last == nil || readings.file(of: $0)?.meaning == last }
            // No Age counts as 0: https://www.rfc-editor.org/rfc/rfc9111#section-4.2.3
            .map { $0.answer?.age ?? 0 }
        guard let age = ages.min() else { return nil }
        self.age = age
        outOfSight = isInSight ? nil : Int(max(0, now.timeIntervalSince(history.outOfSightSince ?? now)))
    }
}

extension CheckContext {
    var copyEvidence: CopyEvidence? { CopyEvidence(readings, history, now: now) }

    /// Whether the plain request was turned away, and every other place gets the file.
    var isTurnedAwayAlone: Bool {
        guard readings.turnsClientAway(origin) else { return false }
        return (observation.full?.vantages ?? []).allSatisfy {
            $0.retrieval.failure?.isOwnFault == true || readings.file(of: $0.retrieval) != nil
        }
    }

    /// The finding as it weighs beside Apple's copy: what this machine alone meets is a warning. Every finding passes here.
    func weighed(_ finding: Finding) -> Finding {
        guard finding.severity == .error, isOfThisMachine(finding), let evidence = copyEvidence, evidence.isRecent
        else { return finding }
        var finding = finding
        finding.severity = .warning
        finding.message += "; Apple's CDN has the file all the same"
        finding.evidence["cdn_age_seconds"] = "\(evidence.age)"
        finding.evidence["cdn_sha256"] = readings.cdnFile?.hash.hex
        finding.fix =
            "look from another network, or let this machine pass: Apple's copy shows that its crawler gets the file"
        return finding
    }

    /// Whether a finding is about what this machine alone may meet: an answer that turns it away, in whatever form, and
    /// addresses that its own resolver gave.
    private func isOfThisMachine(_ finding: Finding) -> Bool {
        let rule = finding.rule
        // A redirect to such an address is everybody's.
        if rule == .origin("not-public-address") { return origin.redirectStop != .privateAddress }
        return isTurnedAwayAlone
            && ([.origin("status"), .origin("content-type")].contains(rule) || rule.rawValue.hasPrefix("aasa."))
    }
}

extension Readings {
    /// Whether the answer sends a client away for who or where it is, or for how often it asks. A hosting platform that has
    /// no such site or file says so to everybody.
    func turnsClientAway(_ retrieval: Retrieval) -> Bool {
        guard let answer = retrieval.answer, HostingSighting(answer, content(of: answer)) == nil else { return false }
        return [401, 403, 429, 451].contains(answer.status) || protection(of: retrieval) != nil
    }
}
