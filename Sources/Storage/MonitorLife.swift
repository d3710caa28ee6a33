// Whether a monitor works with a store, for those who read it from outside: what the store says is true as long as one does.

import Evidence
import Foundation
import GRDB
import Monitoring

package enum MonitorLife: Equatable, Sendable {
    /// A daemon checks.
    case checking
    /// Nobody has the store's lock. `since`: when a monitor last gave a sign; nil: none ever did.
    case stopped(since: Date?)
    /// A daemon has the lock, and no check has ended for two intervals.
    case stalled(since: Date)
    /// A daemon says of itself what is wrong with its work.
    case notReady(String)
}

extension MonitorLife {
    /// The same with instants as people's clocks showed them. `shown`: of a stored instant.
    package func dated(_ shown: (Date) -> Date) -> MonitorLife {
        switch self {
        case .checking, .notReady: self
        case .stopped(let since): .stopped(since: since.map(shown))
        case .stalled(let since): .stalled(since: shown(since))
        }
    }
}

// MARK: - The daemon's clock
// What is stored has instants of the daemon's steady clock. Whoever reads it from outside has the wall clock alone, which may have
// been corrected since the daemon was started.

extension Store {
    /// Writes down how far the wall clock is ahead of the steady one, in seconds.
    package func note(wallAhead seconds: TimeInterval) async throws {
        try await write { try Self.setMeta("wall_ahead", String(Int(seconds.rounded())), $0) }
    }

    /// What the daemon's steady clock shows, or would show, where the wall clock shows `wall`.
    package func steady(at wall: Date) async throws -> Date {
        try await read { database in
            wall - (try Self.meta("wall_ahead", database).flatMap(TimeInterval.init) ?? 0)
        }
    }
}

// MARK: - Whether somebody works with it

extension Store {
    /// Over two intervals: a check has timeouts of its own.
    private static let tolerance: TimeInterval = 30
    /// Where the store does not know the interval.
    private static let usualInterval: TimeInterval = 300

    /// `now`, and instants of the answer: of the daemon's steady clock.
    package func life(now: Date) async throws -> MonitorLife {
        let isHeld = Self.isInUse(path: path)
        return try await read { database in
            func instant(_ name: String) throws -> Date? {
                try Self.meta(name, database).flatMap(Int64.init).map(Date.init(milliseconds:))
            }
            let interval = try Self.meta("interval", database).flatMap(Double.init) ?? Self.usualInterval
            // Every page asks. Of a daemon that works the first rows say enough.
            let expected = now - (2 * interval + Self.tolerance)
            if isHeld,
                try Bool.fetchOne(database, cached: Self.anyCheck, arguments: [expected.milliseconds]) == true
            {
                return .checking
            }
            let check = try Int64.fetchOne(database, cached: Self.latestCheck).map(Date.init(milliseconds:))
            guard isHeld else {
                return .stopped(since: [check, try instant("present_at")].compactMap(\.self).max())
            }
            guard try Self.watchesAny(database) else { return .checking }
            let latest = [check, try instant("began_at")].compactMap(\.self).max()
            guard let latest, latest < expected else { return .checking }
            return .stalled(since: latest)
        }
    }

    /// When the last check ended, where a daemon runs and checks no more; nil elsewhere.
    package func stalledSince(_ now: Date) async throws -> Date? {
        guard case .stalled(let last) = try await life(now: now) else { return nil }
        return last
    }

    private static func watchesAny(_ database: Database) throws -> Bool {
        try Bool.fetchOne(database, cached: "SELECT EXISTS (SELECT 1 FROM domain WHERE watched = 1)") ?? false
    }

    private static let anyCheck = "SELECT EXISTS (SELECT 1 FROM domain WHERE last_checked_at >= ?)"
    static let latestCheck = "SELECT max(last_checked_at) FROM domain"
}

// MARK: - What the monitor got done
// It is read from what was committed: a loop that runs and stores nothing has done nothing.

/// A mark to compare with a later one.
package struct WorkProgress: Equatable, Sendable {
    /// The instant of the last committed check.
    var lastCheck: Date?
    /// By channel, of those with a loop or messages.
    var channels: [String: ChannelProgress] = [:]
    /// The highest number of a change that an incident has.
    var latestChange: Int64 = 0
    /// An incident that fires, and no channel took a message about it: each that has one to send takes no messages, or refused this
    /// one for good.
    var untold: String?

    struct ChannelProgress: Equatable, Sendable {
        /// The last change that the channel's loop has looked at.
        var cursor: Int64 = 0
        /// When a message of it was last settled, in whatever way.
        var lastSettled: Date?
        /// Attempts of the messages under way.
        var attempts = 0
        /// Since when something is due; nil where nothing is, or the channel is held.
        var dueSince: Date?
    }

    /// Something may be due for this long before delivery counts as stuck. Longer than any attempt may take.
    static let overdueAfter: TimeInterval = 120

    /// What made no progress.
    package enum Standstill: Equatable, Sendable {
        /// No check was committed.
        case checks
        /// The loops of these channels did nothing of what is due.
        case delivery(channels: [String])
        /// No channel takes this incident.
        case untold(incident: String)
    }

    /// What made no progress since `last`; nil where checks and delivery did. A receiver that fails or refuses is no
    /// standstill as long as another one took the message.
    ///
    /// `channels`: those with a loop; what is due at another, which was removed, is nobody's work. A feed follows no
    /// changes.
    package func standstill(since last: WorkProgress, now: Date, channels running: Set<String>) -> Standstill? {
        guard (lastCheck ?? .distantPast) > (last.lastCheck ?? .distantPast) else { return .checks }
        let stuck = channels.filter { name, channel in
            guard running.contains(name) else { return false }
            let before = last.channels[name]
            let isOverdue = channel.dueSince.map { now.timeIntervalSince($0) > Self.overdueAfter } ?? false
            let isBehind = before != nil && channel.cursor > 0 && channel.cursor < last.latestChange
            guard isOverdue || isBehind, let before else { return isOverdue }
            return channel.lastSettled == before.lastSettled && channel.attempts == before.attempts
                && channel.cursor == before.cursor
        }
        if !stuck.isEmpty { return .delivery(channels: stuck.keys.sorted()) }
        return untold.map { .untold(incident: $0) }
    }
}

extension Store {
    /// How far checks and delivery got, by what is committed.
    package func progress(now: Date) async throws -> WorkProgress {
        try await read { database in
            var progress = WorkProgress()
            progress.latestChange = try Int64.fetchOne(database, cached: Self.highestChange) ?? 0
            progress.lastCheck = try Int64.fetchOne(database, cached: Self.latestCheck).map(Date.init(milliseconds:))
            let records = try ChannelRecord.readable(database, cached: "SELECT * FROM channel")
            let troubled = records.filter { $0.trouble != nil }.map(\.name)
            let feeds = records.filter { ChannelKind(rawValue: $0.type)?.isFeed == true }
            // A feed has no rows: one that is well gets all that fires, one in trouble gets nothing.
            if feeds.allSatisfy({ $0.trouble != nil }) {
                progress.untold = try String.fetchOne(
                    database, cached: Self.untold,
                    arguments: [
                        (now - WorkProgress.overdueAfter).milliseconds, try Stored.text(troubled), !feeds.isEmpty,
                    ])
            }
            for record in records {
                progress.channels[record.name] = try Self.progress(of: record, now: now, database)
            }
            return progress
        }
    }

    /// What is silenced, or waits for its step of the escalation, is no concern of a channel yet.
    static let untold = """
        SELECT i.id FROM incident i
        WHERE i.version > 0 AND i.state <> 'resolved' AND i.state = 'firing' AND i.kind <> 'change' AND i.fired_at <= ?1
            AND (?3 OR EXISTS (
                SELECT 1 FROM notification n WHERE n.incident_id = i.id AND n.is_held = 0
                    AND (n.pending_since IS NOT NULL AND n.reason IS NOT NULL OR json_extract(n.refused, '$.version') = i.version)))
            AND NOT EXISTS (SELECT 1 FROM notification n WHERE n.incident_id = i.id AND (n.state = 'firing' OR n.maybe_delivered))
            AND NOT EXISTS (
                SELECT 1 FROM notification n WHERE n.incident_id = i.id AND n.pending_since IS NOT NULL
                    AND n.channel NOT IN (SELECT value FROM json_each(?2)))
        LIMIT 1
        """

    /// A message is due when neither its schedule nor a hold delays it. A notification is due in a held channel too.
    private static func progress(
        of record: ChannelRecord, now: Date, _ database: Database
    ) throws -> WorkProgress.ChannelProgress {
        let messages = try Row.fetchOne(database, cached: messagesUnderWay, arguments: [record.name])
        let retryAt = messages?.instant("retry_at").map { max($0, record.hold?.until ?? .distantPast) }
        let dueAt = try ChannelTransaction(channel: record.name, database: database).nextDue()
        return WorkProgress.ChannelProgress(
            cursor: record.cursor,
            lastSettled: try Int64.fetchOne(database, cached: lastSettled, arguments: [record.name])
                .map(Date.init(milliseconds:)),
            attempts: messages?["attempts"] ?? 0,
            dueSince: [retryAt, dueAt].compactMap(\.self).filter { $0 <= now }.min())
    }

    static let messagesUnderWay = """
        SELECT sum(attempts) AS attempts, min(retry_at) AS retry_at FROM message WHERE channel = ?
        """
    /// Not the counter: the incident of its last number may be gone.
    static let highestChange = "SELECT max(change) FROM incident"
    static let lastSettled = "SELECT max(at) FROM delivery WHERE channel = ?"
}
