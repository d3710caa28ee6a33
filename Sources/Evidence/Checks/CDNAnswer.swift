import Foundation

extension Checks {
    /// The CDN gave no answer about the file: it could not be reached from here, or is itself in trouble.
    @Sendable static func cdnReachability(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn, let trouble = CDNTrouble(cdn) else { return [] }
        var evidence = ["url": cdn.url]
        if let failure = cdn.failure {
            evidence["error"] = failure.detail
            evidence["phase"] = failure.phase.rawValue
        }
        if let answer = cdn.answer {
            evidence["status"] = "\(answer.status)"
            if answer.status == 200 { evidence["bytes"] = "\(answer.body.decodedBytes)" }
            evidence["retry_after"] = answer.header("retry-after")?.shortened(to: 100)
        }
        return [
            Finding(
                rule: .cdn("unreachable"), severity: .warning, message: "Apple's CDN \(trouble.words)",
                evidence: evidence, fix: trouble.fix, reference: Reference.debuggingLinks)
        ]
    }

    /// How Apple's copy stands to the origin's.
    @Sendable static func cdnFreshness(_ context: CheckContext) -> [Finding] {
        let comparison = context.comparison
        var evidence = ["url": context.cdn?.url ?? ""]
        evidence["origin_sha256"] = context.readings.originFile?.hash.hex
        evidence["cdn_sha256"] = context.readings.cdnBody?.hash.hex
        if let since = comparison.changedAt { evidence["changed_at"] = since.rfc3339 }
        if let since = comparison.changedAfter { evidence["changed_after"] = since.rfc3339 }
        let age = TimeInterval(comparison.lagSeconds ?? 0).inWords
        var finding = Finding(
            rule: .cdn("stale"), severity: .error, message: "", evidence: evidence, fix: "",
            reference: Reference.debuggingLinks)
        switch comparison.state {
        case .stale:
            finding.message = "Apple's CDN still serves the old file, \(age) after the origin changed"
            finding.fix =
                "the CDN cannot be purged: make sure that Apple's crawler gets the new file (no firewall, no redirect, "
                + "a good certificate), then report it to Apple with this evidence"
        case .propagating:
            finding.rule = .cdn("propagating")
            finding.severity = .note
            finding.message = "the origin changed \(age) ago; Apple's CDN does not serve the new file yet"
            finding.fix = "wait; Apple asks for a changed file within about 24 hours"
        case .divergent:
            if context.readings.cdnBody?.meaning == nil { return [] }
            finding.rule = .cdn("divergent")
            finding.severity = .warning
            finding.message = "Apple's CDN serves another file than the origin, and it is not known since when"
            finding.fix =
                "if the file was changed less than a day ago, wait; if not, find out whether Apple's crawler is served "
                + "another variant (geo rule, A/B test, several servers)"
        case .inSync
        where comparison.bytesEqual == false
            && context.readings.cdnBody?.meaning == context.readings.originFile?.meaning:
            finding.rule = .cdn("formatting-differs")
            finding.severity = .note
            finding.message = "Apple's copy differs from the origin's in formatting only; it means the same"
            finding.fix = "nothing needs to be done"
        default:
            return []
        }
        return [finding]
    }
}
