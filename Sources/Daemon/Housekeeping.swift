// The periodic duties of the daemon besides checks, evaluations and messages: one loop, and a function for each duty.

import Alerting
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Storage

actor Housekeeping {
    enum Duty: CaseIterable {
        case silences, statusLine, storeHealth, wallClock, presence, heartbeat, oldRows
    }

    let parts: MonitorParts
    private var begunAt: [Duty: Date] = [:]
    private var underWay: Set<Duty> = []

    private var seenWrites: Int?
    private let silenceTrouble = LogDeduplicator()
    /// The wall clock minus the steady clock, in seconds, at the last check.
    private var wallAhead: TimeInterval?
    private var presentAt: Date?
    /// The number in the store.
    private var notedChannels: Int?
    /// At the last heartbeat.
    var progress: WorkProgress?
    let heartbeatTrouble = LogDeduplicator()
    private var shownLine = ""

    private static let tick: Duration = .seconds(1)
    private static let presencePeriod: Duration = .seconds(30)
    /// Seconds. A smaller change between the two clocks is drift, or a slow reading.
    private static let clockTolerance: TimeInterval = 1

    init(_ parts: MonitorParts) { self.parts = parts }

    /// Runs once before the first check: these two duties cover the time before the start.
    func begin() async {
        await notePresence()
        progress = await readProgress()
        for duty in [Duty.presence, .heartbeat] { begunAt[duty] = parts.time.now() }
    }

    /// Starts the due duties at each tick until the task is cancelled. They run concurrently: a slow one delays no other.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for duty in beginDue() { group.addTask { await self.perform(duty) } }
                try? await parts.time.sleep(for: Self.tick * parts.time.intervalFactor)
            }
        }
        // Marks the end of this run. A long gap since the last note, as after a suspension, counts as downtime.
        await notePresence()
    }

    /// The duties whose period has passed and that are not running.
    func beginDue() -> [Duty] {
        let now = parts.time.now()
        let due = Duty.allCases.filter { duty in
            guard !underWay.contains(duty), let period = period(of: duty) else { return false }
            return begunAt[duty].map { now.timeIntervalSince($0) >= period.inSeconds } ?? true
        }
        underWay.formUnion(due)
        for duty in due { begunAt[duty] = now }
        return due
    }

    /// nil: the duty is off.
    private func period(of duty: Duty) -> Duration? {
        let factor = parts.time.intervalFactor
        return switch duty {
        case .silences: Self.tick * factor
        case .statusLine: parts.environment.notifier.map { _ in .seconds(5) * factor }
        case .storeHealth: .seconds(10) * factor
        case .wallClock: .seconds(30) * factor
        case .presence: Self.presencePeriod * factor
        case .heartbeat: parts.live.current.heartbeat?.every
        case .oldRows: .seconds(3600)
        }
    }

    func perform(_ duty: Duty) async {
        switch duty {
        case .silences: await followSilences()
        case .statusLine: await showStatusLine()
        case .storeHealth: await watchStoreHealth()
        case .wallClock: await watchWallClock()
        case .presence: await notePresence()
        case .heartbeat: await beat()
        case .oldRows: await removeOldRows()
        }
        underWay.remove(duty)
    }
}

// MARK: - The duties

extension Housekeeping {
    /// Reads the silences. After a write of another process, such as `ack`, the channels look at the incidents again.
    private func followSilences() async {
        do {
            let writes = try await parts.store.outsideWrites()
            let isOutside = seenWrites.map { $0 != writes } ?? false
            try await parts.silences.refresh()
            seenWrites = writes
            if isOutside {
                parts.delivery.wake()
                parts.delivery.reconsider()
            }
            silenceTrouble.isOver()
        } catch is CancellationError {
            return
        } catch {
            if silenceTrouble.isNews("away") {
                parts.logger.error("silences not refreshed: store read failed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// The line in `systemctl status`: current counts, sent when they change.
    private func showStatusLine() async {
        let line: String
        do {
            let failing = try await parts.store.statusCounts().reduce(0) { $0 + ($1.key < .atRisk ? $1.value : 0) }
            let incidents = try await parts.store.openIncidentCounts().reduce(0) { $0 + $1.count }
            let domains = parts.live.current.domains.count.of("domain")
            line = "\(domains), \(failing) failing, \(incidents.of("incident")) open"
        } catch {
            line = "the store cannot be read"
        }
        guard line != shownLine, !Task.isCancelled else { return }
        parts.environment.notifier?.status(line)
        shownLine = line
    }

    private func watchStoreHealth() async {
        let silencedUntil = parts.silences.current.end(
            domain: nil, labels: [:], kind: .monitorDegraded, at: parts.time.systemTime())
        await parts.storeTrouble.step(parts.time, parts.store.health, isSilenced: silencedUntil != nil)
    }

    /// The wall clock may jump while the process runs: NTP corrects it, or a virtual machine is paused. Silences,
    /// windows and the timestamps for other programs follow it.
    private func watchWallClock() async {
        let ahead = parts.time.systemTime().timeIntervalSince(parts.time.now())
        if let wallAhead {
            guard abs(ahead - wallAhead) > Self.clockTolerance else { return }
            parts.logger.notice(
                "wall clock moved: silences, maintenance windows and timestamps follow it",
                metadata: ["seconds": .stringConvertible(Int((ahead - wallAhead).rounded()))])
        }
        wallAhead = ahead
        parts.delivery.reconsider()
        try? await parts.store.note(wallAhead: ahead)
    }

    /// Records in the store when the monitor ran. Checks may be hours apart, so their times cannot distinguish a
    /// restart of seconds from a night of downtime.
    private func notePresence() async {
        let shortest = 2 * Self.presencePeriod.inSeconds * parts.time.intervalFactor
        let last = presentAt
        // A store that takes no writes is reported elsewhere.
        try? await parts.store.notePresence(at: parts.time.now(), since: last, shortest: shortest)
        // After the write: time spent waiting for the store is not time without a monitor.
        presentAt = parts.time.now()
        await noteChannels()
    }

    /// For readers of the store, such as `status`, which do not know the configuration.
    private func noteChannels() async {
        let channels = parts.live.current.alerts.channels.count
        guard channels != notedChannels, (try? await parts.store.note(channels: channels)) != nil else { return }
        notedChannels = channels
    }

    private func removeOldRows() async {
        do {
            let settings = parts.live.current.store
            try await parts.store.prune(
                now: parts.time.now(), keepObservations: settings.keepObservations,
                keepDeliveries: settings.keepDeliveries)
        } catch is CancellationError {
            return
        } catch {
            parts.logger.error("old rows not removed: store write failed", metadata: ["error": "\(error)"])
        }
    }
}
