// What one check means.

// The AASA library's types in a verdict: every reader of verdicts needs them.
@_exported import struct AASA.AssociationChange
@_exported import struct AASA.BehaviourChange
@_exported import enum AASA.LinkBehaviour
@_exported import struct AASA.LintFinding
@_exported import enum AASA.LintSeverity
import Foundation

/// What one observation means.
package struct Verdict: Codable, Equatable, Sendable {
    package var level: Level
    /// What phones do now, and why.
    package var diagnosis: Diagnosis
    package var comparison: Comparison
    /// Those that count, worst first.
    package var findings: [Finding]
    /// nil if there are none: the stored states of most domains stay small.
    private var setAside: [IgnoredFinding]?
    /// Those that do not count, worst first. They do not affect the level.
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

    /// The diagnosis in words as of an instant.
    package func text(at now: Date) -> DiagnosisText { diagnosis.text(at: now) }

    /// Whether this machine could not check the origin.
    package var saysNothingOfOrigin: Bool {
        findings.contains { $0.isOfThisMachine && $0.severity == .error } || level == .unknown
    }

    /// The state of a domain, for every surface.
    package enum Level: String, Codable, Sendable, CaseIterable {
        case ok, warning, failing
        /// This machine could not check, because of its network, name server or clock. Says nothing about the site.
        case unknown

        /// A known problem outweighs an unknown state.
        private static let order: [Verdict.Level] = [.ok, .unknown, .warning, .failing]

        /// The worst of several levels.
        package static func worst(_ levels: some Sequence<Verdict.Level>) -> Verdict.Level {
            let levels = Set(levels)
            return order.last(where: levels.contains) ?? .ok
        }
    }

    private enum CodingKeys: String, CodingKey {
        case level, diagnosis, comparison, findings
        case setAside = "ignored"
    }
}

/// How Apple's copy compares with the origin's file.
package struct Comparison: Codable, Equatable, Sendable {
    package var state: State
    /// Whether the two bodies have the same bytes; nil if one of them is missing.
    package var bytesEqual: Bool?
    /// When the origin stopped serving what the CDN serves: the first check that saw other content, or the origin's
    /// Last-Modified. The change happened at or before this instant: no age is overstated.
    package var changedAt: Date?
    /// The last instant at which the origin was seen to serve the CDN's content: the change came later.
    package var changedAfter: Date?
    /// What happened then; nil if `changedAt` is nil.
    package var changedBy: OriginChange.Way?
    /// How many seconds the CDN lagged at the time of the check.
    package var lagSeconds: Int?
    /// The differences in meaning, from the CDN's file to the origin's: the first of `changesTotal`.
    package var changes: [AssociationChange]
    /// nil if all are listed.
    private var unlisted: Int?
    /// The contents compared for `changes`: the CDN's and the origin's, by meaning. Equal contents always give equal
    /// changes.
    package var compared: ComparedContents?
    /// What phones will do differently once the CDN serves the origin's file.
    package var behaviour: [BehaviourChange]
    /// Whether the contents differ, but provably no URL and no other service changes; nil if not.
    package var isWithoutEffect: Bool?
    /// How the CDN's edges compare with the origin; nil if they were not probed one by one.
    package var edges: EdgeTally?

    /// The number of all changes.
    package var changesTotal: Int { changes.count + (unlisted ?? 0) }

    /// The changes and their effect on phones, as one value.
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

    /// The change that the copy lags behind; nil if no lag is known.
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
    /// Whether both files list the same apps in the same entries and order, each once: URLs stay with their app.
    var keepsApps = false

    package init(changes: [AssociationChange] = [], total: Int? = nil, behaviour: [BehaviourChange] = []) {
        self.changes = changes
        self.total = max(total ?? 0, changes.count)
        self.behaviour = behaviour
    }

    /// Whether phones provably do the same with both files: each URL behaves the same, and only links differ.
    var isWithoutEffect: Bool {
        keepsApps && behaviour.isEmpty && total == changes.count && !changes.isEmpty
            && changes.allSatisfy { $0.pointer.hasPrefix("/applinks/") }
    }

    /// `and 550 more changes`; nil if that is all.
    package func more(after shown: Int) -> String? {
        let rest = total - min(shown, changes.count)
        return rest > 0 ? "and \(rest.of("more change", "more changes"))" : nil
    }
}

/// What made a copy and the origin's file differ, and when, as far as it was seen.
package struct OriginChange: Codable, Equatable, Sendable {
    /// The change happened at or before this instant.
    package var at: Date
    /// It happened after this instant; nil if `at` is exact, from the origin itself.
    package var after: Date?
    package var way: Way
    /// Whether the lag is an incident to its operator; nil if not.
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
        /// The origin serves an older file than the copy.
        case rolledBack = "rolled_back"
        /// Every edge of Apple's CDN had the current file, and now the CDN serves an older one again.
        case wentBack = "went_back"
    }

    /// Whole seconds; 0 if the clock went backwards.
    package func lag(at now: Date) -> Int { Int(max(0, now.timeIntervalSince(at))) }

    /// Whether checks were so rare before the change was seen that it may be much older.
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
