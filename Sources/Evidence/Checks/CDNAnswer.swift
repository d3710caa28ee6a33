import Foundation

extension Checks {
    /// The CDN gave no answer about the file: it could not be reached from here, or is itself in trouble.
    @Sendable static func cdnReachability(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn else { return [] }
        var finding = Finding(
            rule: .cdn("unreachable"), severity: .warning, message: "",
            evidence: ["url": cdn.url],
            fix: "check this machine's way to Apple's CDN; phones may reach it all the same",
            reference: Reference.debuggingLinks)
        if let failure = cdn.failure {
            finding.message = "Apple's CDN could not be asked: \(describe(failure))"
            finding.evidence["error"] = failure.detail
            finding.evidence["phase"] = failure.phase.rawValue
        } else if let answer = cdn.answer, !answer.speaksOfFile {
            finding.message = "Apple's CDN answers with status \(answer.status)"
            finding.evidence["status"] = "\(answer.status)"
            finding.fix = "wait and ask again; no device gets the file from this edge meanwhile"
        } else if let answer = cdn.answer, answer.body.end != .complete {
            finding.message = "Apple's CDN did not send the whole file"
            finding.evidence["bytes"] = "\(answer.body.decodedBytes)"
        } else {
            return []
        }
        return [finding]
    }

    private static func describe(_ failure: Failure) -> String {
        switch failure.kind {
        case .nameNotFound: "its name does not resolve here"
        case .timedOut: "no answer in time"
        case .connectionRefused: "the connection was refused"
        case .certificate: "its certificate is refused here (is a proxy reading the traffic?)"
        case .tlsHandshake, .tlsVersion: "the TLS handshake failed"
        default: failure.detail.displayable.shortened(to: 200)
        }
    }

    /// What the CDN holds: nothing, with or without Apple's own reason, or something that is no file.
    @Sendable static func cdnCopy(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn, let answer = cdn.answer, answer.speaksOfFile else {
            return []
        }
        var evidence = ["url": cdn.url, "status": "\(answer.status)"]
        for name in ["apple-failure-reason", "apple-failure-details", "apple-from", "apple-try-direct", "via", "age"] {
            if let value = answer.header(name) {
                evidence[name.replacing("-", with: "_")] = value.displayable.shortened(to: 500)
            }
        }
        if let address = cdn.connection?.address { evidence["address"] = address }
        if answer.status != 200 {
            if let failure = CrawlerFailure(answer) {
                if let left = answer.secondsUntilExpiry { evidence["asked_again_in_seconds"] = "\(left)" }
                let words = [failure.code, failure.reason].compactMap(\.self).joined(separator: " ")
                return [
                    Finding(
                        rule: .cdn("crawler-error"), severity: .error,
                        message: "Apple's CDN has no copy; its crawler says: \(words)", evidence: evidence,
                        fix: CrawlerAdvice.fix(for: failure), reference: Reference.debuggingLinks)
                ]
            }
            guard context.comparison.state == .missing else { return [] }
            return [
                Finding(
                    rule: .cdn("missing"), severity: .error,
                    message: "Apple's CDN has no copy (status \(answer.status)) and gives no reason",
                    evidence: evidence,
                    fix: "Apple asks for a new file within 24 hours; if the copy stays away, look for a firewall that "
                        + "refuses the user agent AASA-Bot", reference: Reference.debuggingLinks)
            ]
        }
        if answer.body.end == .complete, context.readings.cdnBody?.meaning == nil,
            context.readings.cdnBody?.hash != context.readings.originBody?.hash
        {
            return [
                Finding(
                    rule: .cdn("bad-copy"), severity: .error,
                    message: "what Apple's CDN serves is no apple-app-site-association file", evidence: evidence,
                    fix: "make sure that nothing between here and Apple's CDN answers in its place; then look at what "
                        + "the origin serves to the user agent AASA-Bot", reference: Reference.debuggingLinks)
            ]
        }
        return []
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
        case .inSync where comparison.bytesEqual == false:
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
