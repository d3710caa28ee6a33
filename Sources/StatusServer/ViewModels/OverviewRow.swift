import Evidence
import Foundation
import Monitoring
import Storage

/// One domain on the overview.
package struct OverviewRow: Equatable, Sendable {
    package let name: String
    /// `team: growth`, by key.
    package let labels: [String]
    package let level: Level
    /// The level in words; colour never says it alone.
    package let verdict: String
    package let symbol: String
    /// Part by part.
    package let diagnosis: [String]
    /// How Apple's copy stands; nil before the first check.
    package let comparison: String?
    /// Confirmed ones first.
    package let incidents: [OverviewIncident]
    /// nil: never.
    package let checked: Moment?
    package let isOverdue: Bool
    package let needsAttention: Bool
    package let originURL: String
    /// nil where the base is no web address.
    package let cdnURL: String?
    /// Smaller is shown further up.
    let rank: Int

    /// In the order of the page.
    package enum Level: String, Sendable, CaseIterable {
        case failing, warning, unchecked, ok
    }

    init(
        _ watched: WatchedDomainInfo, summary: DomainSummary?, cdnBaseURL: String, context: IncidentContext,
        time: PageTime
    ) {
        let state = summary?.state
        let verdict = state?.verdict
        let level: Level =
            switch verdict?.level {
            case .failing: .failing
            case .warning: .warning
            case .ok: .ok
            case nil: .unchecked
            }
        self.level = level
        name = watched.domain.name
        labels = watched.labels.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)".onOneLine(upTo: 80) }
        (symbol, self.verdict) =
            switch level {
            case .failing: ("✕", "failing")
            case .warning: ("!", "warning")
            case .unchecked: ("…", "not checked yet")
            case .ok: ("✓", "OK")
            }
        diagnosis = verdict?.text.parts.map { $0.onOneLine(upTo: 600) } ?? ["The first check has not ended yet."]
        comparison = verdict?.comparison.inWords
        let open = (state?.open ?? [:]).values.filter { $0.incident.state != .resolved }
        incidents =
            open
            .sorted {
                ($0.incident.state.rank, $0.incident.kind) < ($1.incident.state.rank, $1.incident.kind)
            }
            .map { OverviewIncident($0, labels: watched.labels, context: context, time: time) }
        let isFiring = open.contains { $0.incident.state == .firing }
        needsAttention = level == .failing || level == .warning || isFiring
        let lastChecked = state?.lastCheckedAt ?? summary?.lastObservedAt
        checked = lastChecked.map(time.moment)
        isOverdue = lastChecked.map { time.now.timeIntervalSince($0) > Self.patience(watched.interval) } ?? false
        originURL = watched.domain.wellKnownURL
        let isWeb = cdnBaseURL.hasPrefix("https://") || cdnBaseURL.hasPrefix("http://")
        cdnURL = isWeb ? cdnBaseURL + (cdnBaseURL.hasSuffix("/") ? "" : "/") + watched.domain.name : nil
        // Confirmed incidents go above what one check saw.
        let levels = Level.allCases.firstIndex(of: level) ?? 0
        rank = isFiring ? min(levels, 1) * 2 : levels * 2 + 1
    }

    /// Three intervals, and a minute for checks that take their time.
    private static func patience(_ interval: Duration) -> TimeInterval { interval.inSeconds * 3 + 60 }
}

/// A stretch of trouble that is not over.
package struct OverviewIncident: Equatable, Sendable {
    /// The short id, for `aasa-monitor ack`.
    package let id: String
    package let kind: String
    package let state: String
    package let since: Moment
    /// Until when a silence or window suppresses notifications; nil where none does.
    package let silencedUntil: Moment?
    /// The kind of the incident that inhibits it; nil where none does.
    package let inhibitedBy: String?
    /// Who acknowledged it; nil: nobody.
    package let acknowledgedBy: String?

    init(_ tracked: TrackedIncident, labels: [String: String], context: IncidentContext, time: PageTime) {
        let incident = tracked.incident
        id = String(incident.id.prefix(12))
        kind = incident.kind.rawValue
        state = incident.state.rawValue
        since = time.moment(incident.since)
        silencedUntil = context.silencedUntil(incident, labels: labels, at: time.wall).map {
            Moment($0, now: time.wall)
        }
        inhibitedBy = context.inhibitor(of: tracked)
        acknowledgedBy = context.acknowledgements[incident.id]?.by.onOneLine(upTo: 100)
    }
}

extension Incident.State {
    /// Confirmed ones go first.
    fileprivate var rank: Int {
        switch self {
        case .firing: 0
        case .recovering: 1
        case .pending: 2
        case .resolved: 3
        }
    }
}

extension String {
    /// Displayable, and cut by scalars: one character may hold a million combining marks.
    func onOneLine(upTo limit: Int) -> String {
        let scalars = unicodeScalars.prefix(limit + 1)
        guard scalars.count > limit else { return displayable }
        return String(String.UnicodeScalarView(scalars.dropLast(2))).displayable + "…"
    }
}
