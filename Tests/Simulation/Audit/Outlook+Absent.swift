// Silent edges and addresses do not count as healthy: finds incidents that ended although one of them was wrong when
// last heard.

import Evidence
import Foundation
import Monitoring

/// After so many silent full checks an edge does not count any more.
private let patience = 3

struct EdgeOutlook {
    private struct Edge {
        var copy: SimulatedSite.Copy
        /// What was wrong with it when it last answered, if that could be known.
        var fault: IncidentKind?
        var silentChecks = 0
    }

    private var edges: [Int: Edge] = [:]

    /// The last known copies of the edges that this check did not hear.
    func remembered(besides fetched: FetchResult) -> [SimulatedSite.Copy] {
        edges.filter { fetched.edges[$0.key] == nil && $0.value.silentChecks < patience }.map(\.value.copy)
    }

    /// `isOld`: whether the origin served a version before.
    mutating func take(
        _ fetched: FetchResult, _ before: DomainState, _ after: DomainState, isOld: (Int) -> Bool
    ) throws {
        guard fetched.depth == .full, fetched.origin != .unknown else {
            // A check that asks only one edge learns nothing about the incident.
            for (number, copy) in fetched.edges { edges[number, default: Edge(copy: copy)].copy = copy }
            return
        }
        let wouldNotify = if case .file = fetched.origin { true } else { false }
        for (number, copy) in fetched.edges {
            var edge = edges[number] ?? Edge(copy: copy)
            edge.copy = copy
            edge.silentChecks = 0
            if wouldNotify { edge.fault = after.originAlternation == nil ? fault(copy, isOld) : nil }
            edges[number] = edge
        }
        for number in edges.keys where fetched.edges[number] == nil { edges[number]?.silentChecks += 1 }
        guard wouldNotify else { return }
        for (number, edge) in edges.sorted(by: { $0.key < $1.key }) where edge.silentChecks < patience {
            switch edge.fault {
            case .cdnStale: try check(.cdnStale, [.cdnCaughtUp, .recovered], number, before, after)
            case .cdnMissing: try check(.cdnMissing, [.recovered], number, before, after)
            default: break
            }
        }
    }

    private func fault(_ copy: SimulatedSite.Copy, _ isOld: (Int) -> Bool) -> IncidentKind? {
        switch copy {
        case .file(let version): isOld(version) ? .cdnStale : nil
        case .refused: .cdnMissing
        }
    }

    private func check(
        _ kind: IncidentKind, _ reasons: Set<Incident.Resolution>, _ edge: Int, _ before: DomainState,
        _ after: DomainState
    ) throws {
        guard let ended = Outlook.end(of: kind, before, after), let reason = ended.reason, reasons.contains(reason)
        else {
            return
        }
        throw Violation(
            rule: .evaluation,
            detail:
                "\(kind.rawValue) of \(after.domain) is \(reason.rawValue), but edge \(edge) was wrong in its last answer"
        )
    }
}

struct CertificateOutlook {
    /// The end of the certificate that each address last showed.
    private var ends: [Int: Date] = [:]
    private var lateChecks = 0
    private var graveChecks = 0

    private static let warning: TimeInterval = 14 * 86_400
    private static let grave: TimeInterval = 3 * 86_400

    mutating func take(
        _ fetched: FetchResult, _ before: DomainState, _ after: DomainState, _ setup: SimulatedSetup, wall: Date
    ) throws {
        // A full check sees all certificates.
        if fetched.depth == .full, !fetched.certificates.isEmpty { ends = [:] }
        ends.merge(fetched.certificates) { _, seen in seen }
        guard fetched.origin != .unknown, fetched.origin != .unreachable else { return }
        func isLate(_ end: Date?) -> Bool { end.map { $0 < wall + Self.warning - 60 } ?? false }
        if Outlook.end(of: .certificateExpiring, before, after)?.reason == .recovered {
            guard !ends.values.contains(where: isLate) else {
                throw Violation(
                    rule: .evaluation,
                    detail: "the certificate of \(after.domain) counts as renewed, but an address has the old one")
            }
        }
        guard fetched.depth == .full, case .file = fetched.origin else { return }
        let end = fetched.certificates.values.min()
        lateChecks = isLate(end) ? lateChecks + 1 : 0
        graveChecks = end.map { $0 < wall + Self.grave - 60 } ?? false ? graveChecks + 1 : 0
        let open = after.open[.certificateExpiring]
        if lateChecks > setup.failureThreshold + 1 {
            guard let open, open.incident.version > 0 else {
                throw Violation(
                    rule: .evaluation, detail: "the certificate of \(after.domain) expires soon, but nothing fires")
            }
        }
        if graveChecks > setup.failureThreshold + 1, let open, open.incident.state == .firing, !open.incident.isFlapping
        {
            guard open.incident.severity == .error else {
                throw Violation(
                    rule: .evaluation,
                    detail: "the certificate of \(after.domain) expires within three days, but is only a warning")
            }
        }
    }
}

extension Outlook {
    /// The incident of a kind that ended with a check.
    static func end(of kind: IncidentKind, _ before: DomainState, _ after: DomainState) -> Incident? {
        guard let open = before.open[kind]?.incident, open.version > 0, after.open[kind]?.incident.id != open.id,
            let ended = after.ended[kind]?.incident, ended.id == open.id
        else { return nil }
        return ended
    }
}
