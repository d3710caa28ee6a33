// Which decision each domain needs, who handles it, and which domains need the same one.

import Evidence
import Foundation
import Monitoring
import Report
import Storage

struct Decisions: Sendable {
    /// In the order of the page. Each domain that is not up to date is in one of them.
    enum Section: String, CaseIterable, Sendable {
        /// Somebody has to act, and nobody has acknowledged it.
        case act
        /// Acknowledged or silenced.
        case handled
        /// No incident is confirmed, so nobody is notified.
        case warnings
        /// It ends by itself.
        case calm
    }

    /// Who acknowledged or silenced it.
    struct Handling: Hashable, Sendable {
        let by: String
        let note: String
        /// nil: it is acknowledged.
        let silencedUntil: Date?
    }

    /// Domains with the same cause and the same handling.
    struct Group: Sendable {
        let section: Section
        let status: DomainStatus
        let reason: String
        let handling: Handling?
        /// Whether all of its incidents are about to end.
        let isRecovering: Bool
        /// The longest trouble first; never empty.
        var domains: [TroubledDomain]
        /// The incidents that put the group into its section.
        var incidents: [ConfirmedIncident]

        var oldest: Date? { domains.lazy.compactMap(\.since).min() }
        var newest: Date? { domains.lazy.compactMap(\.since).max() }
    }

    /// An incident of many domains, and those of them without other trouble.
    struct Shared: Sendable {
        let report: IncidentReport
        let handling: Handling?
        var domains: [TroubledDomain] = []
    }

    private(set) var groups: [Section: [Group]] = [:]
    private(set) var shared: [Shared] = []

    /// For a page that shows only a list.
    init() {}

    var isEmpty: Bool { groups.isEmpty && shared.allSatisfy(\.domains.isEmpty) }

    /// Whether a page with at most `most` groups in a section names every domain.
    func namesAll(_ most: Int) -> Bool {
        shared.allSatisfy { $0.domains.count <= FrontPage.mostNames }
            && groups.values.allSatisfy { groups in
                groups.count <= most && groups.allSatisfy { $0.domains.count <= FrontPage.mostNames }
            }
    }

    /// The incidents for which a page with at most `most` groups in a section has a button.
    func acknowledgeable(_ most: Int) -> [String] {
        (groups[.act] ?? []).prefix(most).flatMap { $0.incidents.prefix(FrontPage.mostAcknowledged).map(\.id) }
    }

    /// How many domains are in a section.
    func count(_ section: Section) -> Int {
        let own = (groups[section] ?? []).reduce(0) { $0 + $1.domains.count }
        guard section == .act || section == .handled else { return own }
        return shared.filter { ($0.handling == nil) == (section == .act) }.reduce(own) { $0 + $1.domains.count }
    }
}

extension Decisions {
    private struct Key: Hashable {
        let section: Section
        let status: DomainStatus
        let reason: String
        let handling: Handling?
        let isRecovering: Bool
        /// Set for a domain that is never grouped, for example while its own change propagates.
        let alone: Domain?
    }

    private enum Place {
        case shared(Int)
        case own(Key, [ConfirmedIncident])
    }

    /// `troubled`: in the store's order. `confirmed`: the incidents of all domains.
    init(
        _ troubled: [TroubledDomain], _ confirmed: [ConfirmedIncident], _ context: IncidentContext,
        _ watched: WatchIndex, _ time: ReportTime
    ) {
        let ofDomain = Dictionary(grouping: confirmed, by: \.domain)
        shared = context.reports(time).map { report in
            Shared(report: report, handling: Handling(report, context, at: time.wall))
        }
        var found: [Key: Group] = [:]
        for domain in troubled {
            let labels = watched[domain.domain]?.labels ?? [:]
            switch Self.place(domain, ofDomain[domain.domain] ?? [], labels, context, time) {
            case .shared(let index): shared[index].domains.append(domain)
            case .own(let key, let incidents):
                let empty = Group(
                    section: key.section, status: key.status, reason: key.reason, handling: key.handling,
                    isRecovering: key.isRecovering, domains: [], incidents: [])
                found[key, default: empty].domains.append(domain)
                found[key]?.incidents += incidents
            }
        }
        groups = Dictionary(grouping: found.values, by: \.section).mapValues { $0.sorted(by: Self.comesBefore) }
    }

    /// Sorts by what phones do, then by the number of domains, then newest first.
    private static func comesBefore(_ left: Group, _ right: Group) -> Bool {
        if left.status != right.status { return left.status < right.status }
        if left.domains.count != right.domains.count { return left.domains.count > right.domains.count }
        let (newer, older) = (left.newest ?? .distantPast, right.newest ?? .distantPast)
        return newer == older ? left.domains[0].domain < right.domains[0].domain : newer > older
    }

    private static func place(
        _ domain: TroubledDomain, _ incidents: [ConfirmedIncident], _ labels: [String: String],
        _ context: IncidentContext, _ time: ReportTime
    ) -> Place {
        func own(_ section: Section, _ incidents: [ConfirmedIncident] = [], _ handling: Handling? = nil) -> Place {
            let isRecovering = section == .calm && !incidents.isEmpty
            // Phones use Apple's copy. The task is the same whatever broke the origin: bring it back.
            let key = Key(
                section: section, status: domain.status,
                reason: section == .act && domain.status == .originFailing ? "" : domain.reason, handling: handling,
                isRecovering: isRecovering,
                alone: section == .calm && (isRecovering || domain.status == .propagating) ? domain.domain : nil)
            return .own(key, incidents)
        }
        let leading = incidents.filter { $0.inhibitedBy == nil }
        let firing = (leading.isEmpty ? incidents : leading).filter { $0.state == .firing }
        guard !firing.isEmpty else {
            if domain.status.isFeltByPhones {
                // Not confirmed yet, but phones are already affected.
                return Handling.silence(of: domain.domain, labels, domain.status.incidentKind, context, at: time.wall)
                    .map { own(.handled, [], $0) } ?? own(.act)
            }
            let isNormal = domain.status == .propagating || domain.status == .waiting
            return !incidents.isEmpty || isNormal ? own(.calm, incidents) : own(.warnings)
        }
        let inhibitors = firing.map { context.globalInhibitor(of: $0.kind, domain.domain) }
        if let first = inhibitors.first.flatMap(\.self), !inhibitors.contains(nil) { return .shared(first) }
        let handlings = firing.map { incident in
            context.acknowledgements[incident.id].map(Handling.init)
                ?? Handling.silence(of: domain.domain, labels, incident.kind, context, at: time.wall)
        }
        let open = zip(firing, handlings).filter { $0.1 == nil }.map(\.0)
        return open.isEmpty ? own(.handled, firing, handlings.first.flatMap(\.self)) : own(.act, open)
    }
}

extension Decisions.Handling {
    init(_ acknowledgement: Acknowledgement) {
        self.init(by: acknowledgement.by, note: acknowledgement.reason, silencedUntil: nil)
    }

    /// For an incident of many domains.
    fileprivate init?(_ report: IncidentReport, _ context: IncidentContext, at wall: Date) {
        if let acknowledged = report.acknowledged {
            self.init(by: acknowledged.by, note: acknowledged.reason, silencedUntil: nil)
            return
        }
        guard let silence = Self.silence(of: nil, [:], report.kind, context, at: wall) else { return nil }
        self = silence
    }

    /// The silence or maintenance window that suppresses notifications; nil: none does.
    fileprivate static func silence(
        of domain: Domain?, _ labels: [String: String], _ kind: IncidentKind, _ context: IncidentContext, at wall: Date
    ) -> Self? {
        let all = context.silences
        guard let end = all.end(domain: domain, labels: labels, kind: kind, at: wall) else { return nil }
        // Of several, the one that lasts longest.
        let silence = all.silences.filter {
            $0.isActive(at: wall) && $0.scope.matches(domain: domain, labels: labels, kind: kind)
        }.max { $0.endsAt < $1.endsAt }
        if let silence { return Self(by: silence.author, note: silence.reason, silencedUntil: end) }
        let window = all.windows.first {
            $0.end(at: wall) != nil && $0.scope.matches(domain: domain, labels: labels, kind: kind)
        }
        return Self(by: "maintenance", note: window?.reason ?? "", silencedUntil: end)
    }
}

extension DomainStatus {
    /// Whether phones do something that the owners do not want, beyond the normal delay after a change.
    fileprivate var isFeltByPhones: Bool {
        switch self {
        case .missing, .expectationFailed, .stale: true
        // A file that the origin was never seen to serve may be the one before a change, until an incident says otherwise.
        case .divergent, .unconfirmed, .originFailing, .atRisk, .propagating, .unknown, .waiting, .direct, .inSync:
            false
        }
    }

    /// The kind of the incident once it is confirmed.
    fileprivate var incidentKind: IncidentKind {
        switch self {
        case .missing: .cdnMissing
        case .expectationFailed: .expectationFailed
        default: .cdnStale
        }
    }
}
