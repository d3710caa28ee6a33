import Foundation

extension Checks {
    /// The CDN gave no answer about the file: it could not be reached from here, or is itself in trouble.
    @Sendable static func cdnReachability(_ context: CheckContext) -> [Finding] {
        guard let cdn = context.cdn, let fault = CDNFault(cdn) else { return [] }
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
                .cdn(.unreachable(fault, host: cdn.host, detail: cdn.failure?.detail.inSentence)), evidence: evidence)
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
        let lag = comparison.lagSeconds ?? 0
        let matter: CDNMatter? =
            switch comparison.state {
            case .stale: .stale(lag: lag)
            case .propagating: .propagating(lag: lag)
            case .divergent where context.readings.cdnBody?.meaning != nil: .divergent
            case .inSync
            where comparison.bytesEqual == false
                && context.readings.cdnBody?.meaning == context.readings.originFile?.meaning:
                .formattingDiffers
            default: nil
            }
        return matter.map { [Finding(.cdn($0), evidence: evidence)] } ?? []
    }
}
