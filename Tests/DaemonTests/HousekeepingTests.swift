import Alerting
import Curl
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Storage
import TestSupport
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct HousekeepingTests {
        private let scratch: ScratchStore
        private let time = MovedTime()
        private let book = LogBook()

        init() throws { scratch = try ScratchStore() }

        /// The housekeeping of one process.
        private func housekeeping(_ more: String = "") async throws -> Housekeeping {
            let configuration = try ConfigurationLoader.parse(
                "version: 1\ndomains: [a.test]\n\(more)", file: "monitor.yaml", environment: [:]
            ) { _ in "" }.0
            var environment = MonitorDaemon.Environment(
                logger: book.logger, version: "1", userAgent: "x", storePath: scratch.folder.path)
            environment.clock = { [time] _ in time }
            let routing = Routing(configuration)
            let storeTrouble = StoreTroubleNotifier(
                notifier: DirectNotifier(transport: Receivers(), userAgent: "x", logger: silent), routing: routing,
                markerPath: scratch.folder.path + "/marker")
            let parts = try await MonitorParts(
                configuration, environment, scratch.store, routing, storeTrouble,
                checks: SharedDriver(CurlDriver(forChecksOf: configuration)),
                alerts: SharedDriver(CurlDriver(forAlertsOf: configuration)))
            let housekeeping = Housekeeping(parts)
            await housekeeping.begin()
            return housekeeping
        }

        @Test("each duty starts after its period, and never twice at the same time")
        func due() async throws {
            let housekeeping = try await housekeeping(
                "heartbeat: {url: \"http://127.0.0.1:9/ping\", every: 40s}\n")
            var begun: [Housekeeping.Duty: Int] = [:]
            for _ in 0..<120 {
                for duty in await housekeeping.beginDue() {
                    begun[duty, default: 0] += 1
                    if duty != .silences { await housekeeping.perform(duty) }
                }
                time.pass(1)
            }
            #expect(
                begun == [.silences: 1, .storeHealth: 12, .wallClock: 4, .presence: 3, .heartbeat: 2, .oldRows: 1])
        }

        @Test(
            "the store records the number of channels for its readers",
            arguments: [("", 0), (#"alerts: {channels: [{name: a, type: webhook, url: "https://a.test/"}]}"#, 1)])
        func channels(_ more: String, _ count: Int) async throws {
            #expect(try await scratch.store.channelCount() == nil)
            _ = try await housekeeping(more)
            #expect(try await scratch.store.channelCount() == count)
        }

        @Test("it works until it is cancelled, and then records when it ended")
        func cancelled() async throws {
            let housekeeping = try await housekeeping()
            let start = time.now()
            let task = Task { await housekeeping.run() }
            try await until { time.now() > start + 3600 }
            task.cancel()
            await task.value
            #expect(try await scratch.store.lastInstant() == time.now())
        }

        @Test("a monitor that runs or restarts within seconds is never shown as absent")
        func present() async throws {
            for _ in 0..<2 {
                let housekeeping = try await housekeeping()
                for _ in 0..<720 {
                    time.pass(30)
                    await housekeeping.perform(.presence)
                }
                time.pass(2)
            }
            let domain = try Domain("a.test")
            #expect(try await scratch.store.propagation(of: domain, since: noon).pauses.isEmpty)
            let left = try #require(try await scratch.store.lastInstant())
            time.pass(3600)
            _ = try await housekeeping()
            #expect(try await scratch.store.propagation(of: domain, since: noon).pauses == [left...time.now()])
        }

        @Test("a wall clock that moves by more than a second is noticed once, in either direction")
        func wallClock() async throws {
            let housekeeping = try await housekeeping()
            var ahead: [TimeInterval] = []
            for move in [0, 0.9, 3600, 0, -7200, 0.5] {
                time.pass(30)
                time.moveWall(move)
                await housekeeping.perform(.wallClock)
                ahead.append(noon.timeIntervalSince(try await scratch.store.steady(at: noon)).rounded())
            }
            #expect(ahead == [0, 0, 3601, 3601, -3599, -3599])
            #expect(book.lines.count { $0.hasPrefix("wall clock moved") } == 2)
        }

        @Test("silences that another process wrote are known at the next refresh")
        func silences() async throws {
            let housekeeping = try await housekeeping()
            let other = try Store(path: scratch.folder.appending(path: "monitor.db").path, access: .beside)
            _ = try await other.add(
                Silence(
                    scope: SilenceScope(domains: [try DomainPattern("a.test")]), startsAt: noon, endsAt: noon + 3600,
                    author: "eva", reason: "launch"))
            try other.close()
            await housekeeping.perform(.silences)
            #expect(await housekeeping.parts.silences.current.silences.map(\.reason) == ["launch"])
        }
    }
}
