// What the monitor got done, read from what it committed: a loop that runs and stores nothing has done nothing.

import Foundation
import GRDB

/// A mark to compare with a later one.
package struct WorkProgress: Equatable, Sendable {
    /// By domain, the instant of its last committed check.
    var checks: [String: Date] = [:]
    /// By channel, of those with a loop or messages.
    var channels: [String: ChannelProgress] = [:]
    /// The highest number of a change that an incident has.
    var latestChange: Int64 = 0

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
    static let patience: TimeInterval = 120

    /// What made no progress.
    package enum Standstill: Equatable, Sendable {
        /// No check was committed.
        case checks
        /// The loops of these channels did nothing of what is due.
        case delivery(channels: [String])
    }

    /// What made no progress since `last`; nil where checks and delivery did. A receiver that fails or refuses is no
    /// standstill: its messages wait by their schedule.
    ///
    /// `channels`: those with a loop; what is due at another, which was removed, is nobody's work. A feed, which has seen no
    /// change of an incident, need not follow them.
    package func standstill(since last: WorkProgress, now: Date, channels running: Set<String>) -> Standstill? {
        guard checks.contains(where: { last.checks[$0.key] != $0.value }) else { return .checks }
        let stuck = channels.filter { name, channel in
            guard running.contains(name) else { return false }
            let before = last.channels[name]
            let isOverdue = channel.dueSince.map { now.timeIntervalSince($0) > Self.patience } ?? false
            let isBehind = before != nil && channel.cursor > 0 && channel.cursor < last.latestChange
            guard isOverdue || isBehind, let before else { return isOverdue }
            return channel.lastSettled == before.lastSettled && channel.attempts == before.attempts
                && channel.cursor == before.cursor
        }
        return stuck.isEmpty ? nil : .delivery(channels: stuck.keys.sorted())
    }
}

extension Store {
    /// How far checks and delivery got, by what is committed.
    package func progress(now: Date) async throws -> WorkProgress {
        try await read { database in
            var progress = WorkProgress()
            progress.latestChange = try Int64.fetchOne(database, cached: Self.highestChange) ?? 0
            for row in try Row.fetchAll(database, cached: Self.lastChecks) {
                progress.checks[row["name"]] = row.instant("at")
            }
            for record in try Row.fetchAll(database, cached: "SELECT * FROM channel").map(ChannelRow.record) {
                progress.channels[record.name] = try Self.progress(of: record, now: now, database)
            }
            return progress
        }
    }

    /// An unchanged check writes the small row alone; a changed state removes it.
    static let lastChecks = """
        SELECT d.name, coalesce(r.last_checked_at, d.last_checked_at) AS at
        FROM domain d LEFT JOIN domain_recent r ON r.name = d.name
        WHERE coalesce(r.last_checked_at, d.last_checked_at) IS NOT NULL
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
