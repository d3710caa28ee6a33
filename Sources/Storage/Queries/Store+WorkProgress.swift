import Foundation
import GRDB

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
            seen: record.seen,
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
