// The state of a domain in one word. It follows from what phones do, not from the kind of an incident.

import Evidence

/// In the order of the page: worst first.
package enum DomainStatus: Int, Codable, Sendable, CaseIterable {
    /// Links open the website.
    case missing
    /// Links do what the file says, which is not what its owners expect.
    case expectationFailed
    case stale
    /// Phones follow a file that the origin was not seen to serve.
    case divergent
    /// What phones do is not known, and an incident fires: this machine gets no answer anywhere, and nobody knows why.
    case unconfirmed
    /// Phones follow Apple's copy, and the origin has no file for the next.
    case originFailing
    case atRisk
    /// The change is younger than `stale_after`.
    case propagating
    /// What phones do is not known.
    case unknown
    /// Not checked yet.
    case waiting
    /// Phones in another mode than production, which read the origin.
    case direct
    case inSync

    /// What phones do. The raw values are stable, for addresses.
    package enum Tile: String, Sendable, CaseIterable {
        case website
        case oldFile = "old-file"
        case atRisk = "at-risk-any"
        case unknown = "not-known"
        case current

        /// Those that it counts, worst first.
        package var statuses: [DomainStatus] { DomainStatus.allCases.filter { $0.tile == self } }
    }

    package var tile: Tile {
        switch self {
        case .missing, .expectationFailed: .website
        case .stale, .divergent, .propagating: .oldFile
        case .originFailing, .atRisk: .atRisk
        case .unconfirmed, .unknown, .waiting: .unknown
        case .direct, .inSync: .current
        }
    }

    /// Whether somebody should look at it.
    package var needsAttention: Bool { self < .unknown }

    /// The least severe of those that need attention, for queries.
    package static let lastOfAttention = DomainStatus.propagating

    /// Stable, for addresses and JSON.
    package var name: String {
        switch self {
        case .missing: "missing"
        case .expectationFailed: "expectation-failed"
        case .stale: "stale"
        case .divergent: "divergent"
        case .unconfirmed: "unconfirmed"
        case .originFailing: "origin-failing"
        case .atRisk: "at-risk"
        case .propagating: "propagating"
        case .unknown: "unknown"
        case .waiting: "waiting"
        case .direct: "direct"
        case .inSync: "in-sync"
        }
    }

    package init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

extension DomainStatus: Comparable {
    package static func < (left: DomainStatus, right: DomainStatus) -> Bool { left.rawValue < right.rawValue }
}

extension DomainStatus {
    /// `open`: the open incidents of the domain.
    package init(of verdict: Verdict?, open: some Sequence<TrackedIncident>) {
        guard let verdict else {
            self = .waiting
            return
        }
        let comparison = verdict.comparison.state
        let effect = verdict.diagnosis.effect
        switch effect.links {
        case .openWebsite: self = .missing
        case .followUnexpectedFile: self = .expectationFailed
        case .followOtherFile:
            switch comparison {
            case .stale: self = .stale
            case .propagating: self = .propagating
            // Some edges have the present file: how old the others are says which of the two it is.
            case .mixed where verdict.comparison.lagSeconds != nil:
                self = open.contains { $0.incident.kind == .cdnStale && $0.hasFired } ? .stale : .propagating
            default: self = .divergent
            }
        case .unknown: self = open.contains(where: \.fires) ? .unconfirmed : .unknown
        case .work, .followFaultyFile, .none, .unaffected, .ofMany:
            let fires = open.filter(\.fires)
            if comparison == .originUnavailable || fires.contains(where: { $0.incident.kind.isOfOrigin }) {
                self = .originFailing
            } else if fires.isEmpty, verdict.level == .unknown {
                self = .unknown
            } else if fires.isEmpty, verdict.level == .ok {
                self = effect.phones == .production ? .inSync : .direct
            } else {
                self = .atRisk
            }
        }
    }
}

extension TrackedIncident {
    fileprivate var fires: Bool { incident.state == .firing || incident.state == .recovering }
}

extension IncidentKind {
    var isOfOrigin: Bool {
        self == .originBroken || self == .originUnreachable || self == .originInconsistent
    }
}
