// One cause, one message: what follows from an origin that is down or broken is not told beside it.

import Evidence

extension IncidentKind {
    /// From which incidents of the same domain this one follows, most likely one first.
    package var causes: [IncidentKind] {
        switch self {
        case .cdnMissing, .cdnStale, .cdnDivergent, .certificateExpiring: [.originUnreachable, .originBroken]
        case .originUnreachable, .originBroken, .originInconsistent, .expectationFailed, .cdnWide, .monitorDegraded: []
        }
    }

    /// Causes first, so that a consequence which is confirmed by the same check finds its cause.
    static let inOrder = ofDomains.sorted { ($0.causes.count, $0) < ($1.causes.count, $1) }
}

extension Evaluation {
    /// The open incident that explains one of this kind; nil where there is none.
    func cause(of kind: IncidentKind) -> IncidentKind? {
        kind.causes.first { cause in
            guard let state = state.open[cause]?.incident.state, state != .pending else { return false }
            let feeding = verdict.findings.filter { $0.severity == .error && IncidentKind.fed(by: $0.rule) == cause }
            // Apple's CDN reads the file from the addresses that are well.
            let isPartial = feeding.allSatisfy { Self.partial.contains($0.rule.rawValue) }
            return feeding.isEmpty || !isPartial
        }
    }

    private static let partial = ["origin.address-unreachable", "origin.ipv6-broken"]
}
