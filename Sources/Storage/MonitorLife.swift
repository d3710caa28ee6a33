// Whether a monitor works with a store, for those who read it from outside: what the store says is true as long as one does.

import Evidence
import Foundation
import GRDB

package enum MonitorLife: Equatable, Sendable {
    /// A daemon checks, or `run --once` did lately.
    case checking
    /// Nobody has the store's lock. `since`: when a monitor last gave a sign; nil: none ever did.
    case stopped(since: Date?)
    /// A daemon has the lock, and no check has ended for two intervals.
    case stalled(since: Date)
    /// A daemon says of itself what is wrong with its work.
    case notReady(String)
}

extension Store {
    /// Over two intervals: a check has timeouts of its own.
    private static let tolerance: TimeInterval = 30
    /// Where the store does not know the interval.
    private static let usualInterval: TimeInterval = 300

    package func life(now: Date) async throws -> MonitorLife {
        let isHeld = Self.isInUse(path: path)
        return try await read { database in
            func instant(_ name: String) throws -> Date? {
                try Self.meta(name, database).flatMap(Int64.init).map(Date.init(milliseconds:))
            }
            let interval = try Self.meta("interval", database).flatMap(Double.init) ?? Self.usualInterval
            // Every page asks. The small rows tell it of a daemon that works, without a look at each domain's state.
            if isHeld, let recent = try Int64.fetchOne(database, cached: Self.latestUnchanged),
                now.timeIntervalSince(Date(milliseconds: recent)) <= 2 * interval + Self.tolerance
            {
                return .checking
            }
            let check = try Int64.fetchOne(database, cached: Self.latestCheck).map(Date.init(milliseconds:))
            let (present, round) = (try instant("present_at"), try instant("round_at"))
            let isByRounds = round.map { $0 > present ?? .distantPast } ?? false
            guard isHeld else {
                let last = [check, present, round].compactMap(\.self).max()
                // `run --once` leaves the store when it is done. It comes again as it came before.
                guard isByRounds, let round else { return .stopped(since: last) }
                let gap = try Self.meta("round_gap", database).flatMap(Double.init) ?? 0
                let isDue = now.timeIntervalSince(last ?? round) > 2 * max(interval, gap) + Self.tolerance
                return isDue ? .stopped(since: last) : .checking
            }
            guard !isByRounds, try Self.watchesAny(database) else { return .checking }
            let latest = [check, try instant("began_at")].compactMap(\.self).max()
            guard let latest, now.timeIntervalSince(latest) > 2 * interval + Self.tolerance else { return .checking }
            return .stalled(since: latest)
        }
    }

    /// When the last check ended, where a daemon runs and checks no more; nil elsewhere.
    package func stalledSince(_ now: Date) async throws -> Date? {
        guard case .stalled(let last) = try await life(now: now) else { return nil }
        return last
    }

    private static func watchesAny(_ database: Database) throws -> Bool {
        try Bool.fetchOne(database, cached: "SELECT EXISTS (SELECT 1 FROM domain_summary WHERE watched = 1)") ?? false
    }

    private static let latestUnchanged = "SELECT max(last_checked_at) FROM domain_recent"
    static let latestCheck = "SELECT max(at) FROM (\(latestChecks))"

    /// Writes down how often the domain is checked that is checked most often.
    package func note(shortestInterval: Duration) async throws {
        let text = String(shortestInterval.inSeconds)
        try await write { database in
            if try Self.meta("interval", database) != text { try Self.setMeta("interval", text, database) }
        }
    }

    /// Writes down that `run --once` begins.
    package func noteRound(at now: Date) async throws {
        try await write { database in
            if let last = try Self.meta("round_at", database).flatMap(Int64.init) {
                let gap = now.timeIntervalSince(Date(milliseconds: last))
                try Self.setMeta("round_gap", String(max(0, gap)), database)
            }
            try Self.setMeta("round_at", String(now.milliseconds), database)
        }
    }
}

// MARK: - What the running configuration said of its domains

extension Store {
    /// The labels of the watched domains, by name; those that were not checked yet included.
    package func watchedLabels() async throws -> [Domain: [String: String]] {
        try await read { database in
            var all: [Domain: [String: String]] = [:]
            for row in try Row.fetchAll(database, cached: Self.labelsOfWatched) {
                guard let domain = try? Domain(row["name"] as String) else { continue }
                let parts = (row["key"] as String?)?.dropFirst().split(separator: "=", maxSplits: 1)
                all[domain, default: [:]].merge(parts.map { [String($0[0]): $0.count > 1 ? String($0[1]) : ""] } ?? [:])
                { $1 }
            }
            return all
        }
    }

    static let labelsOfWatched = """
        SELECT b.name, k.key FROM domain_summary b LEFT JOIN domain_key k ON k.name = b.name AND k.key >= '=' AND k.key < '>'
        WHERE b.watched = 1
        """
}
