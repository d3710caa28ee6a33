import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("What was withheld, after a restart with a clock that was set back")
    struct SetBackTests {
        private let parent = FleetWithholding.Cause(
            kind: .cdnWide, withholds: FleetCause.cdn.withholds, since: noon, reason: "away")

        @Test(
            "an end of the parent that lies ahead is not waited for; a look since the start is",
            arguments: [nil, 3500.0])
        func withheld(lookedAt second: Double?) async throws {
            let stage = try await SilenceWatchTests.Stage()
            stage.watch.withhold(FleetWithholding(causes: [parent]))
            try await stage.check(.firing, state: .firing)
            if let second {
                // The former process looked once more, then the clock was set back.
                var former = DomainState(domain: stage.domain)
                former.lastCheckedAt = noon + second
                try await stage.store.commit(CheckRecord(observation: nil, state: former))
            }
            try await stage.restart(after: 5)
            stage.watch.withhold(FleetWithholding(endedAt: noon + 3600))
            try await stage.pass(10)
            #expect(try await stage.told().isEmpty)
            try await stage.check(state: .firing)
            try await stage.pass(10)
            #expect(try await stage.told() == ["ops firing", "hook firing"])
        }
    }
}
