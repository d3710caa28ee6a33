// What `status` shows. Every text that may hold a stranger's words has been made displayable.

import Evidence
import Foundation
import Monitoring
import Storage

/// All domains that were checked, at one instant, trouble first.
package struct Overview: Equatable, Sendable {
    /// `1 of 4 domains needs attention`.
    package let headline: String
    /// How many notifications are pending.
    package let notifications: String
    /// What many domains have together, and the monitor's own trouble.
    package let fleet: [FleetLine]
    package let rows: [OverviewRow]

    /// Open incidents are taken from the states, which are of one moment with their verdicts.
    package init(
        _ states: [DomainState], pending: [PendingCount], context: IncidentContext = IncidentContext(),
        time: PageTime
    ) {
        self.init(
            rows: states.map { OverviewRow($0, context: context, time: time) },
            fleet: context.fleet.map { FleetLine($0.record, $0.facts, time: time) }, pending: pending, time: time)
    }

    /// `rows`: in any order.
    package init(rows: [OverviewRow], fleet: [FleetLine], pending: [PendingCount], time: PageTime) {
        self.fleet = fleet
        self.rows = rows.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
        headline = Self.headline(self.rows, troubled: rows.count(where: \.needsAttention))
        notifications = Self.notifications(pending, time)
    }

    private static func headline(_ rows: [OverviewRow], troubled: Int) -> String {
        guard !rows.isEmpty else { return "No domain is watched" }
        let unchecked = rows.count { $0.level == .unchecked }
        let all = rows.count.grouped + (rows.count == 1 ? " domain" : " domains")
        if troubled > 0 { return "\(troubled.grouped) of \(all) \(troubled == 1 ? "needs" : "need") attention" }
        if unchecked == rows.count { return "\(all), not checked yet" }
        if unchecked > 0 {
            return "\((rows.count - unchecked).grouped) of \(all) OK, \(unchecked.grouped) not checked yet"
        }
        return rows.count == 1 ? "1 domain, OK" : "All \(all) are OK"
    }

    private static func notifications(_ pending: [PendingCount], _ time: PageTime) -> String {
        let waiting = pending.filter { $0.count > 0 }
        guard let oldest = waiting.map(\.since).min() else { return "no notification is pending" }
        let count = waiting.reduce(0) { $0 + $1.count }
        let channels = waiting.map(\.channel).sorted().map { $0.displayable.shortened(to: 40) }
        let named = channels.prefix(3).joined(separator: ", ") + (channels.count > 3 ? ", …" : "")
        let what = count == 1 ? "1 notification is pending" : "\(count.grouped) notifications are pending"
        return "\(what) for \(named), the oldest from \(time.age(oldest))"
    }
}

/// One domain in `status`.
package struct OverviewRow: Equatable, Sendable {
    package let name: String
    package let level: Level
    /// The level in words; colour never says it alone.
    package let verdict: String
    /// Part by part.
    package let diagnosis: [String]
    /// How Apple's copy stands; nil before the first check.
    package let comparison: String?
    /// Confirmed ones first.
    package let incidents: [OverviewIncident]
    /// `5 min ago`; nil: never.
    package let checked: String?
    package let needsAttention: Bool
    /// Smaller is shown further up.
    let rank: Int

    /// In the order of the rows.
    package enum Level: String, Sendable, CaseIterable {
        case failing, warning, unknown, unchecked, ok
    }

    init(_ state: DomainState, context: IncidentContext, time: PageTime) {
        let open = state.open.values.filter { $0.incident.state != .resolved }
        self.init(
            name: state.domain.name, verdict: state.verdict?.level, diagnosis: state.verdict?.text(at: time.wall).parts,
            comparison: state.verdict?.comparison.aged(to: time.now),
            incidents: open.sorted {
                ($0.incident.state.urgency, $0.incident.kind) < ($1.incident.state.urgency, $1.incident.kind)
            }.map { OverviewIncident($0, context: context, time: time) },
            isFiring: open.contains { $0.incident.state == .firing },
            checkedAt: state.lastCheckedAt, time: time)
    }

    /// `verdict`: nil before the first check.
    init(
        name: String, verdict: Verdict.Level?, diagnosis: [String]?, comparison: Comparison?,
        incidents: [OverviewIncident], isFiring: Bool, checkedAt: Date?, time: PageTime
    ) {
        let level: Level =
            switch verdict {
            case .failing: .failing
            case .warning: .warning
            case .unknown: .unknown
            case .ok: .ok
            case nil: .unchecked
            }
        self.level = level
        self.name = name
        self.incidents = incidents
        self.verdict =
            switch level {
            case .failing: "failing"
            case .warning: "warning"
            case .unknown: "unknown"
            case .unchecked: "not checked yet"
            case .ok: "OK"
            }
        self.diagnosis = diagnosis?.map { $0.onOneLine(upTo: 600) } ?? ["The first check has not ended yet."]
        self.comparison = comparison?.inWords
        needsAttention = [.failing, .warning, .unknown].contains(level) || isFiring
        checked = checkedAt.map(time.age)
        // Confirmed incidents go above what one check saw.
        let levels = Level.allCases.firstIndex(of: level) ?? 0
        rank = isFiring ? min(levels, 1) * 2 : levels * 2 + 1
    }
}

/// A stretch of trouble that is not over.
package struct OverviewIncident: Equatable, Sendable {
    /// The short id, for `aasa-monitor ack`.
    package let id: String
    package let kind: String
    package let state: String
    /// `26 h ago`
    package let since: String
    /// Until when a silence suppresses notifications, in UTC; nil where none does.
    package let silencedUntil: String?
    /// The kind of the incident that inhibits it; nil where none does.
    package let inhibitedBy: String?
    /// Who acknowledged it; nil: nobody.
    package let acknowledgedBy: String?

}

extension OverviewIncident {
    init(_ tracked: TrackedIncident, context: IncidentContext, time: PageTime) {
        let incident = tracked.incident
        self.init(
            id: String(incident.id.prefix(12)), kind: incident.kind.rawValue, state: incident.state.rawValue,
            since: time.age(incident.since),
            silencedUntil: context.silencedUntil(incident, labels: [:], at: time.wall).map {
                PageTime.brief($0, wall: time.wall)
            }, inhibitedBy: context.inhibitor(of: tracked),
            acknowledgedBy: context.acknowledgements[incident.id]?.by.onOneLine(upTo: 100))
    }
}

/// An open incident of no single domain, as the overview and `status` show it.
package struct FleetLine: Equatable, Sendable {
    package let kind: String
    package let state: String
    /// The short id, for `aasa-monitor ack`.
    package let id: String
    let address: String
    /// Part by part.
    package let diagnosis: [String]
    /// `26 h ago`
    package let since: String
    /// Who acknowledged it; nil: nobody.
    package let acknowledgedBy: String?
}

extension FleetLine {
    init(_ record: IncidentRecord, _ facts: IncidentFacts?, time: PageTime) {
        let incident = record.incident
        self.init(
            kind: incident.kind.rawValue, state: incident.state.rawValue, id: String(incident.id.prefix(12)),
            address: "/incidents/\(incident.id)",
            diagnosis: facts?.text(at: time.reading(incident)).parts.map { $0.onOneLine(upTo: 600) } ?? [],
            since: time.age(incident.since),
            acknowledgedBy: record.acknowledgement?.by.onOneLine(upTo: 100))
    }
}

extension Comparison {
    /// How Apple's copy stands to the origin's file, in a few words.
    var inWords: String {
        switch state {
        case .inSync: bytesEqual == false ? "in sync in meaning; the bytes differ" : "in sync"
        case .propagating: "propagating\(lag)"
        case .stale: "stale\(lag)"
        case .divergent: "divergent: not the origin's file"
        case .mixed: "mixed: Apple's servers disagree"
        case .missing: "missing: Apple has no copy"
        case .originUnavailable: "not compared: the origin has no readable file"
        case .cdnUnavailable: "not compared: Apple's CDN gave no usable answer"
        case .notCompared: "not compared"
        }
    }

    private var lag: String {
        guard let lagSeconds else { return "" }
        return ", \(TimeInterval(lagSeconds).inWords) behind"
    }
}

/// What the store knows of some domains now, for those who read it without the page.
package struct StatusReading: Sendable {
    package let overview: Overview
    /// For each domain the document of `/api/v1/domains/{domain}`, in the order of names; none where they were not asked for.
    package let documents: [Data]

    package init(overview: Overview, documents: [Data]) {
        self.overview = overview
        self.documents = documents
    }

    /// `domains`: those to read; none: all. Labels, intervals and maintenance windows are the configuration's, so they are
    /// not in it. Domains that the store does not know are left out.
    ///
    /// - Throws: `StoreError`.
    package init(_ store: Store, domains: Set<Domain>, withDocuments: Bool, now: Date) async throws {
        let time = PageTime(now: now)
        let context = try await IncidentContext(store, windows: [], wall: now)
        let states = try await store.states().filter { domains.isEmpty || domains.contains($0.domain) }
        overview = Overview(
            states, pending: try await store.pendingNotifications(), context: context, time: time)
        var documents: [Data] = []
        for state in states where withDocuments {
            documents.append(
                try DomainDocument(
                    watched: WatchedDomainInfo(domain: state.domain, interval: .seconds(Int32.max)),
                    state: state, full: try await store.lastFullLook(of: state.domain), context: context,
                    time: time
                ).encoded())
        }
        self.documents = documents
    }
}
