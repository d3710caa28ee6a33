import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("A clock that is set back")
    struct ClockSetBackTests {
        @Test("the end of a silence is told after the next look, and not when the clock is where it was at the start")
        func silence() async throws {
            let stage = try await SilenceWatchTests.Stage()
            try await stage.pass(0)
            stage.time.setBack(by: 86_400)
            try await stage.pass(1)
            try await stage.silence(for: 60)
            try await stage.check(.firing, state: .firing)
            try await stage.pass(61)
            try await stage.check(state: .firing)
            try await stage.pass(1)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }

        @Test("so is what a parent kept back whose end lies ahead, and not by a look of before")
        func parent() async throws {
            let stage = try await SilenceWatchTests.Stage()
            let cause = FleetWithholding.Cause(
                kind: .cdnWide, withholds: [.cdnStale], since: stage.time.now(), reason: "many")
            stage.watch.withhold(FleetWithholding(causes: [cause]))
            try await stage.check(.firing, state: .firing)
            let end = stage.time.now() + 1
            stage.watch.withhold(FleetWithholding(endedAt: end))
            stage.time.setBack(by: 3600)
            try await stage.pass(1)
            #expect(try await stage.told() == [])
            try await stage.check(state: .firing)
            stage.watch.withhold(FleetWithholding(endedAt: end))
            try await stage.pass(2)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }
    }
}
