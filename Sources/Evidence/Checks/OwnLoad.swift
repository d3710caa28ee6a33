// What our own requests may have caused: a full check sends about ten. A server that answers one request and not
// another, or asks us to slow down, is not unreachable and not hostile to Apple.

import Facts
import Foundation

extension CheckContext {
    /// Whether an address answered any request of this check other than the plain one that was sent to it.
    func answersAnother(_ address: String) -> Bool {
        if origin.answer != nil, origin.redirects.isEmpty, origin.connection?.address == address { return true }
        return (observation.full?.agents ?? []).contains {
            ($0.address ?? $0.retrieval.connection?.address) == address && $0.retrieval.answer != nil
        }
    }

    /// Whether the address that left the request by name unanswered gave the file to another plain request.
    fileprivate var servesAnother: Bool {
        guard origin.redirects.isEmpty, let failure = origin.failure, failure.isSilence else { return false }
        let address = origin.connection?.address
        return (observation.full?.addresses ?? []).contains { result in
            (address == nil || result.address.address == address) && readings.served(by: result.retrieval).isFile
        }
    }
}

extension Failure {
    fileprivate var isSilence: Bool {
        switch kind {
        case .timedOut, .connectionRefused, .connectionReset, .unreachable, .truncated: true
        default: false
        }
    }
}

extension Checks {
    /// Replaces "no answer" if the same server gave the file a moment before or after.
    static func stalled(_ failure: Failure, _ context: CheckContext) -> Finding? {
        guard context.servesAnother else { return nil }
        let name = context.origin.connection?.address ?? context.domain.name
        var finding = stalls([(name, context.origin)], context)
        finding.add(["url": context.origin.url, "phase": failure.phase.rawValue])
        return finding
    }

    static func stalls(_ results: [(name: String, retrieval: Retrieval)], _ context: CheckContext) -> Finding {
        Finding(
            .origin(.stalls(results.map { ServedAt([$0.name], context.readings.served(by: $0.retrieval)) })),
            evidence: errors(results))
    }

    /// The origin gives the file, but also tells this check that it sends too many requests.
    @Sendable static func originLimits(_ context: CheckContext) -> [Finding] {
        guard context.readings.originFile != nil, let full = context.observation.full else { return [] }
        // A server that answers nothing else differs from the others, and has its own finding.
        let faulty = Set(context.answeringAddresses.filter { context.isBusy($0.retrieval) }.map(\.address.address))
        let others: [(String, Retrieval)] =
            full.addresses.map { ($0.address.address, $0.retrieval) }
            + full.agents.map { ($0.address ?? $0.retrieval.connection?.address ?? "", $0.retrieval) }
        let busy = others.filter { !faulty.contains($0.0) && context.isBusy($0.1) }.compactMap(\.1.answer)
        guard let first = busy.first else { return [] }
        let statuses = Set(busy.map(\.status)).sorted()
        let all = others.count + 1
        var evidence = ["url": context.origin.url]
        evidence["retry_after"] = first.header("retry-after")?.shortened(to: 100)
        return [Finding(.origin(.rateLimited(busy.count, of: all, statuses: statuses)), evidence: evidence)]
    }
}
