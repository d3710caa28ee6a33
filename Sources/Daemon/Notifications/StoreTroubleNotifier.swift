// A store that takes no writes cannot hold what is to be sent, so that the news of it is sent from memory, once. While it
// lasts the heartbeat stops, too.

import Alerting
import Evidence
import Foundation
import Monitoring
import Storage

/// Notifies of a store in trouble: while the daemon runs, and where it cannot start.
package actor StoreTroubleNotifier {
    private let notifier: DirectNotifier
    private let storePath: String
    private let marker: StoreTroubleMarker
    private var routing: Routing
    private var trouble: Trouble?

    private struct Trouble {
        var content: StoreTroubleMarker.Content
        /// The store's own instant: another one is another trouble.
        var failingSince: Date?
        /// Of the steady clock.
        let seenAt: Date
        var triedAt: Date?
        var isTaken = false
        var resolveTriedAt: Date?
    }

    /// Trouble that passes sooner is not notified.
    private static let patience: TimeInterval = 30
    /// Between two tries where no channel took it.
    private static let pause: TimeInterval = 60
    /// Between two messages of processes that cannot start.
    private static let startPause: TimeInterval = 3600

    package init(notifier: DirectNotifier, routing: Routing, storePath: String, marker: StoreTroubleMarker) {
        self.notifier = notifier
        self.routing = routing
        self.storePath = storePath
        self.marker = marker
    }

    /// Takes another configuration, as after a reload.
    func replace(routing: Routing) { self.routing = routing }

    // MARK: - A start that fails

    /// Notifies that the daemon cannot start, at most once an hour. Another daemon that uses the store is no trouble.
    package func notify(ofFailedStart error: StoreError, now: Date = Date()) async {
        guard error.code != .inUse else { return }
        let known = marker.content
        if let known, abs(now.timeIntervalSince(known.notifiedAt)) < Self.startPause { return }
        // Without a marker, all starts within an hour have one id: a pager then opens one incident.
        let hour = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        var content = known ?? StoreTroubleMarker.Content(id: id(since: hour), since: now, notifiedAt: now)
        let alert = Alert.storeTrouble(
            id: content.id, since: content.since, words: error.message, isAtStart: true, links: routing.links(for: nil),
            instance: routing.instance, now: now)
        guard await send(alert, sick: []) else { return }
        content.notifiedAt = now
        marker.write(content)
    }

    // MARK: - While the daemon runs

    /// Looks every two seconds until the task is cancelled.
    ///
    /// `sick`: the channels that are known to be in trouble. `isSilenced`: whether a silence for everything is in force.
    func run(
        _ time: any Timekeeper, health: @Sendable () -> StoreHealth, sick: @Sendable () -> Set<String>,
        isSilenced: @Sendable () -> Bool
    ) async {
        resume(at: time.now())
        while !Task.isCancelled {
            await step(time, health(), sick: sick(), isSilenced: isSilenced())
            try? await time.sleep(for: .seconds(2) * time.pace)
        }
    }

    /// Takes up what a former process notified: its end is due once writes work.
    package func resume(at now: Date) {
        guard let content = marker.content else { return }
        trouble = Trouble(content: content, seenAt: now, triedAt: now, isTaken: true)
    }

    /// One look at the store's health.
    package func step(
        _ time: any Timekeeper, _ health: StoreHealth, sick: Set<String> = [], isSilenced: Bool = false
    ) async {
        if let since = health.failingSince {
            await notify(since, health.lastError, time, sick, isSilenced)
        } else {
            await resolve(time)
        }
    }

    private func notify(
        _ failingSince: Date, _ error: StoreError?, _ time: any Timekeeper, _ sick: Set<String>, _ isSilenced: Bool
    ) async {
        let (now, wall) = (time.now(), time.wall())
        if trouble.map({ $0.triedAt == nil && $0.failingSince != failingSince }) ?? true {
            let content = StoreTroubleMarker.Content(id: id(since: wall), since: wall, notifiedAt: wall)
            trouble = Trouble(content: content, failingSince: failingSince, seenAt: now)
        }
        trouble?.resolveTriedAt = nil
        // A file that is gone does not come back by itself.
        let patience = error?.code == .displaced ? 0 : Self.patience
        guard let known = trouble, !known.isTaken, !isSilenced, now.timeIntervalSince(known.seenAt) >= patience,
            isDue(known.triedAt, now)
        else { return }
        trouble?.triedAt = now
        let alert = Alert.storeTrouble(
            id: known.content.id, since: known.content.since, words: error?.message ?? "", isAtStart: false,
            links: routing.links(for: nil), instance: routing.instance, now: known.content.since + patience)
        guard await send(alert, sick: sick) else { return }
        trouble?.isTaken = true
        trouble?.content.notifiedAt = wall
        if let content = trouble?.content { marker.write(content) }
    }

    /// Pagers get the end; chats do not.
    private func resolve(_ time: any Timekeeper) async {
        let now = time.now()
        guard let known = trouble else { return }
        guard known.triedAt != nil else {
            trouble = nil
            return
        }
        // The first writes after a start come within a minute; before that nothing is known of the store.
        if known.failingSince == nil, now.timeIntervalSince(known.seenAt) < Self.pause { return }
        guard isDue(known.resolveTriedAt, now) else { return }
        trouble?.resolveTriedAt = now
        let pagers = routing.channels.filter { $0.kind.isPager && !$0.kind.isFeed }
        let alert = Alert.storeTroubleResolved(
            id: known.content.id, since: known.content.since, links: routing.links(for: nil),
            instance: routing.instance, now: time.wall())
        guard await notifier.send(alert, to: pagers).count == pagers.count else { return }
        trouble = nil
        marker.remove()
    }

    private func isDue(_ triedAt: Date?, _ now: Date) -> Bool {
        triedAt.map { now.timeIntervalSince($0) >= Self.pause } ?? true
    }

    /// Sends through the fallback channel; where there is none, it is in trouble, or does not take it, through all others,
    /// those of the escalation last.
    /// - Returns: whether a channel took it.
    private func send(_ alert: Alert, sick: Set<String>) async -> Bool {
        let channels = routing.channels.filter {
            !$0.kind.isFeed && $0.accepts(kind: alert.incident.kind, severity: alert.incident.severity)
        }
        let later = routing.escalation.names
        let others = channels.filter { $0.name != routing.fallback }
        let rounds = [
            channels.filter { $0.name == routing.fallback && !sick.contains($0.name) },
            others.filter { !later.contains($0.name) }, others.filter { later.contains($0.name) },
        ]
        for round in rounds where await !notifier.send(alert, to: round).isEmpty { return true }
        return false
    }

    /// Hosts that share a receiver must not end each other's incidents.
    private func id(since: Date) -> String {
        let name = ProcessInfo.processInfo.hostName
        let text = "store\n\(name)\n\(storePath)\n\(Int64(since.timeIntervalSince1970 * 1000))"
        return String(ContentHash(of: text.utf8).hex.prefix(32))
    }
}

/// Remembers across restarts that a store in trouble was notified: a file beside the store may be just what cannot be written.
package struct StoreTroubleMarker: Sendable {
    /// What was notified, and when.
    package struct Content: Codable, Equatable, Sendable {
        /// Of the incident: pagers keep it open under it.
        package let id: String
        package let since: Date
        /// When a channel last took it.
        package var notifiedAt: Date
    }

    /// nil: nothing is remembered.
    let path: String?

    /// In `$RUNTIME_DIRECTORY`, which systemd keeps over restarts of the service and which needs no disk.
    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        // systemd lists several folders apart by colons; the first is ours.
        path = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map { "\($0)/store-trouble.json" }
    }

    var content: Content? {
        guard let path, let bytes = FileManager.default.contents(atPath: path) else { return nil }
        return try? JSONDecoder().decode(Content.self, from: bytes)
    }

    func write(_ content: Content) {
        guard let path else { return }
        try? JSONEncoder().encode(content).write(to: URL(filePath: path), options: .atomic)
    }

    func remove() {
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }
}
