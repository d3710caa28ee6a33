// The schedule of all watched domains, and a task for each running check. A domain that waits for its next check has no
// task: a task keeps the largest stack it ever had, about 90 KB after a check.

import Alerting
import Evidence
import Foundation
import HeapModule
import Monitoring
import MonitorMetrics
import Synchronization

/// Runs the watchers of the current configuration. Single watchers can start and stop while the others run.
final class DomainScheduler: Sendable {
    final class Entry {
        let watcher: DomainWatcher
        /// nil until it is read from the store.
        var state: DomainState?
        /// The running check.
        var task: Task<Void, Never>?
        /// When a check was last requested.
        var wantedAt: ContinuousClock.Instant?

        init(_ watcher: DomainWatcher) { self.watcher = watcher }
    }

    struct State {
        var entries: [Domain: (number: UInt64, entry: Entry)] = [:]
        var queue = DueQueue()
        var begun: UInt64 = 0
        /// When the running checks began, by the number of their watcher.
        var underWay: [UInt64: Date] = [:]
        /// When the loop next looks at the queue, if no wakeup comes first.
        var wakesAt = Date.distantPast
        /// The number of running checks that were requested.
        var wanted = 0
    }

    /// The maximum of running checks. Each holds about 100 KB. More checks than concurrent requests would only wait.
    static let limit = 1024
    /// The maximum of checks that began within the last `recently` seconds; or twice the number of concurrent requests,
    /// if that is more. An older check waits for a server and does not block new ones. The limit keeps an overloaded
    /// machine from starting everything at once.
    static let places = 128
    private static let recently = 2.0
    /// Domains that start together are read from the store, and checked if they never were, this many seconds apart on
    /// average; closer together if they would exceed their interval.
    private static let distance = 0.01
    /// Seconds until an unreadable state is read again, or a first check that could not be stored is repeated.
    static let unreadPause = 10.0

    let time: any MonitorClock
    private let metrics: MetricsRegistry?
    private let concurrency: @Sendable () -> Int
    /// The minimum time between two requested checks of a domain.
    let pause: Duration
    let watchdog: SchedulerWatchdog?
    private let changes = Wakeup()
    let state = Mutex(State())

    /// `metrics`, `watchdog`: nil: not used. `concurrency`: the maximum of concurrent requests.
    init(
        _ watchers: [DomainWatcher], time: any MonitorClock, metrics: MetricsRegistry? = nil,
        watchdog: SchedulerWatchdog? = nil, concurrency: @escaping @Sendable () -> Int = { 0 },
        pause: Duration = DomainScheduler.pause
    ) {
        self.time = time
        self.pause = pause
        self.watchdog = watchdog
        self.metrics = metrics
        self.concurrency = concurrency
        start(watchers)
    }

    /// The number of running checks.
    var underWay: Int { state.withLock(\.underWay.count) }

    /// When the next check is due; nil if none waits.
    var nextDue: Date? { state.withLock { $0.queue.first?.at } }

    /// When there is work next, for an accelerated clock; the distant past while checks are running.
    var due: Date {
        state.withLock { $0.underWay.isEmpty ? $0.queue.first?.at ?? .distantFuture : .distantPast }
    }

    /// The watched domains with their settings.
    var watched: [Domain: WatchedDomain] {
        state.withLock { $0.entries.mapValues(\.entry.watcher.watched) }
    }

    /// Runs checks until the task is cancelled, then cancels the running ones.
    func run() async {
        var reportedAt: Date?
        while !Task.isCancelled {
            let revision = changes.revision
            let next = startDue()
            let report = reportProgress(&reportedAt)
            await pause(until: [next, report].compactMap(\.self).min(), past: revision)
        }
        await stop(Set(state.withLock(\.entries).keys))
    }

    func start(_ watchers: [DomainWatcher]) {
        let now = time.now()
        state.withLock { state in
            for watcher in watchers {
                let schedule = watcher.schedule
                // Starts before the domain's next turn, in list order: a domain that was checked before is not late.
                let share = min(
                    0.9, Double(watchers.count) * Self.distance / max(0.001, schedule.interval.inSeconds))
                state.begun += 1
                state.entries[watcher.watched.domain] = (state.begun, Entry(watcher))
                state.queue.add(
                    DueQueue.Item(
                        at: now + schedule.untilNextCheck(now) * share, domain: watcher.watched.domain,
                        watcher: state.begun))
            }
        }
        changes.signal()
    }

    /// Stops the watchers of these domains. When it returns, their last checks are committed or discarded.
    func stop(_ domains: Set<Domain>) async {
        let tasks = state.withLock { state in domains.compactMap { state.entries.removeValue(forKey: $0)?.entry.task } }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Starts the due checks, up to the limits.
    /// - Returns: when to look again; nil if only a wakeup brings work.
    private func startDue() -> Date? {
        let now = time.now()
        let places = max(Self.places, 2 * concurrency())
        return state.withLock { state in
            let recent = state.underWay.values.filter { now.timeIntervalSince($0) < Self.recently }
            var free = min(Self.limit - state.underWay.count, places - recent.count)
            while free > 0, let first = state.queue.first {
                guard let (number, entry) = state.entries[first.domain], number == first.watcher else {
                    state.queue.removeFirst()
                    continue
                }
                guard first.at <= now else { break }
                state.queue.removeFirst()
                state.underWay[number] = now
                free -= 1
                let (watcher, known) = (entry.watcher, entry.state)
                // The first turn only reads the state.
                if known != nil { metrics?.lateness.observe(now.timeIntervalSince(first.at)) }
                entry.task = Task {
                    // Only cancellation throws. A cancelled check is not committed.
                    let next = (try? await watcher.turn(known)) ?? nil
                    self.finish(first, next)
                }
            }
            var next = free > 0 ? state.queue.first?.at : nil
            if free <= 0, state.underWay.count < Self.limit {
                next = (recent.min() ?? now) + Self.recently
            }
            state.wakesAt = free > 0 ? next ?? .distantFuture : .distantFuture
            return next
        }
    }

    func finish(_ item: DueQueue.Item, _ next: DomainState?) {
        let now = time.now()
        let isNews = state.withLock { state in
            state.underWay[item.watcher] = nil
            guard let (number, entry) = state.entries[item.domain], number == item.watcher else {
                return state.wakesAt == .distantFuture
            }
            entry.task = nil
            // If a turn was due while the state was read, the check is late and not skipped.
            let isOnlyRead = entry.state == nil && (next?.lastCheckedAt ?? .distantPast) < item.at
            let begin = isOnlyRead ? item.at : now
            entry.state = next ?? entry.state
            let schedule = entry.watcher.schedule
            let usual = next.map { schedule.delay(after: $0, now: begin).inSeconds } ?? schedule.untilNextCheck(begin)
            // Without a stored state, the regular delay may be hours, or zero.
            let due = begin + (entry.state?.lastCheckedAt == nil ? Self.unreadPause : usual)
            state.queue.add(DueQueue.Item(at: due, domain: item.domain, watcher: number))
            return due < state.wakesAt
        }
        if isNews { changes.signal() }
    }

    private func pause(until instant: Date?, past revision: UInt64) async {
        await withTaskGroup { group in
            group.addTask { await self.changes.wait(past: revision) }
            if let instant { group.addTask { try? await self.time.sleep(until: instant) } }
            await group.next()
            group.cancelAll()
        }
    }
}

// MARK: - Whether checks end
// The loop that starts checks reports it, because a stuck loop reports nothing.

extension DomainScheduler {
    /// Seconds. No check takes this long, for any timeout and number of pages: it is stuck.
    static let longestCheck: TimeInterval = 3600

    /// Reports to the watchdog if a report is due.
    /// - Returns: when the next report is due; nil without a watchdog.
    func reportProgress(_ reportedAt: inout Date?) -> Date? {
        guard let watchdog else { return nil }
        let (now, every) = (time.now(), watchdog.every.inSeconds)
        if let last = reportedAt, now < last + every { return last + every }
        watchdog.report(isProgressing(now))
        reportedAt = now
        return now + every
    }

    /// Whether no running check is stuck.
    private func isProgressing(_ now: Date) -> Bool {
        guard let oldest = state.withLock({ $0.underWay.values.min() }) else { return true }
        return now.timeIntervalSince(oldest) <= Self.longestCheck
    }
}

/// The due times of all domains: a heap, so that ten thousand domains need few comparisons and no tasks.
struct DueQueue {
    /// Ordered by time only.
    struct Item: Comparable {
        let at: Date
        let domain: Domain
        /// The number of the watcher that the item belongs to: a stopped watcher leaves its item in the queue.
        let watcher: UInt64

        static func < (left: Item, right: Item) -> Bool { left.at < right.at }
    }

    private var heap = Heap<Item>()

    var first: Item? { heap.min }

    mutating func add(_ item: Item) { heap.insert(item) }

    mutating func removeFirst() { heap.removeMin() }
}
