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
    private var ends: [End] = []

    private struct Trouble {
        var content: StoreTroubleMarker.Content
        /// Of the steady clock.
        let seenAt: Date
        var triedAt: Date?
        var isTaken = false
        /// A former process told of it: whether it lasts shows only after a while.
        var isOfBefore = false
    }

    /// The end of a trouble, on its way to the pagers.
    private struct End {
        let content: StoreTroubleMarker.Content
        /// Those that did not take it yet, by name.
        var waiting: Set<String>
        /// Of the steady clock.
        let since: Date
        var triedAt: Date?
    }

    /// Trouble that passes sooner is not notified.
    private static let delay: TimeInterval = 30
    /// Between two tries where no channel took it.
    private static let pause: TimeInterval = 60
    /// Between two messages of processes that cannot start.
    private static let startPause: TimeInterval = 3600
    /// A pager that does not take an end for so long never does: its key may be revoked.
    private static let longestEnd: TimeInterval = 3600

    package init(notifier: DirectNotifier, routing: Routing, storePath: String, marker: StoreTroubleMarker) {
        self.notifier = notifier
        self.routing = routing
        self.storePath = storePath
        self.marker = marker
    }

    /// Takes another configuration, as after a reload.
    func replace(routing: Routing) { self.routing = routing }

    // MARK: - A start that fails, or that begins with a new store

    /// Notifies that the daemon cannot start, at most once an hour. Another daemon that uses the store is no trouble.
    package func notify(ofFailedStart error: StoreError, now: Date = Date()) async {
        guard error.code != .inUse else { return }
        let known = marker.content
        if let known, abs(now.timeIntervalSince(known.notifiedAt)) < Self.startPause { return }
        // Without a marker, all starts within an hour have one id: a pager then opens one incident.
        let hour = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
        var content = known ?? StoreTroubleMarker.Content(id: id(since: hour), since: now, notifiedAt: now)
        guard await !notifier.send(alert(content, error, .start, now: now), by: routing).isEmpty else { return }
        content.notifiedAt = now
        marker.write(content)
    }

    /// Notifies that a damaged store was set aside, so that what is open is announced again. Nothing ends it: a pager gets its end
    /// at once.
    /// - Returns: whether a channel took it.
    package func notify(of aside: SetAside, now: Date = Date(), sick: Set<String> = []) async -> Bool {
        let content = StoreTroubleMarker.Content(id: id(since: aside.at), since: aside.at, notifiedAt: now)
        let error = StoreError(code: .corrupt, message: "\(aside.path): \(aside.detail)")
        let taken = await notifier.send(alert(content, error, .setAside, now: now), by: routing, without: sick)
        _ = await notifier.send(end(of: content, now: now), to: pagers.filter { taken.contains($0.name) })
        return !taken.isEmpty
    }

    // MARK: - While the daemon runs

    /// Looks every two seconds until the task is cancelled.
    ///
    /// `sick`: the channels that are known to be in trouble. `isSilenced`: whether a silence for everything is in force.
    func run(
        _ time: any MonitorClock, health: @Sendable () -> StoreHealth, sick: @Sendable () -> Set<String>,
        isSilenced: @Sendable () -> Bool
    ) async {
        resume(at: time.now())
        while !Task.isCancelled {
            await step(time, health(), sick: sick(), isSilenced: isSilenced())
            try? await time.sleep(for: .seconds(2) * time.intervalFactor)
        }
    }

    /// Takes up what a former process notified: its end is due once writes work.
    package func resume(at now: Date) {
        guard let content = marker.content else { return }
        trouble = Trouble(content: content, seenAt: now, triedAt: now, isTaken: true, isOfBefore: true)
    }

    /// One look at the store's health.
    package func step(
        _ time: any MonitorClock, _ health: StoreHealth, sick: Set<String> = [], isSilenced: Bool = false
    ) async {
        if let since = health.failingSince {
            await notify(since, health, time, sick, isSilenced)
        } else {
            finish(time.now())
        }
        await sendEnds(time)
    }

    private func notify(
        _ failingSince: Date, _ health: StoreHealth, _ time: any MonitorClock, _ sick: Set<String>, _ isSilenced: Bool
    ) async {
        let (now, wall) = (time.now(), time.systemTime())
        var known =
            trouble
            ?? Trouble(
                content: StoreTroubleMarker.Content(
                    id: id(since: wall), since: min(failingSince, wall), notifiedAt: wall),
                seenAt: now)
        known.isOfBefore = false
        defer { trouble = known }
        // A file that is gone does not come back by itself; what comes back has lasted already.
        let delay = health.lastError?.code == .displaced || health.isPartial ? 0 : Self.delay
        guard !known.isTaken, !isSilenced, now.timeIntervalSince(known.seenAt) >= delay, isDue(known.triedAt, now)
        else { return }
        known.triedAt = now
        let alert = alert(known.content, health.lastError, health.isPartial ? .someWrites : .allWrites, now: wall)
        guard await !notifier.send(alert, by: routing, without: sick).isEmpty else { return }
        known.isTaken = true
        known.content.notifiedAt = wall
        marker.write(known.content)
    }

    /// Writes work. Pagers get the end; chats do not.
    private func finish(_ now: Date) {
        guard let known = trouble else { return }
        // The first writes after a start come within a minute; before that nothing is known of the store.
        if known.isOfBefore, now.timeIntervalSince(known.seenAt) < Self.pause { return }
        trouble = nil
        guard known.triedAt != nil else { return }
        ends.append(End(content: known.content, waiting: Set(pagers.map(\.name)), since: now))
    }

    /// Whatever becomes of an end, the next trouble is told.
    private func sendEnds(_ time: any MonitorClock) async {
        let now = time.now()
        var left: [End] = []
        for var end in ends {
            let channels = pagers.filter { end.waiting.contains($0.name) }
            if isDue(end.triedAt, now) {
                end.triedAt = now
                end.waiting.subtract(
                    await notifier.send(self.end(of: end.content, now: time.systemTime()), to: channels))
            }
            end.waiting.formIntersection(channels.map(\.name))
            if end.waiting.isEmpty || now.timeIntervalSince(end.since) >= Self.longestEnd {
                marker.remove(id: end.content.id)
            } else {
                left.append(end)
            }
        }
        ends = left
    }

    private func isDue(_ triedAt: Date?, _ now: Date) -> Bool {
        triedAt.map { now.timeIntervalSince($0) >= Self.pause } ?? true
    }

    // MARK: - The messages

    private var pagers: [Channel] { routing.channels.filter { $0.kind.isPager && !$0.kind.isFeed } }

    private func alert(
        _ content: StoreTroubleMarker.Content, _ error: StoreError?, _ outage: StoreOutage, now: Date
    ) -> Alert {
        Alert.storeTrouble(
            id: content.id, since: content.since, fault: error?.fault ?? .other, outage: outage,
            words: error?.message ?? "",
            links: routing.links(for: nil), instance: routing.instance, now: now)
    }

    private func end(of content: StoreTroubleMarker.Content, now: Date) -> Alert {
        Alert.storeTroubleResolved(
            id: content.id, since: content.since, links: routing.links(for: nil), instance: routing.instance, now: now)
    }

    /// Hosts that share a receiver must not end each other's incidents.
    private func id(since: Date) -> String {
        let name = ProcessInfo.processInfo.hostName
        let text = "store\n\(name)\n\(storePath)\n\(Int64(since.timeIntervalSince1970 * 1000))"
        return String(ContentHash(of: text.utf8).hex.prefix(32))
    }
}

extension StoreError {
    /// What it is for those who get the message.
    fileprivate var fault: StoreFault {
        switch code {
        case .full: .full
        case .locked, .inUse: .locked
        case .unwritable, .forbidden: .unwritable
        case .corrupt: .damaged
        case .displaced: .displaced
        case .notADatabase: .foreign
        case .newerSchema, .newerState: .newer
        case .olderSchema, .missing, .exists, .other: .other
        }
    }
}
