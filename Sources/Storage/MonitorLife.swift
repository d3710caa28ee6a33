// Whether a monitor works with a store. Readers ask, because the store is up to date only while a monitor runs.

import Evidence
import Foundation
import GRDB
import Monitoring

package enum MonitorLife: Equatable, Sendable {
    /// A daemon runs and checks.
    case checking
    /// No process has the store's lock. `since`: the last sign of a monitor; nil if there never was one.
    case stopped(since: Date?)
    /// A daemon has the lock, but no check has ended for two intervals.
    case stalled(since: Date)
}

// MARK: - The daemon's clock
// Stored instants use the daemon's steady clock. Other processes have only the wall clock, which may have been
// corrected since the daemon started.

extension Store {
    /// Stores how far the wall clock is ahead of the steady clock, in seconds.
    package func note(wallAhead seconds: TimeInterval) async throws {
        try await write { try Self.setMeta("wall_ahead", String(Int(seconds.rounded())), $0) }
    }

    /// Stores how many channels the running configuration has.
    package func note(channels: Int) async throws {
        try await write { try Self.setMeta("channels", String(channels), $0) }
    }

    /// How many channels the daemon has; nil if it stored no number.
    package func channelCount() async throws -> Int? {
        try await read { try Self.meta("channels", $0).flatMap(Int.init) }
    }

    /// The time of the daemon's steady clock when the wall clock shows `wall`.
    package func steady(at wall: Date) async throws -> Date {
        try await read { database in
            wall - (try Self.meta("wall_ahead", database).flatMap(TimeInterval.init) ?? 0)
        }
    }
}

// MARK: - The maintenance windows of the daemon
// Commands that read the store do not read the configuration, and the file may differ from the running one.

extension Store {
    package func note(maintenance windows: [MaintenanceWindow]) async throws {
        let text = try Stored.text(windows)
        try await write { try Self.setMeta("maintenance", text, $0) }
    }

    /// Empty if there are none, or if a newer program wrote them in another form.
    package func maintenance() async throws -> [MaintenanceWindow] {
        let text = try await read { try Self.meta("maintenance", $0) }
        guard let text else { return [] }
        return (try? Stored.decode([MaintenanceWindow].self, text: text, what: "maintenance windows")) ?? []
    }
}

// MARK: - Whether a monitor works with the store

extension Store {
    /// In seconds, used if the store has no interval.
    private static let usualInterval: TimeInterval = 300

    /// `now` and the instants of the result use the daemon's steady clock.
    package func life(now: Date) async throws -> MonitorLife {
        let isHeld = FileLock.isHeld(store: path)
        return try await read { database in
            func instant(_ name: String) throws -> Date? {
                try Self.meta(name, database).flatMap(Int64.init).map(Date.init(milliseconds:))
            }
            let interval = try Self.meta("interval", database).flatMap(Double.init) ?? Self.usualInterval
            // Every page asks this. If the daemon works, SQLite finds a recent check within the first rows.
            let expected = CheckSchedule.overdueBefore(now, interval: interval)
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

    /// The end of the last check if a daemon runs but no longer checks; nil otherwise.
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

// MARK: - Progress of the monitor
// Read from committed rows, because a loop that runs but stores nothing makes no progress.

/// A snapshot of the progress, to compare with a later one.
package struct WorkProgress: Equatable, Sendable {
    /// The time of the newest committed check.
    var lastCheck: Date?
    /// By name of the channel: every channel with a row in the store.
    var channels: [String: ChannelProgress] = [:]
    /// The highest change number of all incidents.
    var latestChange: Int64 = 0
    /// A firing incident that no channel accepted. Every channel that has a notification to send is in trouble, or
    /// refused this incident permanently.
    var undeliveredIncident: String?

    struct ChannelProgress: Equatable, Sendable {
        /// The last change that the channel's loop has processed.
        var cursor: Int64 = 0
        /// When the channel last finished a message, with any outcome.
        var lastDelivery: Date?
        /// The attempts of all messages under way, together.
        var attempts = 0
        var dueSince: Date?
    }

    /// In seconds: delivery counts as stuck if something is due for longer. No attempt takes this long.
    static let overdueAfter: TimeInterval = 120

    /// The part of the work that makes no progress.
    package enum Stall: Equatable, Sendable {
        /// No check was committed.
        case checks
        /// These channels' loops have work due and did none of it.
        case delivery(channels: [String])
        /// No channel accepts this incident.
        case undeliveredIncident(incident: String)
    }

    /// Compares with the earlier snapshot `last`; nil if checks and delivery made progress. A receiver that fails or
    /// refuses does not count while another channel delivers the incident.
    ///
    /// `channels`: the channels with a loop. Work due in a removed channel does not count. A feed has no cursor.
    package func stall(since last: WorkProgress, now: Date, channels running: Set<String>) -> Stall? {
        guard (lastCheck ?? .distantPast) > (last.lastCheck ?? .distantPast) else { return .checks }
        let stuck = channels.filter { name, channel in
            guard running.contains(name) else { return false }
            let before = last.channels[name]
            let isOverdue = channel.dueSince.map { now.timeIntervalSince($0) > Self.overdueAfter } ?? false
            let isBehind = before != nil && channel.cursor > 0 && channel.cursor < last.latestChange
            guard isOverdue || isBehind, let before else { return isOverdue }
            return channel.lastDelivery == before.lastDelivery && channel.attempts == before.attempts
                && channel.cursor == before.cursor
        }
        if !stuck.isEmpty { return .delivery(channels: stuck.keys.sorted()) }
        return undeliveredIncident.map { .undeliveredIncident(incident: $0) }
    }
}

extension Store {
    /// The progress of checks and delivery, from committed rows.
    package func progress(now: Date) async throws -> WorkProgress {
        try await read { database in
            var progress = WorkProgress()
            progress.latestChange = try Int64.fetchOne(database, cached: Self.highestChange) ?? 0
            progress.lastCheck = try Int64.fetchOne(database, cached: Self.latestCheck).map(Date.init(milliseconds:))
            let records = try ChannelRecord.readable(database, cached: "SELECT * FROM channel")
            let troubled = records.filter { $0.trouble != nil }.map(\.name)
            let feeds = records.filter { ChannelKind(rawValue: $0.type)?.isFeed == true }
            // A feed has no `notification` rows: it gets every firing incident, or none if it is in trouble.
            if feeds.allSatisfy({ $0.trouble != nil }) {
                progress.undeliveredIncident = try String.fetchOne(
                    database, cached: Self.undeliveredIncident,
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

    /// Leaves out incidents that are suppressed or that wait for their escalation step.
    static let undeliveredIncident = """
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

    /// A message is due once both its `retry_at` and the hold have passed. A hold does not delay a due notification.
    private static func progress(
        of record: ChannelRecord, now: Date, _ database: Database
    ) throws -> WorkProgress.ChannelProgress {
        let messages = try Row.fetchOne(database, cached: messagesUnderWay, arguments: [record.name])
        let retryAt = messages?.instant("retry_at").map { max($0, record.hold?.until ?? .distantPast) }
        let dueAt = try ChannelTransaction(channel: record.name, database: database).nextDue()
        return WorkProgress.ChannelProgress(
            cursor: record.cursor,
            lastDelivery: try Int64.fetchOne(database, cached: lastDelivery, arguments: [record.name])
                .map(Date.init(milliseconds:)),
            attempts: messages?["attempts"] ?? 0,
            dueSince: [retryAt, dueAt].compactMap(\.self).filter { $0 <= now }.min())
    }

    static let messagesUnderWay = """
        SELECT sum(attempts) AS attempts, min(retry_at) AS retry_at FROM message WHERE channel = ?
        """
    /// Not the counter in `meta`: retention may have deleted the incident with the highest number.
    static let highestChange = "SELECT max(change) FROM incident"
    static let lastDelivery = "SELECT max(at) FROM delivery WHERE channel = ?"
}
