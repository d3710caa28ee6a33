// The state of a domain in one word. It depends on what phones do, not on the kind of an incident.

import Evidence

/// In the order of the page: worst first. The raw values are used in URLs and JSON and must not change.
package enum DomainStatus: String, Codable, Sendable, CaseIterable {
    /// Links open the website.
    case missing
    /// Phones use the file, but the file does not meet the owners' expectations.
    case expectationFailed = "expectation-failed"
    case stale
    /// Phones use a file that the origin was never seen to serve.
    case divergent
    /// What phones do is unknown, and an incident is firing.
    case unconfirmed
    /// Phones use Apple's copy, but the origin has no file for the next refresh.
    case originFailing = "origin-failing"
    case atRisk = "at-risk"
    /// The change is younger than `stale_after`.
    case propagating
    /// What phones do is unknown.
    case unknown
    /// Not checked yet.
    case waiting
    /// Phones in a mode other than production; they read the origin.
    case direct
    case inSync = "in-sync"

    /// What phones do. The raw values are used in URLs and must not change.
    package enum Tile: String, Sendable, CaseIterable {
        case website
        /// Not as the owners expect: a service or an app is missing. Links may still open the app.
        case unexpected
        case oldFile = "old-file"
        case atRisk = "at-risk-any"
        case unknown = "not-known"
        case current

        /// The statuses that it counts, worst first.
        package var statuses: [DomainStatus] { DomainStatus.allCases.filter { $0.tile == self } }
    }

    package var tile: Tile {
        switch self {
        case .missing: .website
        case .expectationFailed: .unexpected
        case .stale, .divergent, .propagating: .oldFile
        case .originFailing, .atRisk: .atRisk
        case .unconfirmed, .unknown, .waiting: .unknown
        case .direct, .inSync: .current
        }
    }

    package var needsAttention: Bool { self <= .propagating }

    /// The least severe status that needs attention, for queries.
    package static let lastOfAttention = DomainStatus.propagating

    /// The position in that order, for queries.
    package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package init?(rank: Int) {
        guard Self.allCases.indices.contains(rank) else { return nil }
        self = Self.allCases[rank]
    }
}

extension DomainStatus {
    /// What phones do, in a word or two: the one scale of the page, the badge, `check` and `status`.
    package var word: String {
        switch self {
        case .missing: "Opens the website"
        case .expectationFailed: "Not as expected"
        case .stale: "Uses an old file"
        case .divergent: "Uses another file"
        case .unconfirmed: "Not known, failing"
        case .originFailing: "Works, origin failing"
        case .atRisk: "At risk"
        case .propagating: "Propagating"
        case .unknown: "Not known"
        case .waiting: "Not checked yet"
        case .direct: "Up to date at the origin"
        case .inSync: "Up to date"
        }
    }

    /// The same if edges disagree: phones get one file or the other.
    package func word(_ comparison: Comparison.State?) -> String {
        comparison == .mixed && self <= .divergent ? "\(word) at some edges" : word
    }

    /// The same while no monitor checks: nothing is known to be OK.
    package func unchecked(_ level: Verdict.Level?) -> DomainStatus {
        level == .ok || level == nil ? .unknown : self
    }
}

extension DomainStatus: Comparable {
    package static func < (left: DomainStatus, right: DomainStatus) -> Bool { left.rank < right.rank }
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
            // Some edges have the current file: the age of the other copies decides, according to the check.
            case .mixed where verdict.comparison.lagSeconds != nil:
                let findings = verdict.findings + verdict.ignored.map(\.finding)
                self = findings.contains { $0.kind == .stale } ? .stale : .propagating
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

extension Verdict.Level {
    /// How bad a domain is: the worse of what the last check saw and of the firing incidents.
    package init(of verdict: Verdict, open: some Sequence<TrackedIncident>) {
        let fires = open.filter(\.fires)
        if verdict.level == .failing || fires.contains(where: { $0.incident.isFiringError }) {
            self = .failing
        } else if fires.contains(where: { $0.incident.severity > .note }) {
            self = .warning
        } else {
            self = verdict.level
        }
    }
}

extension Verdict.Level {
    /// The same while no monitor checks: nothing is known to be OK. A known problem outweighs an unknown state.
    package var unchecked: Verdict.Level { self == .ok ? .unknown : self }
}

extension Incident {
    fileprivate var isFiringError: Bool { state == .firing && severity == .error }
}

extension TrackedIncident {
    fileprivate var fires: Bool { incident.state == .firing || incident.state == .recovering }
}

extension IncidentKind {
    var isOfOrigin: Bool {
        self == .originBroken || self == .originUnreachable || self == .originInconsistent
    }
}
