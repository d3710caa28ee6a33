// What our own asking may have brought about: a full check asks some ten times. A server that answers one request and leaves
// another, or asks us to slow down, is neither unreachable nor hostile to Apple.

import Foundation

extension CheckContext {
    /// Whether an address answered any other request of this check than the plain one that was sent to it.
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
        return (observation.full?.addresses ?? []).contains { look in
            (address == nil || look.address.address == address) && readings.serving(of: look.retrieval).isFile
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
    /// In the place of "no answer", where the same server gave the file a moment before or after.
    static func stalled(_ failure: Failure, _ context: CheckContext) -> Finding? {
        guard context.servesAnother else { return nil }
        let name = context.origin.connection?.address ?? context.domain.name
        var finding = stalls([(name, context.origin)])
        finding.evidence.merge(["url": context.origin.url, "phase": failure.phase.rawValue]) { $1 }
        return finding
    }

    static func stalls(_ looks: [(name: String, retrieval: Retrieval)]) -> Finding {
        let told = looks.map { "\($0.name) \($0.retrieval.failure?.words ?? "does not answer")" }
        return Finding(
            rule: .origin("address-stalls"), severity: .warning,
            message: "one request of this check was answered, another to the same address was not: "
                + told.listed(upTo: 3),
            evidence: [
                "addresses": looks.map(\.name).joined(separator: ", "),
                "errors": looks.prefix(8).map { "\($0.name): \($0.retrieval.failure?.detail ?? "")".shortened(to: 200) }
                    .joined(separator: "; "),
            ],
            fix: "see the server's load, and its limits on connections from one client",
            reference: Reference.debuggingLinks)
    }

    /// The origin gives the file, and tells this check besides that it asks too much.
    @Sendable static func originLimits(_ context: CheckContext) -> [Finding] {
        guard context.readings.originFile != nil, let full = context.observation.full else { return [] }
        let others = full.addresses.map(\.retrieval) + full.agents.map(\.retrieval)
        let busy = others.filter(context.isBusy).compactMap(\.answer)
        guard let first = busy.first else { return [] }
        let statuses = Set(busy.map(\.status)).sorted().map(String.init).joined(separator: " and ")
        var evidence = [
            "url": context.origin.url, "status": statuses, "requests": "\(busy.count) of \(others.count + 1)",
        ]
        evidence["retry_after"] = first.header("retry-after")?.shortened(to: 100)
        return [
            Finding(
                rule: .origin("rate-limited"), severity: .note,
                message:
                    "\(busy.count) of this check's \(others.count + 1) requests got status \(statuses): the server "
                    + "limits how often it is asked, or was in trouble for a moment",
                evidence: evidence,
                fix:
                    "nothing needs to be done, unless Apple's crawler reports the same; then take the file out of the limit",
                reference: Reference.debuggingLinks)
        ]
    }
}
