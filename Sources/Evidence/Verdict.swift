// What one check means.

// What of the file's own library a verdict holds: whoever reads verdicts reads these.
@_exported import struct AASA.AssociationChange
@_exported import struct AASA.BehaviourChange
@_exported import enum AASA.LinkBehaviour
@_exported import struct AASA.LintFinding
@_exported import enum AASA.LintSeverity
import Foundation

/// The judgement over one observation.
package struct Verdict: Codable, Equatable, Sendable {
    package var level: Level
    /// What phones do now, and why.
    package var diagnosis: Diagnosis
    package var comparison: Comparison
    /// Those that count, worst first.
    package var findings: [Finding]
    /// nil for none, so that the states of most domains do not grow.
    private var setAside: [IgnoredFinding]?
    /// Those that do not count, worst first. Nothing is concluded from them.
    package var ignored: [IgnoredFinding] {
        get { setAside ?? [] }
        set { setAside = newValue.isEmpty ? nil : newValue }
    }

    package init(
        level: Level, diagnosis: Diagnosis, comparison: Comparison, findings: [Finding], ignored: [IgnoredFinding] = []
    ) {
        self.level = level
        self.diagnosis = diagnosis
        self.comparison = comparison
        self.findings = findings
        self.ignored = ignored
    }

    /// The diagnosis in words, as they are true at an instant.
    package func text(at now: Date) -> DiagnosisText { diagnosis.text(at: now) }

    /// Whether this machine could not look at the origin.
    package var saysNothingOfOrigin: Bool {
        findings.contains { $0.isOfThisMachine && $0.severity == .error } || level == .unknown
    }

    /// How it is with a domain, for every surface.
    package enum Level: String, Codable, Sendable, CaseIterable {
        case ok, warning, failing
        /// This machine could not see: its network, its name server, its clock. Nothing is said of the site.
        case unknown
    }

    private enum CodingKeys: String, CodingKey {
        case level, diagnosis, comparison, findings
        case setAside = "ignored"
    }
}

/// How Apple's copy stands to the origin's.
package struct Comparison: Codable, Equatable, Sendable {
    package var state: State
    /// Whether the two bodies are the same bytes; nil where one of them is missing.
    package var bytesEqual: Bool?
    /// Since when the origin no longer serves what the CDN serves: the first check that saw another content, or the
    /// origin's Last-Modified. The change happened at this instant or before it, so that no age is overstated.
    package var changedAt: Date?
    /// The last instant at which the origin was still seen to serve the CDN's content: the change came after it.
    package var changedAfter: Date?
    /// What happened then; nil where `changedAt` is.
    package var changedBy: OriginChange.Way?
    /// How long the CDN has lagged, at the instant of the check.
    package var lagSeconds: Int?
    /// What differs in meaning, from what the CDN serves to what the origin serves: the first of `changesTotal`.
    package var changes: [AssociationChange]
    /// nil: no more than are listed.
    private var unlisted: Int?
    /// Of what the changes are: the content that the CDN serves and the one that the origin serves, by meaning. Two
    /// comparisons of the same contents find the same changes.
    package var compared: ComparedContents?
    /// What phones will do differently once the CDN serves what the origin serves.
    package var behaviour: [BehaviourChange]
    /// Whether the contents differ and it is proven that no URL and no other service behaves otherwise by it; nil: it is not.
    package var isWithoutEffect: Bool?
    /// How the CDN's edges stand to the origin; nil where they were not asked one by one.
    package var edges: EdgeTally?

    /// How many changes there are in all.
    package var changesTotal: Int { changes.count + (unlisted ?? 0) }

    /// The changes and what they do on phones, as one.
    package var differences: Differences {
        Differences(changes: changes, total: changesTotal, behaviour: behaviour)
    }

    package mutating func take(_ differences: Differences) {
        changes = differences.changes
        unlisted = differences.total > changes.count ? differences.total - changes.count : nil
        behaviour = differences.behaviour
    }

    package init(
        state: State, bytesEqual: Bool? = nil, changedAt: Date? = nil, lagSeconds: Int? = nil,
        changes: [AssociationChange] = [],
        compared: ComparedContents? = nil, behaviour: [BehaviourChange] = [], edges: EdgeTally? = nil
    ) {
        self.compared = compared
        self.edges = edges
        self.behaviour = behaviour
        self.state = state
        self.bytesEqual = bytesEqual
        self.changedAt = changedAt
        self.lagSeconds = lagSeconds
        self.changes = changes
    }

    /// The change that the copy lags behind; nil where it is not known to lag.
    package var change: OriginChange? {
        lagSeconds == nil
            ? nil : changedAt.map { OriginChange(at: $0, after: changedAfter, way: changedBy ?? .changed) }
    }

    package enum State: String, Codable, Sendable, CaseIterable {
        case inSync = "in_sync"
        case propagating
        case stale
        case divergent
        case mixed
        case missing
        case originUnavailable = "origin_unavailable"
        case cdnUnavailable = "cdn_unavailable"
        case notCompared = "not_compared"
    }

    private enum CodingKeys: String, CodingKey {
        case state
        case bytesEqual = "bytes_equal"
        case changedAt = "changed_at"
        case changedAfter = "changed_after"
        case changedBy = "changed_by"
        case lagSeconds = "lag_seconds"
        case changes
        case unlisted = "changes_unlisted"
        case compared
        case behaviour
        case isWithoutEffect = "without_effect"
        case edges
    }
}

/// What differs between two files, and what phones do differently.
package struct Differences: Equatable, Sendable {
    /// The first of `total`.
    package var changes: [AssociationChange] = []
    package var total = 0
    package var behaviour: [BehaviourChange] = []
    /// Whether both files list the same apps in the same entries and order, each once: which of several opens a URL stays the same.
    var keepsApps = false

    package init(changes: [AssociationChange] = [], total: Int? = nil, behaviour: [BehaviourChange] = []) {
        self.changes = changes
        self.total = max(total ?? 0, changes.count)
        self.behaviour = behaviour
    }

    /// Whether it is proven that phones do the same by both files: no URL opens otherwise, and nothing but links differs.
    var isWithoutEffect: Bool {
        keepsApps && behaviour.isEmpty && total == changes.count && !changes.isEmpty
            && changes.allSatisfy { $0.pointer.hasPrefix("/applinks/") }
    }

    /// `and 550 more changes`, where so many are shown; nil where that is all.
    package func more(after shown: Int) -> String? {
        let rest = total - min(shown, changes.count)
        return rest > 0 ? "and \(rest.of("more change", "more changes"))" : nil
    }
}

/// What set a copy and the origin's file apart, and when, as far as it was seen.
package struct OriginChange: Codable, Equatable, Sendable {
    /// It happened at this instant or before it.
    package var at: Date
    /// And after this one; nil: at just that instant, as the origin itself says.
    package var after: Date?
    package var way: Way
    /// Whether it is an incident to its operator that the copy still lags; nil: it is not.
    package var isOverdue: Bool?

    package init(at: Date, after: Date? = nil, way: Way = .changed, isOverdue: Bool? = nil) {
        self.at = at
        self.after = after
        self.way = way
        self.isOverdue = isOverdue
    }

    package enum Way: String, Codable, Sendable, CaseIterable {
        /// The origin serves a new file.
        case changed
        /// The origin serves an older file than the copy is.
        case rolledBack = "rolled_back"
        /// Apple's CDN had the present file at every edge, and serves an older one again.
        case wentBack = "went_back"
    }

    /// Whole seconds; a clock that went backwards makes nothing younger than now.
    package func lag(at now: Date) -> Int { Int(max(0, now.timeIntervalSince(at))) }

    /// Nobody looked for so long before the change was seen that it may be much older.
    package func isMuchOlder(at now: Date) -> Bool {
        guard let after else { return false }
        return at.timeIntervalSince(after) > max(3600, now.timeIntervalSince(at) / 4)
    }
}

package struct ComparedContents: Codable, Equatable, Sendable {
    package var copy: ContentHash
    package var origin: ContentHash
}

extension ComparedContents {
    init?(_ copy: ContentReading, _ origin: ContentReading) {
        guard let copy = copy.meaning, let origin = origin.meaning else { return nil }
        self.init(copy: copy, origin: origin)
    }
}
