import Foundation

extension Checks {
    /// No answer at all: the name, the network, time, or bytes that are no HTTP.
    @Sendable static func originReachability(_ context: CheckContext) -> [Finding] {
        guard let failure = context.origin.failure, !failure.isOfTLS else { return [] }
        if let finding = stalled(failure, context) { return [finding] }
        let host = context.metHost
        // Behind a proxy the address is the proxy's.
        let address = context.origin.connection?.viaProxy == true ? nil : context.origin.connection?.address
        var evidence = context.answerEvidence
        evidence["address"] = address
        evidence["phase"] = failure.phase.rawValue
        evidence["error"] = failure.detail
        evidence["cname"] = failure.alias
        if let cause = ownFault(failure, context) {
            if case .tlsIntercepted = cause { evidence["authority"] = context.origin.refusedAuthority ?? "" }
            return [Finding(.monitor(cause), evidence: evidence)]
        }
        // The redirect that led to a private address has a finding of its own.
        guard context.origin.redirectStop != .privateAddress || context.origin.redirects.isEmpty,
            let fault = OriginFault(of: context.origin, host: host.name, now: context.now)
        else { return [] }
        let place = address ?? host.name.inSentence
        return [host.placing(Finding(.origin(.fault(fault, at: place)), evidence: evidence))]
    }

    /// What says nothing about the server.
    private static func ownFault(_ failure: Failure, _ context: CheckContext) -> MonitorCause? {
        let (host, detail) = (context.metHost.name.inSentence, failure.detail.inSentence)
        return switch failure.kind {
        case .nameServerFailure: .nameServerFailed(host: host, answer: detail)
        case .noNameServer: .nameServerFailed(host: host, answer: nil)
        case .intercepted:
            .tlsIntercepted(host: host, authority: (context.origin.refusedAuthority ?? "").inSentence)
        case .own, .proxy: .ownFault(detail: detail)
        default: nil
        }
    }
}
