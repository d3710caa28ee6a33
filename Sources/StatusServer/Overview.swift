// What `status` shows. Every text that may hold a stranger's words has been made displayable.

import Evidence
import Foundation
import Monitoring
import Storage

/// All domains that were checked, at one instant, trouble first.
package struct Overview: Equatable, Sendable {
    /// `1 of 4 domains needs attention`.
    package let headline: String
    /// The same of a monitor that has stopped: `1 of 4 domains needed attention`.
    package let pastHeadline: String
    /// How many notifications are pending.
    package let notifications: String
    /// What many domains have together, and the monitor's own trouble.
    package let global: [GlobalLine]
    package private(set) var rows: [OverviewRow]
    /// That a silence covers everything, until when, and whose it is; nil: none does.
    package var nobody: String?

    /// Open incidents are taken from the states, which are of one moment with their verdicts.
    package init(
        _ states: [DomainState], pending: [PendingCount], context: IncidentContext = IncidentContext(),
        time: PageTime
    ) {
        self.init(
            rows: states.map { OverviewRow($0, context: context, time: time) },
            global: context.global.map { GlobalLine($0.record, $0.facts, time: time) }, pending: pending, time: time)
    }

    /// `rows`: in any order.
    package init(rows: [OverviewRow], global: [GlobalLine], pending: [PendingCount], time: PageTime) {
        self.global = global
        self.rows = rows.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
        headline = Self.headline(self.rows, isPast: false)
        pastHeadline = Self.headline(self.rows, isPast: true)
        notifications = Self.notifications(pending, time)
    }

    /// The same of fewer rows; the headline still counts all.
    package func showing(_ isShown: (OverviewRow) -> Bool) -> Overview {
        var fewer = self
        fewer.rows = rows.filter(isShown)
        return fewer
    }

    private static func headline(_ rows: [OverviewRow], isPast: Bool) -> String {
        guard !rows.isEmpty else { return isPast ? "No domain was watched" : "No domain is watched" }
        let unchecked = rows.count { $0.level == .unchecked }
        let troubled = rows.count(where: \.needsAttention)
        let all = rows.count.grouped + (rows.count == 1 ? " domain" : " domains")
        if troubled > 0 {
            let verb = isPast ? "needed" : troubled == 1 ? "needs" : "need"
            return "\(troubled.grouped) of \(all) \(verb) attention"
        }
        if unchecked == rows.count { return "\(all), not checked yet" }
        if unchecked > 0 {
            return "\((rows.count - unchecked).grouped) of \(all) OK, \(unchecked.grouped) not checked yet"
        }
        if isPast { return rows.count == 1 ? "1 domain was OK" : "All \(all) were OK" }
        return rows.count == 1 ? "1 domain, OK" : "All \(all) are OK"
    }

    private static func notifications(_ pending: [PendingCount], _ time: PageTime) -> String {
        let waiting = pending.filter { $0.count > 0 }
        guard let oldest = waiting.map(\.since).min() else { return "no notification is pending" }
        let count = waiting.reduce(0) { $0 + $1.count }
        let channels = waiting.map(\.channel).sorted().map { $0.displayable.shortened(to: 40) }
        let named = channels.prefix(3).joined(separator: ", ") + (channels.count > 3 ? ", …" : "")
        let what = count == 1 ? "1 notification is pending" : "\(count.grouped) notifications are pending"
        let held = waiting.sorted { $0.channel < $1.channel }.prefix(3).compactMap { count in
            count.waits.map {
                "\(count.channel.displayable.shortened(to: 40)) waits until \(time.brief($0.until)) UTC, \($0.words)"
            }
        }
        return (["\(what) for \(named), the oldest from \(time.age(oldest))"] + held).joined(separator: "\n")
    }
}

/// One domain in `status`.
package struct OverviewRow: Equatable, Sendable {
    package let name: String
    /// The worse of what the last check saw and what fires: what fires is never calm.
    package let level: Level
    /// The level in words; colour never says it alone.
    package let verdict: String
    /// Empty where none are known.
    package let labels: [String: String]
    /// Part by part.
    package let diagnosis: [String]
    /// Which diagnosis it is, stable; nil before the first check.
    package let diagnosisID: String?
    /// How Apple's copy stands; nil before the first check.
    package let comparison: String?
    /// The same with its numbers.
    package let comparisonFacts: Comparison?
    /// Confirmed ones first.
    package let incidents: [OverviewIncident]
    /// `5 min ago`; nil: never.
    package let checked: String?
    /// Smaller is shown further up.
    let rank: Int

    /// Whether a confirmed incident is open.
    package let isFiring: Bool

    package var needsAttention: Bool { level < .unchecked }

    /// In the order of the rows.
    package enum Level: Int, Sendable, Comparable {
        case failing, warning, unknown, unchecked, ok

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// `verdict`: nil before the first check.
        init(_ verdict: Verdict.Level?, firing: Severity?) {
            let seen: Level =
                switch verdict {
                case .failing: .failing
                case .warning: .warning
                case .unknown: .unknown
                case .ok: .ok
                case nil: .unchecked
                }
            let told: Level =
                switch firing {
                case .error: .failing
                case .warning: .warning
                case .note, nil: .ok
                }
            self = min(seen, told)
        }
    }

    /// `domain`: before its first check.
    init(waiting domain: Domain, labels: [String: String], time: PageTime) {
        self.init(
            name: domain.name, labels: labels, verdict: nil, diagnosis: nil, diagnosisID: nil, comparison: nil,
            incidents: [], firing: nil, checkedAt: nil, time: time)
    }

    init(_ state: DomainState, labels: [String: String] = [:], context: IncidentContext, time: PageTime) {
        let open = state.open.values.filter { $0.incident.state != .resolved }
        self.init(
            name: state.domain.name, labels: labels, verdict: state.verdict?.level,
            diagnosis: state.verdict?.text(at: time.wall).parts, diagnosisID: state.verdict?.diagnosis.id.rawValue,
            comparison: state.verdict?.comparison.aged(to: time.now),
            incidents: open.sorted {
                ($0.incident.state.urgency, $0.incident.kind) < ($1.incident.state.urgency, $1.incident.kind)
            }.map { OverviewIncident($0, labels: labels, context: context, time: time) },
            firing: open.filter { $0.incident.state == .firing }.map(\.incident.severity).max(),
            checkedAt: state.lastCheckedAt, time: time)
    }

    /// `verdict`: nil before the first check. `firing`: how severe the worst confirmed incident is; nil: none.
    init(
        name: String, labels: [String: String], verdict: Verdict.Level?, diagnosis: [String]?, diagnosisID: String?,
        comparison: Comparison?, incidents: [OverviewIncident], firing: Severity?, checkedAt: Date?, time: PageTime
    ) {
        level = Level(verdict, firing: firing)
        isFiring = firing != nil
        self.name = name
        self.labels = labels
        self.incidents = incidents
        self.diagnosisID = diagnosisID
        comparisonFacts = comparison
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
        checked = checkedAt.map(time.age)
        // Confirmed incidents go above what one check saw.
        rank = level.rawValue * 2 + (isFiring ? 0 : 1)
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
    /// What a pending one waits for; nil for the others.
    package let waitsFor: String?
    /// Until when a silence suppresses notifications, in UTC; nil where none does.
    package let silencedUntil: String?
    /// The kind of the incident that inhibits it; nil where none does.
    package let inhibitedBy: String?
    /// Who acknowledged it; nil: nobody.
    package let acknowledgedBy: String?
}

extension OverviewIncident {
    init(_ tracked: TrackedIncident, labels: [String: String], context: IncidentContext, time: PageTime) {
        let incident = tracked.incident
        self.init(
            id: String(incident.id.prefix(12)), kind: incident.kind.rawValue, state: incident.state.rawValue,
            since: time.age(incident.since),
            waitsFor: Self.waitsFor(incident.state, notBefore: tracked.graceUntil.map(time.shown), wall: time.wall),
            silencedUntil: context.silencedUntil(incident, labels: labels, at: time.wall).map {
                PageTime.brief($0, wall: time.wall)
            }, inhibitedBy: context.inhibitor(of: tracked),
            acknowledgedBy: context.acknowledgements[incident.id]?.by.onOneLine(upTo: 100))
    }

    /// `alerts after 22 Nov 07:00 UTC if it lasts`; nil for one that is confirmed.
    /// `notBefore`: by the wall clock; nil: checks alone decide.
    package static func waitsFor(_ state: Incident.State, notBefore: Date?, wall: Date) -> String? {
        guard state == .pending else { return nil }
        guard let notBefore, notBefore > wall else { return "alerts if the next checks see it too" }
        return "alerts after \(PageTime.brief(notBefore, wall: wall)) UTC if it lasts"
    }
}

/// An open incident of no single domain, as the overview and `status` show it.
package struct GlobalLine: Equatable, Sendable {
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

extension GlobalLine {
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
        case _ where isWithoutEffect == true: "another version, by which no URL changes"
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
    package let life: MonitorLife
    package private(set) var overview: Overview
    /// For each domain the document of `/api/v1/domains/{domain}`, in the order of names; none where they were not asked for.
    package let documents: [Data]

    package init(life: MonitorLife = .checking, overview: Overview, documents: [Data]) {
        self.life = life
        self.overview = overview
        self.documents = documents
    }

    /// `domains`: those to read; none: all. `counts`: which of them count; `shows`: which of these are shown. Intervals and maintenance windows are the configuration's,
    /// so they are not in it. Domains that the store does not know are left out.
    ///
    /// - Throws: `StoreError`.
    package init(
        _ store: Store, domains: Set<Domain>, withDocuments: Bool, now: Date,
        counts: (OverviewRow) -> Bool = { _ in true }, shows: (OverviewRow) -> Bool = { _ in true }
    ) async throws {
        let time = try await PageTime(store, wall: now)
        let context = try await IncidentContext(store, windows: [], wall: now, for: .reader)
        let labels = try await store.watchedLabels()
        func isWanted(_ domain: Domain) -> Bool { domains.isEmpty || domains.contains(domain) }
        let states = try await store.states().filter { isWanted($0.domain) }
        let waiting = Set(labels.keys.filter(isWanted)).subtracting(states.map(\.domain))
        let rows =
            states.map { OverviewRow($0, labels: labels[$0.domain] ?? [:], context: context, time: time) }
            + waiting.map { OverviewRow(waiting: $0, labels: labels[$0] ?? [:], time: time) }
        overview = Overview(
            rows: rows.filter(counts), global: context.global.map { GlobalLine($0.record, $0.facts, time: time) },
            pending: try await store.pendingNotifications(), time: time
        ).showing(shows)
        overview.nobody = context.silences.everythingInWords(at: now) { "\(Span.minute($0)) UTC" }
        life = try await store.life(now: time.now).dated(time.shown)
        guard withDocuments else {
            documents = []
            return
        }
        let known = Dictionary(states.map { ($0.domain.name, $0) }) { first, _ in first }
        var documents: [Data] = []
        for name in overview.rows.map(\.name).sorted() {
            let domain = try known[name]?.domain ?? Domain(name)
            documents.append(
                try DomainDocument(
                    watched: WatchedDomain(
                        domain: domain, labels: labels[domain] ?? [:]),
                    state: known[name], full: try await store.lastFullCheck(of: domain), context: context, time: time
                ).encoded())
        }
        self.documents = documents
    }
}
