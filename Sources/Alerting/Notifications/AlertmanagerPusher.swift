// Alertmanager keeps what it gets for a few minutes and forgets it. So nothing is queued for it: it gets the present set of
// firing incidents each minute and at each change, and each end until it has taken it. Its rows are written at transitions, so
// that ends are sent to those who know of the firing.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// One alert of a round, and what the row says once it is taken.
private struct Entry: Sendable {
    let alert: AlertmanagerAlert
    let known: NotificationRecord
    let incident: Incident
}

extension ChannelTurn {
    /// Between two rounds.
    static let roundInterval: TimeInterval = 60
    /// After a round that was not taken.
    private static let roundPause: TimeInterval = 15
    /// How long an alert lives without a further round: a few may be lost.
    private static let life: TimeInterval = 300
    /// So many alerts in one request.
    private static let largestRequest = 1000

    /// Sends the present set where a minute has passed since `lastRound`, else what has changed.
    /// - Returns: the instant of the last round.
    func push(_ record: ChannelRecord, lastRound: Date?) async throws -> Date {
        let now = delivery.time.now()
        let isRound = lastRound.map { now >= $0 + Self.roundInterval } ?? true
        let entries = try await entries(isRound: isRound)
        for start in stride(from: 0, to: entries.count, by: Self.largestRequest) {
            let some = Array(entries[start..<min(start + Self.largestRequest, entries.count)])
            guard try await post(some, record) else { break }
        }
        return isRound ? now : lastRound ?? now
    }

    private func entries(isRound: Bool) async throws -> [Entry] {
        try await inspect { planner in
            var entries: [Entry] = []
            var seen: Set<String> = []
            func add(_ record: IncidentRecord, _ known: NotificationRecord) throws {
                guard seen.insert(record.incident.id).inserted,
                    Self.isSent(record, known, try planner.decision(on: record, known))
                else { return }
                var next = known
                next.state = record.incident.state == .resolved ? .resolved : .firing
                next.version = record.incident.version
                next.maybeDelivered = false
                next.reason = nil
                next.pendingSince = nil
                entries.append(Entry(alert: try Self.alert(record, planner), known: next, incident: record.incident))
            }
            if isRound {
                let open = try planner.store.unresolvedIncidents(after: "", limit: .max)
                for (record, known) in try planner.known(open) { try add(record, known) }
            }
            for known in try planner.store.openNotifications(after: "", limit: .max) {
                guard let record = try planner.store.incident(known.incidentID) else { continue }
                try add(record, known)
            }
            return entries
        }
    }

    /// What it knows as firing goes on being sent: left out, it would end there though it is not over.
    private static func isSent(_ record: IncidentRecord, _ known: NotificationRecord, _ decision: Decision) -> Bool {
        if case .send = decision { return true }
        return record.incident.state != .resolved && known.state == .firing
    }

    private static func alert(_ record: IncidentRecord, _ planner: NotificationPlanner) throws -> AlertmanagerAlert {
        let shift = planner.wall.timeIntervalSince(planner.now)
        let incident = record.incident.shifted(by: shift)
        let routing = planner.inputs.routing
        return AlertmanagerAlert(
            incident: incident, labels: incident.domain == nil ? routing.share : routing.labels(of: incident),
            summary: "\(incident.subjectName): \(incident.kind.rawValue) since \(Span.instant(incident.since))",
            description: try planner.store.facts(incident.id)?.text(at: planner.wall).oneLine ?? "",
            links: routing.links(of: incident),
            instance: routing.instance,
            endsAt: incident.state == .resolved
                ? min(incident.resolvedAt ?? planner.wall, planner.wall) : planner.wall + Self.life)
    }

    /// - Returns: whether the next part may be sent.
    private func post(_ entries: [Entry], _ record: ChannelRecord) async throws -> Bool {
        let answer = try await delivery.post(JSONText.encoded(entries.map(\.alert)), key: "", to: channel)
        let outcome = channel.format.judge(answer, now: delivery.time.systemTime())
        delivery.count(outcome, channel: channel.name)
        let words = channel.words(of: answer)
        let now = delivery.time.now()
        let maybeDelivered = outcome == .transient && answer.mayHaveArrived
        let (name, status) = (channel.name, answer.status)
        let (before, after, news) = try await delivery.store.transact(channel: name) { store in
            var news: [NotificationReason: [Incident]] = [:]
            for entry in entries {
                let before = try store.notification(entry.incident.id)
                if outcome == .delivered {
                    var known = entry.known
                    known.notifiedAt = before?.state == known.state ? before?.notifiedAt : now
                    guard known != before else { continue }
                    try store.save(known, of: entry.incident)
                    guard before?.state != known.state else { continue }
                    let reason: NotificationReason = known.state == .resolved ? .resolved : .firing
                    news[reason, default: []].append(entry.incident)
                    try store.log(
                        DeliveryRecord(
                            channel: name, incidentID: entry.incident.id, type: reason.type, reason: reason,
                            version: known.version, key: entry.incident.id, at: now, attempts: 1, outcome: .delivered,
                            status: status))
                } else if maybeDelivered, entry.known.state == .firing, before?.state != .firing,
                    before?.maybeDelivered != true
                {
                    var known = before ?? NotificationRecord(incidentID: entry.incident.id)
                    known.maybeDelivered = true
                    try store.save(known, of: entry.incident)
                }
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
            return (before, after, news)
        }
        delivery.keep(after)
        for (reason, incidents) in news {
            delivery.logger.info(
                "delivered",
                metadata: ["channel": "\(name)", "reason": "\(reason.rawValue)"]
                    .merging(LoggedSubjects.metadata(incidents, of: incidents.count)) { $1 })
        }
        if outcome != .delivered {
            delivery.logger.log(
                level: before.failures > 0 ? .debug : .warning,
                "the present alerts were not taken; sent again in a minute",
                metadata: [
                    "channel": "\(name)", "status": "\(status.map(String.init) ?? "none")",
                    "error": "\(words ?? "")",
                ])
        }
        // A refused part must not keep the others from being sent.
        return outcome == .delivered || outcome == .permanentMessage
    }
}
