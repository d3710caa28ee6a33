// Sends alerts to Alertmanager, which resolves an alert at its `endsAt`. So a feed needs no queue and no rows. It sends
// all present incidents once a minute and after each change, together with the ends of alerts that this process sent.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// What this process sent to an Alertmanager. It is lost at a restart: alerts that are not sent again expire.
struct Feed: Sendable {
    var destination: String
    /// When all present alerts were last sent; nil: they are due, or there are none.
    var lastRound: Date?
    /// The change number of each incident as last sent; 0: it may have arrived.
    var stated: [String: Int64] = [:]
    /// When to look again if nothing changes.
    var due = Date.distantPast
}

private struct Entry: Sendable {
    let alert: AlertmanagerAlert
    let incident: Incident
    let change: Int64

    var isOver: Bool { incident.state == .resolved }

    init(_ record: IncidentRecord, _ planner: NotificationPlanner, life: TimeInterval) throws {
        incident = record.incident.shifted(by: planner.wall.ahead(of: planner.now))
        change = record.change
        let routing = planner.inputs.routing
        alert = AlertmanagerAlert(
            incident: incident, labels: incident.domain == nil ? routing.share : routing.labels(of: incident),
            summary: "\(incident.subjectName): \(incident.kind.rawValue) since \(Span.instant(incident.since))",
            description: try planner.store.account(incident.id)?.facts.text(at: incident.resolvedAt ?? planner.wall)
                .oneLine ?? "",
            links: routing.links(of: incident), note: routing.note(of: incident), instance: routing.instance,
            endsAt: incident.state == .resolved
                ? min(incident.resolvedAt ?? planner.wall, planner.wall) : planner.wall + life)
    }
}

extension ChannelTurn {
    private static let roundInterval: TimeInterval = 60
    /// In seconds. The shortest gap between two rounds, because each round sends all alerts.
    static let shortestInterval: TimeInterval = 5
    /// In seconds, after a failed round.
    private static let roundPause: TimeInterval = 15
    /// In seconds. An alert expires after this time without another round, so a few rounds may fail.
    private static let life: TimeInterval = 300
    /// The maximum number of alerts in one request.
    private static let largestRequest = 1000

    /// Sends all present alerts if a minute has passed or the set has changed.
    func push(_ record: ChannelRecord, _ before: Feed) async throws -> Feed {
        var feed = before
        let now = delivery.time.now()
        let (entries, due) = try await entries(feed.stated)
        let present = Dictionary(
            uniqueKeysWithValues: entries.filter { !$0.isOver }.map { ($0.incident.id, $0.change) })
        let isDue = feed.lastRound.map { now >= $0 + Self.roundInterval } ?? true
        if isDue || entries.contains(where: \.isOver) || present != feed.stated {
            feed.lastRound = entries.isEmpty ? nil : now
            // A power failure must not undo what is sent next. An unchanged row makes SQLite flush, too.
            if entries.contains(where: \.isOver) || present != feed.stated {
                try await delivery.store.transact(channel: channel.name, isDurable: true) { store in
                    try store.save(store.record() ?? record)
                }
            }
            for start in stride(from: 0, to: entries.count, by: Self.largestRequest) {
                let some = Array(entries[start..<min(start + Self.largestRequest, entries.count)])
                guard try await post(some, record, known: before.stated) else {
                    feed.lastRound = nil
                    feed.stated.merge(present.mapValues { _ in 0 }) { known, _ in known }
                    feed.due = now
                    return feed
                }
            }
            feed.stated = present
        }
        feed.due = min(due, (feed.lastRound ?? now) + Self.roundInterval)
        return feed
    }

    /// The present alerts and the ends of those that were sent; and when this may change by time alone.
    private func entries(_ stated: [String: Int64]) async throws -> ([Entry], Date) {
        try await inspect { planner in
            var due = Date.distantFuture
            let ends = try stated.keys.sorted().compactMap { try planner.store.incident($0) }
                .filter { $0.incident.state == .resolved }
            let present = try planner.store.unresolvedIncidents(after: "", limit: .max).filter { record in
                switch try planner.presence(of: record) {
                case .send: return true
                // If it is left out, it expires at Alertmanager although it is not resolved.
                case .wait where stated[record.incident.id] != nil: return true
                case .wait(let until): due = min(due, until ?? .distantFuture)
                case .nothing, .undecided: break
                }
                return false
            }
            // A new incident with the labels of a resolved one is the same alert, so the present one wins.
            var entries: [[String: String]: Entry] = [:]
            for record in ends + present {
                let entry = try Entry(record, planner, life: Self.life)
                entries[entry.alert.labels] = entry
            }
            return (entries.values.sorted { $0.incident.id < $1.incident.id }, due)
        }
    }

    /// - Returns: true if the next request may be sent. A refused request must not stop the others.
    private func post(_ entries: [Entry], _ record: ChannelRecord, known: [String: Int64]) async throws -> Bool {
        let answer = try await delivery.post(JSONText.encoded(entries.map(\.alert)), key: "", to: channel)
        let outcome = channel.format.judge(answer, now: delivery.time.systemTime())
        delivery.count(outcome, channel: channel.name)
        let (name, words, now) = (channel.name, channel.words(of: answer), delivery.time.now())
        let news = outcome == .delivered ? entries.filter { $0.isOver || known[$0.incident.id] ?? 0 == 0 } : []
        let (before, after) = try await delivery.store.transact(channel: name) { store in
            for entry in news {
                let (incident, reason) = (entry.incident, entry.isOver ? NotificationReason.resolved : .firing)
                try store.log(
                    DeliveryRecord(
                        channel: name, incidentID: incident.id, type: reason.type, reason: reason,
                        version: incident.version, key: incident.id, at: now, attempts: 1, outcome: .delivered,
                        status: answer.status))
            }
            let before = try store.record() ?? record
            var after = ChannelHealth.after(
                outcome, before, wait: .seconds(Self.roundInterval), isFinal: true, error: words, now: now)
            // Old alerts have no value for a feed, so it always retries soon.
            if outcome == .delivered {
                after.hold = nil
            } else if after.hold?.reason != .throttled {
                after.hold = ChannelRecord.Hold(until: now + Self.roundPause, reason: .failing)
            }
            if after != before { try store.save(after) }
            return (before, after)
        }
        delivery.keep(after)
        for (reason, some) in Dictionary(grouping: news, by: { $0.isOver ? "resolved" : "firing" }) {
            delivery.logger.info(
                "delivered",
                metadata: ["channel": "\(name)", "reason": "\(reason)"]
                    .merging(LoggedSubjects.metadata(some.map(\.incident), of: some.count)) { $1 })
        }
        if outcome != .delivered {
            delivery.logger.log(
                level: before.failures > 0 ? .debug : .warning, "the receiver did not accept the alerts; retrying soon",
                metadata: [
                    "channel": "\(name)", "status": "\(answer.status.map(String.init) ?? "none")",
                    "error": "\(words ?? "")",
                ])
        }
        return outcome == .delivered || outcome == .permanentMessage
    }
}
