import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("One story of a store that took no writes", .timeLimit(.minutes(5)))
    struct StoreStoryTests {
        private let receivers = Receivers()

        private func judgement(_ state: FleetState, _ second: Double, isFailing: Bool = true) -> FleetEvaluation {
            let trouble = StoreTrouble(since: noon + second - 60, words: "no space is left")
            return judgeFleet(
                state, FleetLook(domains: [], store: isFailing ? trouble : nil), FleetPolicy(), now: noon + second)
        }

        private func telling(_ body: (LastResort, Routes) async throws -> Void) async throws {
            let lastResort = LastResort(
                message: DirectMessage(transport: receivers, userAgent: "x", wallClock: { noon }, logger: silent))
            let routes = Routes(channels: [try hook("hook")], cdnBaseURL: "https://cdn.test")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await lastResort.run() }
                try await body(lastResort, routes)
                group.cancelAll()
            }
        }

        @Test("the judgement that can be stored again begins no second story of what was told past the store")
        func second() async throws {
            try await telling { lastResort, routes in
                let first = judgement(FleetState(), 0)
                #expect(lastResort.remainder(of: first) == first)
                lastResort.offer(first, routes, Mutings())
                try await eventually { receivers.sent(to: "hook").count == 1 }
                let rest = lastResort.remainder(of: judgement(FleetState(), 8))
                #expect(rest.news.isEmpty && rest.incidents.isEmpty && rest.state[.store] == nil)
                // The number is used up.
                #expect(rest.state.begun == 1)
                try await eventually { try lastResort.end(rest, routes, Mutings(), noon + 8) != nil }
                let end = try #require(try lastResort.end(rest, routes, Mutings(), noon + 8))
                #expect(end.incident.id == first.state[.store]?.incident.id)
                #expect(end.story.map(\.type) == [.firing, .resolved] && end.story.map(\.arrival) == [.taken, .none])
            }
        }

        @Test("trouble that is back soon after its end is told past the store too")
        func again() async throws {
            var state = judgement(FleetState(), 0).state
            for second in [60.0, 120] { state = judgement(state, second, isFailing: false).state }
            #expect(state.ended.count == 1)
            let again = judgement(state, 300)
            #expect(again.news.map(\.event.type) == [.update])
            try await telling { lastResort, routes in
                lastResort.offer(again, routes, Mutings())
                try await eventually { receivers.sent(to: "hook").count == 1 }
            }
        }
    }
}
