// A store that takes no writes cannot hold pending notifications. Each process sends one message from memory instead.
// Meanwhile the heartbeat stops and `/readyz` answers 503.

import Alerting
import Evidence
import Foundation
import Monitoring
import Storage

/// Notifies about store outages: while the daemon runs, and if it cannot start.
package actor StoreTroubleNotifier {
    private let notifier: DirectNotifier
    /// A file whose modification time is the last message about a failed start, by this process or an earlier one.
    private let markerPath: String
    private var routing: Routing
    /// A store that was set aside, and when; nil once a channel has taken the message about it.
    private var damage: (error: StoreError, at: Date)?
    /// When the current outage was first seen, and the last attempt to send; of the steady clock.
    private var seenAt: Date?
    private var triedAt: Date?
    private var isNotified = false

    /// Seconds. A shorter outage is not notified.
    private static let delay: TimeInterval = 30
    /// Seconds between two attempts if no channel took the message.
    private static let pause: TimeInterval = 60
    /// Seconds between two messages about failed starts.
    private static let startPause: TimeInterval = 3600

    package init(notifier: DirectNotifier, routing: Routing, markerPath: String) {
        self.notifier = notifier
        self.routing = routing
        self.markerPath = markerPath
    }

    /// In `$RUNTIME_DIRECTORY`, which systemd keeps across restarts and in memory; otherwise in the temporary folder.
    package static func markerPath(
        storePath: String, environment: [String: String] = ProcessInfo.processInfo.environment,
        temporary: String = FileManager.default.temporaryDirectory.path
    ) -> String {
        // systemd separates several folders by colons; the first is ours.
        let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first
        let name = ContentHash(of: "\(geteuid())\n\(storePath)".utf8).hex.prefix(16)
        return folder.map { "\($0)/store-trouble" } ?? "\(temporary)/aasa-monitor-\(name)"
    }

    /// Applies a new configuration after a reload.
    func replace(routing: Routing) { self.routing = routing }

    /// Notifies that the daemon cannot start, at most once an hour. A store in use by another daemon is not an outage.
    package func notify(ofFailedStart error: StoreError, now: Date = Date()) async {
        let files = FileManager.default
        let last = (try? files.attributesOfItem(atPath: markerPath))?[.modificationDate] as? Date
        if let last, abs(now.timeIntervalSince(last)) < Self.startPause { return }
        guard error.code != .inUse, await send(error, .start, since: now, now: now) else { return }
        try? Data().write(to: URL(filePath: markerPath), options: .atomic)
        try? files.setAttributes([.modificationDate: now], ofItemAtPath: markerPath)
    }

    /// At the next step, notifies that a damaged store was set aside and that open incidents are notified again.
    package func note(_ damage: StoreError, at now: Date = Date()) { self.damage = (damage, now) }

    /// One check of the store's health.
    package func step(_ time: any MonitorClock, _ health: StoreHealth, isSilenced: Bool = false) async {
        let (now, wall) = (time.now(), time.systemTime())
        seenAt = health.isFailing ? seenAt ?? now : nil
        if let triedAt, now.timeIntervalSince(triedAt) < Self.pause { return }
        if let (error, since) = damage {
            triedAt = now
            if await send(error, .setAside, since: since, now: wall) { damage = nil }
        } else if let seenAt, let since = health.failingSince, !isNotified, !isSilenced,
            now.timeIntervalSince(seenAt) >= Self.delay
        {
            triedAt = now
            isNotified = await send(health.lastError, .writes, since: min(since, wall), now: wall)
        }
    }

    /// - Returns: whether a channel took it.
    private func send(_ error: StoreError?, _ outage: StoreOutage, since: Date, now: Date) async -> Bool {
        var alert = Alert.storeTrouble(
            since: since, fault: error?.fault ?? .other, outage: outage, words: error?.message ?? "",
            links: routing.links(for: nil), instance: routing.instance, now: now)
        alert.note = routing.note(of: alert.incident)
        return await !notifier.send(alert, by: routing).isEmpty
    }
}

extension StoreError {
    /// The kind of fault that the message names.
    fileprivate var fault: StoreFault {
        switch code {
        case .full: .full
        case .locked, .inUse: .locked
        case .unwritable, .forbidden: .unwritable
        case .corrupt: .damaged
        case .notADatabase: .foreign
        case .newer: .newer
        case .older, .missing, .exists, .other: .other
        }
    }
}
