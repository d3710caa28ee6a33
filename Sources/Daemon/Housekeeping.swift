// What the daemon does at regular times, besides checks, evaluations and messages: one loop, and a function for each duty.

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
    private var isSecondLook = true
    private let silenceTrouble = LogDeduplicator()
    /// The wall clock minus the steady clock, in seconds, at the last look.
    private var wallAhead: TimeInterval?
    /// When presence was last noted.
    private var presentAt: Date?
    /// At the last heartbeat.
    var progress: WorkProgress?
    let heartbeatTrouble = LogDeduplicator()
    private var shownLine = ""

    private static let tick: Duration = .seconds(1)
    private static let presencePeriod: Duration = .seconds(30)
    /// A smaller difference of the two clocks is drift or a slow look.
    private static let clockTolerance: TimeInterval = 1

    init(_ parts: MonitorParts) { self.parts = parts }

    /// Once, before the first check: these two duties look back to the time before.
    func begin() async {
        await notePresence()
        progress = await readProgress()
        for duty in [Duty.presence, .heartbeat] { begunAt[duty] = parts.time.now() }
    }

    /// Looks at each tick which duties are due, until the task is cancelled. Each runs beside the others, so that a slow one delays
    /// none.
    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for duty in beginDue() { group.addTask { await self.perform(duty) } }
                try? await parts.time.sleep(for: Self.tick * parts.time.intervalFactor)
            }
        }
        // A machine that was suspended ran no monitor either: the last note is of the end.
        await notePresence()
    }

    /// Those whose period is over, and which are not under way any more.
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

    /// nil: there is nothing to do at present.
    private func period(of duty: Duty) -> Duration? {
        let factor = parts.time.intervalFactor
        return switch duty {
        case .silences: Self.tick * factor
        case .statusLine: parts.surroundings.notifier.map { _ in .seconds(5) * factor }
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
    /// Reads the silences at every second look, and whenever another process has written to the store.
    private func followSilences() async {
        do {
            let writes = try await parts.store.outsideWrites()
            let isOutside = seenWrites.map { $0 != writes } ?? false
            seenWrites = writes
            isSecondLook.toggle()
            if isOutside || isSecondLook { try await parts.silences.refresh() }
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

    /// The line that `systemctl status` shows: live counts, sent where they change.
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
        parts.surroundings.notifier?.status(line)
        shownLine = line
    }

    private func watchStoreHealth() async {
        let silencedUntil = parts.silences.current.end(
            domain: nil, labels: [:], kind: .monitorDegraded, at: parts.time.systemTime())
        await parts.storeTrouble.step(parts.time, parts.store.health, isSilenced: silencedUntil != nil)
    }

    /// The wall clock may move while the process lives: NTP corrects it, a virtual machine is paused. Silences, windows and what
    /// other programs read follow it.
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

    /// The store knows when the monitor ran: checks may lie hours apart, and their instants do not tell a restart of seconds from a
    /// night without it.
    private func notePresence() async {
        let shortest = 2 * Self.presencePeriod.inSeconds * parts.time.intervalFactor
        let last = presentAt
        presentAt = parts.time.now()
        // Where the store takes no writes, others say so.
        try? await parts.store.notePresence(at: parts.time.now(), since: last, shortest: shortest)
    }

    private func removeOldRows() async {
        do {
            let keep = parts.live.current.store.keepObservations
            try await parts.store.prune(now: parts.time.now(), keepObservations: keep)
        } catch is CancellationError {
            return
        } catch {
            parts.logger.error("old rows not removed: store write failed", metadata: ["error": "\(error)"])
        }
    }
}
