// All watched domains: who is due next, and a task for each check under way. A domain that waits for its next check has no
// task: a task keeps the deepest stack that it ever had, some 90 KB after a check.

import Alerting
import Evidence
import Foundation
import HeapModule
import Monitoring
import MonitorMetrics
import Synchronization

/// Runs the watchers of the running configuration, and lets single ones end and begin while the others go on.
final class DomainScheduler: Sendable {
    final class Entry {
        let watcher: DomainWatcher
        /// nil before it was read from the store.
        var state: DomainState?
        /// Of the check under way.
        var task: Task<Void, Never>?
        /// When somebody last asked for a check.
        var wantedAt: ContinuousClock.Instant?

        init(_ watcher: DomainWatcher) { self.watcher = watcher }
    }

    struct State {
        var entries: [Domain: (number: UInt64, entry: Entry)] = [:]
        var queue = DueQueue()
        var begun: UInt64 = 0
        /// When the checks under way began, by the number of their watcher.
        var underWay: [UInt64: Date] = [:]
        /// When the loop looks at the queue next, unless it is woken.
        var wakesAt = Date.distantPast
        /// Checks under way that somebody asked for.
        var wanted = 0
    }

    /// Checks at once. Each holds some 100 KB, and the driver makes no more transfers than these.
    static let limit = 1024
    /// Of these at least so many that began within the last seconds; twice as many as there are requests at once, where that
    /// is more. One that takes longer waits for a server, and keeps nobody from beginning; but a machine that cannot do its
    /// work does not begin all of it.
    static let places = 128
    private static let recently = 2.0
    /// Domains that begin together are read from the store, and checked if they never were, so far apart at least, or spread
    /// over their interval where that is shorter.
    private static let distance = 0.01
    /// Until a state that could not be read is read again, or a first check that could not be stored is begun again.
    static let unreadPause = 10.0

    let time: any MonitorClock
    private let metrics: MetricsRegistry?
    private let concurrency: @Sendable () -> Int
    /// Between two checks of one domain that somebody asked for.
    let pause: Duration
    let watchdog: SchedulerWatchdog?
    private let changes = Wakeup()
    let state = Mutex(State())

    /// `metrics`, `watchdog`: nil: nobody reads them. `concurrency`: how many requests there may be at once.
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

    /// How many checks are under way.
    var underWay: Int { state.withLock(\.underWay.count) }

    /// When the next one is due; nil while none waits.
    var nextDue: Date? { state.withLock { $0.queue.first?.at } }

    /// When there is next something to do, for a clock that waits for it; what is under way is long due.
    var due: Date {
        state.withLock { $0.underWay.isEmpty ? $0.queue.first?.at ?? .distantFuture : .distantPast }
    }

    /// What is watched at present, and how.
    var watched: [Domain: WatchedDomain] {
        state.withLock { $0.entries.mapValues(\.entry.watcher.watched) }
    }

    /// Checks until the task is cancelled; what is under way then is cancelled, too.
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
                // Before its next turn, in the order of these: one that was checked before is not late.
                let share = min(
                    0.9, Double(watchers.count) * Self.distance / max(0.001, schedule.interval.inSeconds))
                state.begun += 1
                state.entries[watcher.watched.domain] = (state.begun, Entry(watcher))
                state.queue.add(
                    DueQueue.Item(
                        at: now + schedule.untilTurn(now) * share, domain: watcher.watched.domain,
                        watcher: state.begun))
            }
        }
        changes.signal()
    }

    /// Ends the watchers of these domains. Once it returns, their last checks are committed or never happened.
    func stop(_ domains: Set<Domain>) async {
        let tasks = state.withLock { state in domains.compactMap { state.entries.removeValue(forKey: $0)?.entry.task } }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Begins the checks that are due, as many as there are places.
    /// - Returns: when the next one is; nil where only a change brings work.
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
                    // It ends by cancellation only. A check that this cuts off is not committed: it never happened.
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
            // A turn that passed while the state was read is late, and not left out.
            let isOnlyRead = entry.state == nil && (next?.lastCheckedAt ?? .distantPast) < item.at
            let begin = isOnlyRead ? item.at : now
            entry.state = next ?? entry.state
            let schedule = entry.watcher.schedule
            let usual = next.map { schedule.delay(after: $0, now: begin).inSeconds } ?? schedule.untilTurn(begin)
            // The store did not give its state, or did not take its first check: its turn may be hours away, or at once.
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
// The loop that begins them reports it: a loop that is stuck reports nothing.

extension DomainScheduler {
    /// No check takes so long, whatever the time limit and the number of pages: its work is stuck.
    static let longestCheck: TimeInterval = 3600

    /// Reports to the watchdog where that is due.
    /// - Returns: when the next report is; nil without a watchdog.
    func reportProgress(_ reportedAt: inout Date?) -> Date? {
        guard let watchdog else { return nil }
        let (now, every) = (time.now(), watchdog.every.inSeconds)
        if let last = reportedAt, now < last + every { return last + every }
        watchdog.report(isProgressing(now))
        reportedAt = now
        return now + every
    }

    /// Whether every check under way may still end.
    private func isProgressing(_ now: Date) -> Bool {
        guard let oldest = state.withLock({ $0.underWay.values.min() }) else { return true }
        return now.timeIntervalSince(oldest) <= Self.longestCheck
    }
}

/// Who is due when: a heap, so that ten thousand domains cost one comparison a level and no task each.
struct DueQueue {
    /// By its instant alone.
    struct Item: Comparable {
        let at: Date
        let domain: Domain
        /// Of the watcher that it was entered for: one that ended leaves its item behind.
        let watcher: UInt64

        static func < (left: Item, right: Item) -> Bool { left.at < right.at }
    }

    private var heap = Heap<Item>()

    /// The one that is due first.
    var first: Item? { heap.min }

    mutating func add(_ item: Item) { heap.insert(item) }

    mutating func removeFirst() { heap.removeMin() }
}
