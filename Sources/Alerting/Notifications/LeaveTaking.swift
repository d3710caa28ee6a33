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
    /// Where its messages went, hashed.
    let destination: String
    /// What it knows or may know as firing.
    let open: [IncidentRecord]

    /// So many messages at most, and for so long.
    private static let mostMessages = 200
    private static let timeout: TimeInterval = 60

    func run() async {
        let deadline = delivery.time.now() + Self.timeout
        var left = open.map(\.incident)
        do {
            for some in messages().prefix(Self.mostMessages) where delivery.time.now() < deadline {
                guard try await isTold(some, until: deadline) else { continue }
                let told = some.map(\.incident.id)
                left.removeAll { told.contains($0.id) }
                try await forget(told)
            }
        } catch {
            if Task.isCancelled { return }
            delivery.logger.warning(
                "a former place of a channel was not notified to the end",
                metadata: ["channel": "\(channel.name)", "error": "\(error)"])
        }
        if left.count < open.count {
            delivery.logger.notice(
                "the channel's messages go elsewhere now; its former place was notified",
                metadata: ["channel": "\(channel.name)", "incidents": .stringConvertible(open.count - left.count)])
        }
        LeftOpen(channel: channel.name, type: channel.kind.rawValue, incidents: left).log(to: delivery.logger)
    }

    /// What was ended there is not known there any more, should the channel come back.
    private func forget(_ ids: [String]) async throws {
        if let present = delivery.configured(channel.name) {
            guard try await delivery.destinationHash(of: present) == destination else { return }
        }
        try await delivery.store.transact(channel: channel.name) { try $0.forget(ids) }
    }

    /// Pagers keep incidents apart; others read one message for each kind.
    private func messages() -> [[IncidentRecord]] {
        if channel.kind.isPager { return open.map { [$0] } }
        return Dictionary(grouping: open, by: \.incident.kind).sorted { $0.key < $1.key }.map(\.value)
    }

    private func isTold(_ records: [IncidentRecord], until deadline: Date) async throws -> Bool {
        let key = MessageIdentity.key(ofMessages: ["leave", channel.name] + records.map(\.incident.id))
        let alerts = records.map(alert)
        guard let alert = Alert(digestOf: alerts, key: key), let body = try? channel.format.body(alert, plain: false)
        else { return false }
        for pause in [5.0, 0] {
            let answer = try await delivery.post(body, key: key, to: channel)
            switch channel.format.judge(answer, now: delivery.time.systemTime()) {
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
        let (now, wall) = (delivery.time.now(), delivery.time.systemTime())
        let routing = delivery.inputs.routing
        var incident = record.incident.shifted(by: wall.timeIntervalSince(now))
        let isOver = incident.state == .resolved
        if !isOver {
            incident.state = .resolved
            incident.resolvedAt = wall
            incident.reason = .removed
        }
        return Alert(
            reason: .resolved, at: wall, incident: incident,
            facts: IncidentFacts(
                diagnosis: .remark(.over),
                relief: isOver ? nil : "alerts about it are not sent here any more; the trouble goes on"),
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

    /// Some by name, with what a pager finds them by.
    private var named: [String] {
        let first = incidents.prefix(Self.mostNamed).map { incident in
            let key = isPager ? ", dedup_key \(MessageIdentity.pagerKey(of: incident))" : ""
            return "\(incident.subjectName) \(incident.kind.rawValue) (\(incident.id.prefix(12))\(key))"
        }
        let more = incidents.count > first.count ? ["and \(incidents.count - first.count) more"] : []
        return first + more
    }

    /// In a chat there is nothing to close.
    package var isPager: Bool { type == ChannelKind.pagerduty.rawValue }

    /// The same where the same is open.
    package var mark: String {
        let ids = incidents.map(\.id).sorted().joined(separator: "\n")
        return String(ContentHash(of: "\(channel)\n\(ids)".utf8).hex.prefix(32))
    }

    /// Says in the log what stays open there; nothing where nothing does.
    package func log(to logger: Logger) {
        guard !incidents.isEmpty else { return }
        logger.log(
            level: isPager ? .warning : .notice,
            "a former place of this channel does not receive the end of these incidents\(isPager ? "; end them there by hand" : "")",
            metadata: [
                "channel": "\(channel.displayable)", "incidents": .stringConvertible(incidents.count),
                "open": "\(named.joined(separator: "; "))",
            ])
    }

    /// The same for people who read another channel; pagers get the end of it at once.
    /// - Returns: whether a channel took it.
    package func isTold(by notifier: DirectNotifier, _ routing: Routing, now: Date) async -> Bool {
        let incident = Incident(
            id: mark, subject: .global(.channel(channel)), kind: .monitorDegraded, severity: .warning, state: .firing,
            since: now, openedAt: now, firedAt: now, version: 1)
        let cause = MonitorCause.leftOpen(
            channel: channel.displayable, incidents: incidents.count, named: named)
        var alert = Alert(
            reason: .firing, at: now, incident: incident,
            facts: IncidentFacts(
                diagnosis: .monitor(cause), findings: [Finding(.monitor(cause))], subject: "aasa-monitor",
                trouble: "incidents stay open at the former place of the channel '\(channel.displayable)'"),
            labels: [:], links: routing.links(for: nil), instance: routing.instance)
        alert.isStored = false
        let taken = await notifier.send(alert, by: routing, without: [channel])
        alert.reason = .resolved
        alert.incident.state = .resolved
        alert.incident.resolvedAt = now
        _ = await notifier.send(alert, to: routing.channels.filter { $0.kind.isPager && taken.contains($0.name) })
        return !taken.isEmpty
    }
}
