import Alerting
import Evidence
import Facts
import Foundation
import MonitorConfiguration
import Monitoring
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("Scheduler watchdog")
    struct SchedulerWatchdogTests {
        /// Time that passes immediately, but stops while a check that is going to end is running.
        private final class WaitingTime: MonitorClock {
            private let instant = Mutex(noon)
            private let isBusy: @Sendable () -> Bool

            init(isBusy: @escaping @Sendable () -> Bool) { self.isBusy = isBusy }

            func now() -> Date { instant.withLock(\.self) }

            func sleep(for duration: Duration) async throws {
                while isBusy() { try await Task.sleep(for: .milliseconds(1)) }
                try Task.checkCancellation()
                instant.withLock { $0 += duration / .seconds(1) }
                await Task.yield()
            }
        }

        private static func scheduler(
            domains: Int, _ probe: FakeProbe, _ scratch: ScratchStore, _ watchdog: SchedulerWatchdog?
        ) throws -> (DomainScheduler, WaitingTime) {
            let made = Mutex<DomainScheduler?>(nil)
            let time = WaitingTime {
                let underWay = made.withLock { $0?.underWay ?? 0 }
                return underWay > probe.hung.withLock(\.self)
            }
            let scheduler = DomainScheduler(
                try watchers(domains, probe, scratch.store, time), time: time, watchdog: watchdog)
            made.withLock { $0 = scheduler }
            return (scheduler, time)
        }

        // One: its only domain hangs. 1500: more checks hang than may run concurrently, so no due check can start.
        @Test("a stuck scheduler stops the watchdog, and the log says so", arguments: [1, 1500])
        func stuck(_ domains: Int) async throws {
            let scratch = try ScratchStore()
            let socket = try NotifySocket(scratch.folder.appending(path: "notify").path)
            let notifier = try #require(
                ServiceNotifier(environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "30000000"]))
            let log = LogBook()
            let probe = FakeProbe()
            let (scheduler, time) = try Self.scheduler(
                domains: domains, probe, scratch, SchedulerWatchdog(notifier, logger: log.logger))
            let task = Task { await scheduler.run() }
            try await until { socket.messages.contains("WATCHDOG=1") }
            #expect(log.lines.isEmpty)
            probe.isStuck.withLock { $0 = true }
            try await until { log.lines.contains { $0.hasPrefix("a check does not end") } }
            let fed = socket.messages.count
            let instant = time.now()
            try await until { time.now() > instant + 3600 }
            #expect(socket.messages.count == fed)
            #expect(log.lines.count == 1)
            task.cancel()
            await task.value
        }

        @Test("an idle scheduler keeps the watchdog running")
        func idle() async throws {
            let scratch = try ScratchStore()
            let reports = Mutex<[Bool]>([])
            let watchdog = SchedulerWatchdog(every: .seconds(10)) { isProgressing in
                reports.withLock { $0.append(isProgressing) }
            }
            let (scheduler, time) = try Self.scheduler(domains: 0, FakeProbe(), scratch, watchdog)
            let task = Task { await scheduler.run() }
            try await until { time.now() > noon + 7200 }
            task.cancel()
            await task.value
            #expect(reports.withLock { $0.count >= 600 && $0.allSatisfy(\.self) })
        }

        @Test("only a valid socket makes a notifier; only this process's watchdog counts")
        func environment() {
            #expect(ServiceNotifier(environment: [:]) == nil)
            for name in ["", "@", "/", "notify", "vsock:2:1", "/" + String(repeating: "x", count: 200)] {
                #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": name]) == nil, "\(name)")
            }
            func limit(_ more: [String: String]) -> Duration? {
                ServiceNotifier(environment: ["NOTIFY_SOCKET": "/n"].merging(more) { $1 }, process: 42)?.watchdogLimit
            }
            #expect(limit([:]) == nil)
            #expect(limit(["WATCHDOG_USEC": "0"]) == nil)
            #expect(limit(["WATCHDOG_USEC": "x"]) == nil)
            #expect(limit(["WATCHDOG_USEC": "1500"]) == .microseconds(1500))
            #expect(limit(["WATCHDOG_USEC": "1500", "WATCHDOG_PID": "42"]) == .microseconds(1500))
            #expect(limit(["WATCHDOG_USEC": "1500", "WATCHDOG_PID": "43"]) == nil)
        }
    }
}
