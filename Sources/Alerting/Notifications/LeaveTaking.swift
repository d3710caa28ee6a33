// What a channel knows belongs to where its messages went. When they go elsewhere, or nowhere, nobody will tell the former place how
// its incidents end: a pager would keep them open for ever. At a reload the address and the key are still in memory, so that it is
// told; after a restart the log and another channel say what stays open there.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// Tells a former place of a channel that it hears no more of what is firing there.
struct LeaveTaking: Sendable {
    let delivery: Delivery
    /// As it was.
    let channel: Channel
    /// What it knows or may know as firing.
    let open: [IncidentRecord]

    /// So many messages at most, and for so long.
    private static let mostMessages = 200
    private static let patience: TimeInterval = 60

    /// What a removed channel knows stays, where it could not be told: it may come back.
    func run() async throws {
        guard try await isTold(), delivery.channel(named: channel.name) == nil else { return }
        try await delivery.store.transact(channel: channel.name) { try $0.forget() }
    }

    /// - Returns: whether nothing stays open there.
    private func isTold() async throws -> Bool {
        guard !open.isEmpty else { return true }
        let deadline = delivery.time.now() + Self.patience
        var left = open.map(\.incident)
        for some in messages(open).prefix(Self.mostMessages) where delivery.time.now() < deadline {
            if try await isTold(some, until: deadline) {
                let told = Set(some.map(\.incident.id))
                left.removeAll { told.contains($0.id) }
            }
        }
        delivery.logger.notice(
            "the channel's messages go elsewhere now; its former place was told",
            metadata: ["channel": "\(channel.name)", "incidents": "\(open.count - left.count)"])
        LeftOpen(channel: channel.name, type: channel.kind.rawValue, incidents: left).log(to: delivery.logger)
        return left.isEmpty
    }

    /// Pagers keep incidents apart; others read one message for each kind.
    private func messages(_ open: [IncidentRecord]) -> [[IncidentRecord]] {
        if channel.kind.isPager { return open.map { [$0] } }
        return Dictionary(grouping: open, by: \.incident.kind).sorted { $0.key < $1.key }.map(\.value)
    }

    private func isTold(_ records: [IncidentRecord], until deadline: Date) async throws -> Bool {
        let key = MessageIdentity.key(ofMessages: ["leave", channel.name] + records.map(\.incident.id))
        let alerts = records.map(alert)
        guard let alert = Alert(digestOf: alerts, key: key), let body = try? channel.format.body(alert, plain: false)
        else { return false }
        for pause in [5.0, 0] {
            let request = try delivery.request(body: body, key: key, channel: channel)
            let answer = try await delivery.post(request, to: channel)
            switch channel.format.judge(answer, now: delivery.time.wall()) {
            case .delivered: return true
            case .permanentMessage, .permanentChannel: return false
            case .transient, .throttled:
                guard pause > 0, delivery.time.now() + pause < deadline else { return false }
                try await delivery.time.sleep(for: .seconds(pause))
            }
        }
        return false
    }

    private func alert(_ record: IncidentRecord) -> Alert {
        let (now, wall) = (delivery.time.now(), delivery.time.wall())
        let routing = delivery.inputs.routing
        var incident = record.incident.shifted(by: wall.timeIntervalSince(now))
        incident.state = .resolved
        incident.resolvedAt = wall
        incident.reason = .removed
        return Alert(
            reason: .resolved, at: wall, incident: incident,
            facts: IncidentFacts(
                diagnosis: .remark(.movedAway), relief: "its alerts no longer come here; the trouble goes on"),
            labels: routing.labels(of: incident), links: routing.links(of: incident),
            instance: routing.instance)
    }
}

/// Incidents that stay open where a channel's messages went, and go no more.
package struct LeftOpen: Equatable, Sendable {
    package let channel: String
    private let type: String
    package let incidents: [Incident]

    /// So many are named.
    private static let mostNamed = 10

    /// `type`: as the configuration named it.
    package init(channel: String, type: String, incidents: [Incident]) {
        self.channel = channel
        self.type = type
        self.incidents = incidents
    }

    private var named: String {
        let isPager = type == ChannelKind.pagerduty.rawValue
        let first = incidents.prefix(Self.mostNamed).map { incident in
            let key = isPager ? " dedup_key \(MessageIdentity.key(ofIncident: incident.id))" : ""
            return "\(incident.id) (\(incident.subjectName) \(incident.kind.rawValue))\(key)"
        }
        let more = incidents.count > first.count ? ["and \(incidents.count - first.count) more"] : []
        return (first + more).joined(separator: "; ")
    }

    /// The same where the same is open.
    package var mark: String {
        String(ContentHash(of: incidents.map(\.id).sorted().joined(separator: "\n").utf8).hex.prefix(32))
    }

    /// Says in the log what somebody has to end by hand; nothing where nothing is open.
    package func log(to logger: Logger) {
        guard !incidents.isEmpty else { return }
        logger.warning(
            "a former place of this channel does not receive the end of these incidents; end them there by hand",
            metadata: [
                "channel": "\(channel.displayable)", "incidents": "\(incidents.count)", "open": "\(named)",
            ])
    }

    /// The same for people who read another channel; pagers get the end of it at once.
    /// - Returns: whether a channel took it.
    package func isTold(by notifier: DirectNotifier, _ routing: Routing, now: Date) async -> Bool {
        var alert = alert(links: routing.links(for: nil), instance: routing.instance, now: now)
        let taken = await notifier.send(alert, by: routing, without: [channel])
        alert.reason = .resolved
        alert.incident.state = .resolved
        alert.incident.resolvedAt = now
        _ = await notifier.send(alert, to: routing.channels.filter { $0.kind.isPager && taken.contains($0.name) })
        return !taken.isEmpty
    }

    private func alert(links: Alert.Links, instance: String, now: Date) -> Alert {
        let count = incidents.count == 1 ? "1 incident stays" : "\(incidents.count) incidents stay"
        let names = Set(incidents.map(\.subjectName)).sorted().prefix(Self.mostNamed).joined(separator: ", ")
        let incident = Incident(
            id: mark, subject: .fleet(.channel(channel)),
            kind: .monitorDegraded, severity: .warning, state: .firing, since: now, openedAt: now, firedAt: now,
            version: 1)
        var alert = Alert(
            reason: .firing, at: now, incident: incident,
            facts: IncidentFacts(
                diagnosis: .remark(.movedAway), subject: "aasa-monitor",
                trouble: "\(count) open at the former place of the channel '\(channel.displayable)' (\(names))"),
            labels: [:], links: links, instance: instance)
        alert.isStored = false
        return alert
    }
}
