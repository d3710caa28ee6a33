// Alertmanager ends an alert by itself at its `endsAt`. So nothing is queued for it, and no row is kept: it gets the present set of
// incidents once a minute and where that set changes, and with it the ends of what this process sent.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// What this process sent to an Alertmanager. The next one begins without: what it does not send again ends by itself.
struct Feed: Sendable {
    var destination: String
    /// When the present set was last sent; nil: it is due, or empty.
    var lastRound: Date?
    /// The change that was last stated of each incident; 0: it may have arrived.
    var stated: [String: Int64] = [:]
    /// When to look again, unless something changes.
    var due = Date.distantPast
}

private struct Entry: Sendable {
    let alert: AlertmanagerAlert
    let incident: Incident
    let change: Int64

    var isOver: Bool { incident.state == .resolved }

    init(_ record: IncidentRecord, _ planner: NotificationPlanner, life: TimeInterval) throws {
        incident = record.incident.shifted(by: planner.wall.timeIntervalSince(planner.now))
        change = record.change
        let routing = planner.inputs.routing
        alert = AlertmanagerAlert(
            incident: incident, labels: incident.domain == nil ? routing.share : routing.labels(of: incident),
            summary: "\(incident.subjectName): \(incident.kind.rawValue) since \(Span.instant(incident.since))",
            description: try planner.store.facts(incident.id)?.text(at: planner.wall).oneLine ?? "",
            links: routing.links(of: incident), instance: routing.instance,
            endsAt: incident.state == .resolved
                ? min(incident.resolvedAt ?? planner.wall, planner.wall) : planner.wall + life)
    }
}

extension ChannelTurn {
    private static let roundInterval: TimeInterval = 60
    /// Between two rounds, whatever changes: each is the whole set.
    static let shortestInterval: TimeInterval = 5
    /// After a round that was not taken.
    private static let roundPause: TimeInterval = 15
    /// How long an alert lives without a further round: a few may be lost.
    private static let life: TimeInterval = 300
    /// So many alerts in one request.
    private static let largestRequest = 1000

    /// Sends the present set where a minute has passed, or the set is another one.
    func push(_ record: ChannelRecord, _ before: Feed) async throws -> Feed {
        var feed = before
        let now = delivery.time.now()
        let (entries, due) = try await entries(feed.stated)
        let present = Dictionary(
            uniqueKeysWithValues: entries.filter { !$0.isOver }.map { ($0.incident.id, $0.change) })
        let isDue = feed.lastRound.map { now >= $0 + Self.roundInterval } ?? true
        if isDue || entries.contains(where: \.isOver) || present != feed.stated {
            feed.lastRound = entries.isEmpty ? nil : now
            // A power failure must not undo what Alertmanager is about to be sent.
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

    /// What is present, and the ends of what was stated; and when that may be otherwise though nothing changes.
    private func entries(_ stated: [String: Int64]) async throws -> ([Entry], Date) {
        try await inspect { planner in
            var due = Date.distantFuture
            let ends = try stated.keys.sorted().compactMap { try planner.store.incident($0) }
                .filter { $0.incident.state == .resolved }
            let present = try planner.store.unresolvedIncidents(after: "", limit: .max).filter { record in
                switch try planner.presence(of: record) {
                case .send: return true
                // Left out, it would end there though it is not over.
                case .wait where stated[record.incident.id] != nil: return true
                case .wait(let until): due = min(due, until ?? .distantFuture)
                case .nothing, .undecided: break
                }
                return false
            }
            // What began anew has the labels of what is over, and is the same alert.
            var entries: [[String: String]: Entry] = [:]
            for record in ends + present {
                let entry = try Entry(record, planner, life: Self.life)
                entries[entry.alert.labels] = entry
            }
            return (entries.values.sorted { $0.incident.id < $1.incident.id }, due)
        }
    }

    /// - Returns: whether the next part may be sent. A refused part must not keep the others from that.
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
            // A feed has nothing but the present to send: it tries again soon, whatever the trouble.
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
                level: before.failures > 0 ? .debug : .warning, "the present alerts were not taken; sent again soon",
                metadata: [
                    "channel": "\(name)", "status": "\(answer.status.map(String.init) ?? "none")",
                    "error": "\(words ?? "")",
                ])
        }
        return outcome == .delivered || outcome == .permanentMessage
    }
}
