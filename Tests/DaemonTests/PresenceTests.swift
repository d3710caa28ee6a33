import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct PresenceTests {
        @Test("a monitor that runs, or is started again within seconds, is never drawn as absent")
        func present() async throws {
            let scratch = try ScratchStore()
            let time = MovedTime()
            for _ in 0..<2 {
                let presence = Presence(store: scratch.store, time: time)
                await presence.begin()
                let task = Task { await presence.run() }
                let end = time.now() + 6 * 3600
                try await eventually { time.now() > end }
                task.cancel()
                await task.value
                time.pass(2)
            }
            let domain = try Domain("a.test")
            #expect(try await scratch.store.propagation(of: domain, since: noon).pauses.isEmpty)
            let left = try #require(try await scratch.store.lastInstant())
            time.pass(3600)
            await Presence(store: scratch.store, time: time).begin()
            #expect(try await scratch.store.propagation(of: domain, since: noon).pauses == [left...time.now()])
        }
    }
}
