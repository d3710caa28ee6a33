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
import TestSupport
import Testing

@testable import Daemon
@testable import Monitoring

extension DaemonSuite {
    @Suite("Domain scheduler")
    struct DomainSchedulerTests {
        @Test("the number of concurrent checks is bounded, and all end immediately when the daemon ends")
        func cancelled() async throws {
            let scratch = try ScratchStore()
            let probe = FakeProbe(isStuck: true)
            let time = MovedTime()
            // It reports once a minute, so time passes even if no check can start.
            let scheduler = DomainScheduler(
                try watchers(2000, probe, scratch.store, MovedTime()), time: time,
                watchdog: SchedulerWatchdog(every: .seconds(60)) { _ in })
            let task = Task { await scheduler.run() }
            try await until { probe.begun >= DomainScheduler.limit }
            let instant = time.now()
            try await until { time.now() > instant + 3600 }
            #expect(probe.begun == DomainScheduler.limit)
            // A check that is not cancelled would hang for an hour.
            task.cancel()
            await task.value
        }

        @Test("single watchers start and end while the others continue")
        func reload() async throws {
            let scratch = try ScratchStore()
            let probe = FakeProbe(isStuck: true)
            let scheduler = DomainScheduler(try watchers(3, probe, scratch.store, MovedTime()), time: MovedTime())
            let task = Task { await scheduler.run() }
            try await until { probe.begun == 3 }
            let gone = try Domain("d1.test")
            await scheduler.stop([gone])
            #expect(scheduler.watched.keys.sorted() == [try Domain("d0.test"), try Domain("d2.test")])
            scheduler.start(try watchers(3, probe, scratch.store, MovedTime()).filter { $0.watched.domain == gone })
            try await until { probe.begun == 4 }
            task.cancel()
            await task.value
        }

        /// Time that stops during a check, and otherwise passes only until the next check is due.
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

        @Test(
            "new domains are checked one after another within their interval, known ones at their usual times")
        func rhythm() async throws {
            let scratch = try ScratchStore()
            let probe = FakeProbe()
            let time = PatientTime()
            let interval = 300.0
            for round in 0..<2 {
                let watchers = try watchers(60, probe, scratch.store, time)
                let begin = time.now()
                let scheduler = DomainScheduler(watchers, time: time)
                time.scheduler.withLock { $0 = scheduler }
                let task = Task { await scheduler.run() }
                try await until {
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
            "a domain with an unreadable state is not checked until the state can be read; other domains are"
        )
        func unreadable() async throws {
            let scratch = try ScratchStore()
            let (probe, time, log) = (FakeProbe(), PatientTime(), LogBook())
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
            let watchers = try watchers(
                2, every: .seconds(6 * 3600), probe, scratch.store, time, logger: log.logger)
            let reports = Mutex<[Bool]>([])
            let scheduler = DomainScheduler(
                watchers, time: time,
                watchdog: SchedulerWatchdog(every: .seconds(60)) { word in reports.withLock { $0.append(word) } })
            time.scheduler.withLock { $0 = scheduler }
            let task = Task { await scheduler.run() }
            try await until { time.now() > noon + 2 * 3600 }
            #expect(probe.asked.withLock { $0[broken] } == nil)
            #expect(log.lines.count { $0.hasPrefix("domain not checked") } == 1)
            try await setFormat(DomainState.formatVersion)
            let mended = time.now()
            try await until { probe.asked.withLock { $0[broken] != nil && ($0[sound]?.count ?? 0) > 1 } }
            task.cancel()
            await task.value
            #expect(probe.asked.withLock { $0[broken]?.first ?? .distantFuture } <= mended + 6 * 3600 + 60)
            #expect(reports.withLock { $0.count > 60 && $0.allSatisfy(\.self) })
        }

        @Test("a first check that cannot be stored is repeated after a pause")
        func unstored() async throws {
            let scratch = try ScratchStore()
            let (probe, time, log) = (FakeProbe(), PatientTime(), LogBook())
            var configuration = GRDB.Configuration()
            configuration.busyMode = .timeout(600)
            let queue = try DatabaseQueue(path: scratch.store.path, configuration: configuration)
            func setTrigger(_ sql: String) async throws { try await queue.write { try $0.execute(sql: sql) } }
            let refusal = "SELECT RAISE(ABORT, 'no place'); END"
            try await setTrigger("CREATE TRIGGER refusal BEFORE INSERT ON domain BEGIN \(refusal)")
            let domain = try Domain("d0.test")
            let watchers = try watchers(
                1, every: .seconds(6 * 3600), probe, scratch.store, time, logger: log.logger)
            let scheduler = DomainScheduler(watchers, time: time)
            time.scheduler.withLock { $0 = scheduler }
            let task = Task { await scheduler.run() }
            try await until { probe.asked.withLock { ($0[domain]?.count ?? 0) > 3 } }
            try await setTrigger("DROP TRIGGER refusal")
            try await until { try await scratch.store.state(of: domain)?.lastCheckedAt != nil }
            task.cancel()
            await task.value
            #expect(log.lines.contains { $0.hasPrefix("check discarded: store write failed") })
            let asked = probe.asked.withLock { $0[domain] ?? [] }
            #expect(
                zip(asked, asked.dropFirst()).allSatisfy { $1.timeIntervalSince($0) >= DomainScheduler.unreadPause })
        }

        @Test("a requested check is full, starts immediately and moves the next one; too many are refused")
        func now() async throws {
            let scratch = try ScratchStore()
            let probe = FakeProbe()
            let time = PatientTime()
            let domain = try Domain("d0.test")
            let watcher = try watchers(1, probe, scratch.store, time)[0]
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
            try await until { probe.asked.withLock { $0[domain]?.count ?? 0 >= 4 } }
            task.cancel()
            await task.value
            let times = probe.asked.withLock { $0[domain] ?? [] }
            // All checks follow the schedule: the old position in the queue no longer counts.
            for instant in times.dropFirst() {
                let turns = instant.timeIntervalSince1970 / 300 - watcher.schedule.phase
                #expect(abs(turns - turns.rounded()) * 300 < 1)
            }
            #expect(Set(times).count == times.count)
        }

        @Test("a request during a check joins that check, and does not wait forever")
        func underWay() async throws {
            let scratch = try ScratchStore()
            let probe = FakeProbe(isStuck: true)
            let scheduler = DomainScheduler(try watchers(1, probe, scratch.store, MovedTime()), time: MovedTime())
            let domain = try Domain("d0.test")
            async let first = scheduler.checkNow(domain, wait: .milliseconds(300))
            try await until { probe.begun == 1 }
            async let second = scheduler.checkNow(domain, wait: .milliseconds(300))
            #expect(await scheduler.checkNow(domain, wait: .milliseconds(1)) == .underWay)
            #expect(scheduler.isChecking(domain))
            #expect(await [first, second] == [.underWay, .underWay])
            #expect(probe.begun == 1)
            await scheduler.stop([domain])
            #expect(await scheduler.checkNow(domain, wait: .milliseconds(300)) == .notWatched)
        }
    }
}
