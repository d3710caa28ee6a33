// Alertmanager is no mailbox: it holds what is said to it for a few minutes and forgets it. So it is owed no messages;
// it is told the present set of incidents again and again, and each end once.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// Feeds the channels that know states and no messages. A restart loses nothing, as the set is sent again.
package struct StateFeed: Sendable {
    /// What the feed must know of a watched domain.
    package struct Source: Sendable {
        let labels: [String: String]
        /// The channels that the domain is routed to; nil for all.
        let channels: [String]?

        package init(labels: [String: String], channels: [String]?) {
            self.labels = labels
            self.channels = channels
        }
    }

    private let sources: [Domain: Source]
    private let routes: Routes
    private let delivery: Delivery
    private let mutings: @Sendable () -> Mutings

    /// Between two tellings.
    static let interval = Duration.seconds(60)
    /// How long an alert lives that is not told again: a few tellings may be lost.
    static let life: TimeInterval = 300
    /// After news, so that what a burst of checks brings goes out together.
    private static let pause = Duration.seconds(1)

    package init(
        sources: [Domain: Source], routes: Routes, delivery: Delivery,
        mutings: @escaping @Sendable () -> Mutings = { Mutings() }
    ) {
        self.sources = sources
        self.routes = routes
        self.delivery = delivery
        self.mutings = mutings
    }

    /// Feeds until the task is cancelled; returns at once where there is nobody to feed.
    package func run() async {
        let names = routes.channels.filter { $0.kind.isStateFeed }.map(\.name)
        await withDiscardingTaskGroup { group in
            for name in names { group.addTask { await feed(name) } }
        }
    }

    private func feed(_ name: String) async {
        var known = Known()
        while !Task.isCancelled {
            let rings = delivery.workRings
            guard let channel = delivery.channel(named: name) else { return }
            do {
                try await tell(channel, &known)
            } catch {
                if Task.isCancelled { return }
                delivery.logger.error(
                    "a telling of the present incidents failed; trying again",
                    metadata: ["channel": "\(name)", "error": "\(error)"])
            }
            await nap(past: rings)
        }
    }

    /// What the receiver may believe.
    private struct Known {
        /// Incidents that it may take for firing.
        var firing: Set<String> = []
        /// Nobody knows what a former process still told, so that the first telling names all recent ends.
        var isFirst = true
    }

    private func tell(_ channel: Channel, _ known: inout Known) async throws {
        let now = delivery.time.now()
        let incidents = try await delivery.store.toldIncidents(endedSince: now - 2 * Self.life).filter { incident in
            incident.domain.flatMap { sources[$0]?.channels }?.contains(channel.name) ?? true
        }
        let mutings = mutings()
        let firing = incidents.filter { $0.state != .resolved && !isKeptBack($0, mutings, known, at: now) }
        let ended = incidents.filter { $0.state == .resolved && (known.isFirst || known.firing.contains($0.id)) }
        guard !(firing + ended).isEmpty else {
            known = Known(isFirst: false)
            return
        }
        var alerts: [AlertmanagerAlert] = []
        for incident in firing { alerts.append(try await alert(incident, endsAt: now + Self.life)) }
        for incident in ended { alerts.append(try await alert(incident, endsAt: min(incident.resolvedAt ?? now, now))) }
        let request = try delivery.request(body: JSONText.encoded(alerts), messageKey: "", channel: channel)
        let answer = try await delivery.transport.post(request)
        let outcome = channel.format.judge(answer, now: delivery.settings.wallClock())
        delivery.record(outcome, channel: channel.name)
        guard outcome != .delivered else {
            known = Known(firing: Set(firing.map(\.id)), isFirst: false)
            return
        }
        // It may have been taken all the same. The next round says the same and newer, so that nothing is owed.
        known.firing.formUnion(firing.map(\.id))
        delivery.logger.warning(
            "the present incidents were not taken; told again in a minute",
            metadata: [
                "channel": "\(channel.name)", "status": "\(answer.status.map(String.init) ?? "none")",
                "error": "\(Delivery.words(answer, channel: channel) ?? "")",
            ])
    }

    /// A silence keeps the beginning of an incident back. One that the receiver knows of is told on: left out, it would
    /// end there though it is not over. At the first telling those count as known that fired while nothing was silent.
    private func isKeptBack(_ incident: Incident, _ mutings: Mutings, _ known: Known, at now: Date) -> Bool {
        func isMuted(at instant: Date) -> Bool {
            let labels = incident.domain.flatMap { sources[$0]?.labels } ?? [:]
            return mutings.muting(domain: incident.domain, labels: labels, kind: incident.kind, at: instant) != nil
        }
        guard isMuted(at: now), !known.firing.contains(incident.id) else { return false }
        return !known.isFirst || isMuted(at: incident.firedAt ?? now)
    }

    private func alert(_ incident: Incident, endsAt: Date) async throws -> AlertmanagerAlert {
        let diagnosis = try await diagnosis(incident)
        return AlertmanagerAlert(
            incident, labels: incident.domain.flatMap { sources[$0]?.labels } ?? [:],
            summary: "\(incident.subject): \(incident.kind.rawValue) since \(Wording.instant(incident.since))",
            description: diagnosis ?? "", links: routes.links(for: incident.domain), endsAt: endsAt)
    }

    private func diagnosis(_ incident: Incident) async throws -> String? {
        if let domain = incident.domain { return try await delivery.store.state(of: domain)?.verdict?.diagnosis }
        return try await delivery.store.openFleetIncidents().first { $0.incident.id == incident.id }?.report.diagnosis
    }

    private func nap(past rings: UInt64) async {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                try? await delivery.time.sleep(for: Self.interval)
                return false
            }
            group.addTask {
                await delivery.waitForWork(past: rings)
                return true
            }
            let isNews = await group.next() ?? false
            group.cancelAll()
            if isNews { try? await delivery.time.sleep(for: Self.pause) }
        }
    }
}
