// The kinds of problems that people are alerted to.

package enum IncidentKind: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable, Comparable {
    case originUnreachable = "origin.unreachable"
    case originBroken = "origin.broken"
    case originInconsistent = "origin.inconsistent"
    /// The file itself: it has an error, or no longer opens any link.
    case fileBroken = "file.broken"
    case cdnMissing = "cdn.missing"
    case cdnStale = "cdn.stale"
    case cdnDivergent = "cdn.divergent"
    /// Apple's side failed for many domains at once.
    case cdnWide = "cdn.wide"
    case certificateExpiring = "certificate.expiring"
    case expectationFailed = "expectation.failed"
    /// A problem of the monitor: the network, the store, a channel, the schedule.
    case monitorDegraded = "monitor.degraded"
    /// A new version of the origin's file on its way to Apple's CDN. It is not a problem and never counts as open. Only
    /// channels with `notify: [changes]` are notified of it.
    case change

    /// The kinds that are problems.
    package static let allCases: [IncidentKind] = [
        .originUnreachable, .originBroken, .originInconsistent, .fileBroken, .cdnMissing, .cdnStale, .cdnDivergent,
        .cdnWide, .certificateExpiring, .expectationFailed, .monitorDegraded,
    ]

    /// Whether it is not about a single domain.
    package var isGlobal: Bool { self == .cdnWide || self == .monitorDegraded }

    /// The kinds that a domain can have.
    package static let ofDomains = allCases.filter { !$0.isGlobal }

    package static func < (left: IncidentKind, right: IncidentKind) -> Bool { left.rawValue < right.rawValue }

    /// Whether one more failing check confirms a pending incident. Apple's propagation does not cause these kinds.
    package var isConfirmedByCount: Bool {
        switch self {
        case .originUnreachable, .originBroken, .originInconsistent, .fileBroken, .expectationFailed: true
        case .cdnMissing, .cdnStale, .cdnDivergent, .certificateExpiring, .cdnWide, .monitorDegraded, .change: false
        }
    }

    /// Whether it is about Apple's copy.
    package var isOfCDN: Bool { rawValue.hasPrefix("cdn.") }
}
