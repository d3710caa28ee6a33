import Alerting
import Evidence
import Facts
import Foundation
import GRDB
import Logging
import MonitorConfiguration
import StatusServer
import Storage
import Synchronization
import Testing

@testable import Daemon
@testable import Monitoring

extension DaemonSuite {
    @Suite("Domain scheduler")
    struct DomainSchedulerTests {
        /// Its checks end by cancellation only.
        private final class Hanging: DomainProbing {
            let begun = Mutex(0)

            func observe(
                _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String],
                timeout: Duration?, compared: (origin: ContentHash, copy: ContentHash)?, now: Date
            ) async throws -> Observation {
                begun.withLock { $0 += 1 }
                try await Task.sleep(for: .seconds(3600))
                throw CancellationError()
            }
        }

        private func watchers(_ count: Int, _ probe: Hanging, _ scratch: ScratchStore) throws -> [DomainWatcher] {
            let time = MovedTime()
            let delivery = Self.delivery(scratch.store, time)
            return try (0..<count).map { WatchedDomain(domain: try Domain("d\($0).test")) }.map {
                DomainWatcher(
                    $0,
                    .init(
                        probe: probe, store: scratch.store, global: nil, delivery: delivery, time: time, logger: silent)
                )
            }
        }

        @Test("a bounded number of checks is under way, and all of them end at once when the daemon ends")
        func cancelled() async throws {
            let scratch = try ScratchStore()
            let probe = Hanging()
            let time = MovedTime()
            // It reports once a minute, so that time passes while nothing can begin.
            let scheduler = DomainScheduler(
                try watchers(2000, probe, scratch), time: time,
                watchdog: SchedulerWatchdog(every: .seconds(60)) { _ in })
            let task = Task { await scheduler.run() }
            try await eventually { probe.begun.withLock(\.self) >= DomainScheduler.limit }
            let instant = time.now()
            try await eventually { time.now() > instant + 3600 }
            #expect(probe.begun.withLock(\.self) == DomainScheduler.limit)
            // A check that is not cancelled hangs for an hour.
            task.cancel()
            await task.value
        }

        @Test("single watchers end and begin while the others go on")
        func reload() async throws {
            let scratch = try ScratchStore()
            let probe = Hanging()
            let scheduler = DomainScheduler(try watchers(3, probe, scratch), time: MovedTime())
            let task = Task { await scheduler.run() }
            try await eventually { probe.begun.withLock(\.self) == 3 }
            let gone = try Domain("d1.test")
            await scheduler.stop([gone])
            #expect(scheduler.watched.keys.sorted() == [try Domain("d0.test"), try Domain("d2.test")])
            scheduler.start(try watchers(3, probe, scratch).filter { $0.watched.domain == gone })
            try await eventually { probe.begun.withLock(\.self) == 4 }
            task.cancel()
            await task.value
        }

        /// Without channels: nothing leaves.
        private static func delivery(_ store: Store, _ time: any MonitorClock) -> Delivery {
            Delivery(
                store: store,
                routing: Routing(channels: [], domains: [], cdnBaseURL: "https://cdn.test", instance: "monitor-1"),
                transport: Receivers(), time: time, userAgent: "x", logger: silent)
        }

        /// Time that passes only while no check is under way, and only until the next one is due.
        private final class PatientTime: MonitorClock {
            let scheduler = Mutex<DomainScheduler?>(nil)
            private let instant = Mutex(noon)

            func now() -> Date { instant.withLock(\.self) }

            func sleep(for duration: Duration) async throws {
                let end = now() + duration.inSeconds
                while scheduler.withLock({ $0?.underWay ?? 0 }) > 0 { try await Task.sleep(for: .milliseconds(1)) }
                try Task.checkCancellation()
                let due = scheduler.withLock { $0?.nextDue } ?? end
                instant.withLock { $0 = max($0, min(end, due)) }
            }
        }

        /// Answers at once, and notes who was asked when.
        private final class Prompt: DomainProbing {
            let asked = Mutex<[Domain: [Date]]>([:])
            let depths = Mutex<[Depth]>([])

            func observe(
                _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String],
                timeout: Duration?, compared: (origin: ContentHash, copy: ContentHash)?, now: Date
            ) async throws -> Observation {
                asked.withLock { $0[domain, default: []].append(now) }
                depths.withLock { $0.append(depth) }
                let failure = Failure(kind: .own, phase: .resolving, detail: "not asked")
                return Observation(
                    domain: domain, checkedAt: now, mode: mode,
                    origin: Retrieval(url: domain.wellKnownURL, outcome: .failed(failure)), cdn: .notAsked(.mode))
            }
        }

        @Test(
            "new domains are checked one after the other within their interval, known ones in the rhythm that they had")
        func rhythm() async throws {
            let scratch = try ScratchStore()
            let probe = Prompt()
            let time = PatientTime()
            let delivery = Self.delivery(scratch.store, time)
            let watched = try (0..<60).map { WatchedDomain(domain: try Domain("d\($0).test")) }
            let interval = 300.0
            for round in 0..<2 {
                let watchers = watched.map {
                    DomainWatcher(
                        $0,
                        .init(
                            probe: probe, store: scratch.store, global: nil, delivery: delivery, time: time,
                            logger: silent))
                }
                let begin = time.now()
                let scheduler = DomainScheduler(watchers, time: time)
                time.scheduler.withLock { $0 = scheduler }
                let task = Task { await scheduler.run() }
                try await eventually {
                    probe.asked.withLock { $0.values.allSatisfy { $0.count >= 3 } && $0.count == 60 }
                }
                task.cancel()
                await task.value
                let asked = probe.asked.withLock { asked in
                    defer { asked = [:] }
                    return asked
                }
                for watcher in watchers {
                    let times = try #require(asked[watcher.watched.domain])
                    let spread = round == 0 ? 0.6 : interval
                    #expect(times[0].timeIntervalSince(begin) <= spread + 0.1)
                    for instant in round == 0 ? times.dropFirst() : times[...] {
                        let turns = instant.timeIntervalSince1970 / interval - watcher.schedule.phase
                        #expect(abs(turns - turns.rounded()) * interval < 1)
                    }
                }
            }
        }

        @Test(
            "a state that cannot be read keeps its own domain from being checked, until it can be read, and nothing else"
        )
        func unreadable() async throws {
            let scratch = try ScratchStore()
            let (probe, time, log) = (Prompt(), PatientTime(), LogBook())
            let delivery = Self.delivery(scratch.store, time)
            let (broken, sound) = (try Domain("d0.test"), try Domain("d1.test"))
            var checked = DomainState(domain: broken)
            checked.lastCheckedAt = noon - 60
            _ = try await scratch.store.commit(Evaluation(state: checked))
            func setFormat(_ format: Int) async throws {
                let queue = try DatabaseQueue(path: scratch.store.path)
                try await queue.write {
                    try $0.execute(sql: "UPDATE domain SET format = \(format) WHERE name = 'd0.test'")
                }
            }
            try await setFormat(9999)
            let watchers = [broken, sound].map {
                WatchedDomain(domain: $0, checks: CheckSettings(interval: .seconds(6 * 3600)))
            }.map {
                DomainWatcher(
                    $0,
                    .init(
                        probe: probe, store: scratch.store, global: nil, delivery: delivery, time: time,
                        logger: log.logger))
            }
            let reports = Mutex<[Bool]>([])
            let scheduler = DomainScheduler(
                watchers, time: time,
                watchdog: SchedulerWatchdog(every: .seconds(60)) { word in reports.withLock { $0.append(word) } })
            time.scheduler.withLock { $0 = scheduler }
            let task = Task { await scheduler.run() }
            try await eventually { time.now() > noon + 2 * 3600 }
            #expect(probe.asked.withLock { $0[broken] } == nil)
            #expect(log.lines.count { $0.hasPrefix("domain not checked") } == 1)
            try await setFormat(DomainState.formatVersion)
            let mended = time.now()
            try await eventually { probe.asked.withLock { $0[broken] != nil && ($0[sound]?.count ?? 0) > 1 } }
            task.cancel()
            await task.value
            #expect(probe.asked.withLock { $0[broken]?.first ?? .distantFuture } <= mended + 6 * 3600 + 60)
            #expect(reports.withLock { $0.count > 60 && $0.allSatisfy(\.self) })
        }

        @Test("a first check that cannot be stored is made again after a pause")
        func unstored() async throws {
            let scratch = try ScratchStore()
            let (probe, time, log) = (Prompt(), PatientTime(), LogBook())
            let delivery = Self.delivery(scratch.store, time)
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(600)
            let queue = try DatabaseQueue(path: scratch.store.path, configuration: configuration)
            func setTrigger(_ sql: String) async throws { try await queue.write { try $0.execute(sql: sql) } }
            let refusal = "SELECT RAISE(ABORT, 'no place'); END"
            try await setTrigger("CREATE TRIGGER refusal BEFORE INSERT ON domain BEGIN \(refusal)")
            let domain = try Domain("d0.test")
            let watcher = DomainWatcher(
                WatchedDomain(domain: domain, checks: CheckSettings(interval: .seconds(6 * 3600))),
                .init(
                    probe: probe, store: scratch.store, global: nil, delivery: delivery, time: time,
                    logger: log.logger))
            let scheduler = DomainScheduler([watcher], time: time)
            time.scheduler.withLock { $0 = scheduler }
            let task = Task { await scheduler.run() }
            try await eventually { probe.asked.withLock { ($0[domain]?.count ?? 0) > 3 } }
            try await setTrigger("DROP TRIGGER refusal")
            try await eventually { try await scratch.store.state(of: domain)?.lastCheckedAt != nil }
            task.cancel()
            await task.value
            #expect(log.lines.contains { $0.hasPrefix("check discarded: store write failed") })
            let asked = probe.asked.withLock { $0[domain] ?? [] }
            #expect(
                zip(asked, asked.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= DomainScheduler.unreadPause })
        }

        @Test("a check that somebody asks for is full, is made at once and moves the next one; too many are refused")
        func now() async throws {
            let scratch = try ScratchStore()
            let probe = Prompt()
            let time = PatientTime()
            let delivery = Self.delivery(scratch.store, time)
            let domain = try Domain("d0.test")
            let watcher = DomainWatcher(
                WatchedDomain(domain: domain),
                .init(probe: probe, store: scratch.store, global: nil, delivery: delivery, time: time, logger: silent))
            let scheduler = DomainScheduler([watcher], time: time, pause: .seconds(86_400))
            #expect(await scheduler.checkNow(try Domain("d1.test"), wait: .seconds(3600)) == .notWatched)
            #expect(await scheduler.checkNow(domain, wait: .seconds(3600)) == .done)
            #expect(probe.depths.withLock(\.self) == [.full])
            #expect(try await scratch.store.state(of: domain)?.lastCheckedAt == noon)
            guard case .tooOften(80_000...86_400) = await scheduler.checkNow(domain, wait: .seconds(3600)) else {
                Issue.record("a second check within seconds")
                return
            }
            #expect(scheduler.underWay == 0 && !scheduler.isChecking(domain))
            time.scheduler.withLock { $0 = scheduler }
            let task = Task { await scheduler.run() }
            try await eventually { probe.asked.withLock { $0[domain]?.count ?? 0 >= 4 } }
            task.cancel()
            await task.value
            let times = probe.asked.withLock { $0[domain] ?? [] }
            // One at each turn: the place in the queue from before counts no more.
            for instant in times.dropFirst() {
                let turns = instant.timeIntervalSince1970 / 300 - watcher.schedule.phase
                #expect(abs(turns - turns.rounded()) * 300 < 1)
            }
            #expect(Set(times).count == times.count)
        }

        @Test("who asks while a check is under way gets that one, and does not wait for ever")
        func underWay() async throws {
            let scratch = try ScratchStore()
            let probe = Hanging()
            let scheduler = DomainScheduler(try watchers(1, probe, scratch), time: MovedTime())
            let domain = try Domain("d0.test")
            async let first = scheduler.checkNow(domain, wait: .milliseconds(300))
            try await eventually { probe.begun.withLock(\.self) == 1 }
            async let second = scheduler.checkNow(domain, wait: .milliseconds(300))
            #expect(await scheduler.checkNow(domain, wait: .milliseconds(1)) == .underWay)
            #expect(scheduler.isChecking(domain))
            #expect(await [first, second] == [.underWay, .underWay])
            #expect(probe.begun.withLock(\.self) == 1)
            await scheduler.stop([domain])
            #expect(await scheduler.checkNow(domain, wait: .milliseconds(300)) == .notWatched)
        }
    }
}
