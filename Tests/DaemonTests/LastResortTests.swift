import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("What is told past the store", .timeLimit(.minutes(5)))
    struct LastResortTests {
        private func routes(_ names: [String], fallback: String? = nil) throws -> Routes {
            Routes(
                channels: try names.map(hook), cdnBaseURL: "https://cdn.test", fleet: .init(fallback: fallback))
        }

        /// A judgement at a second of the story; the store fails or it does not.
        private func judgement(_ second: Double, isFailing: Bool = true) -> FleetEvaluation {
            let trouble = StoreTrouble(since: noon - 60, words: "no space is left")
            return judgeFleet(
                FleetState(), FleetLook(domains: [], store: isFailing ? trouble : nil), FleetPolicy(),
                now: noon + second)
        }

        private func telling(
            _ receivers: Receivers, _ body: (LastResort) async throws -> Void
        ) async throws {
            let lastResort = LastResort(
                message: DirectMessage(transport: receivers, userAgent: "x", wallClock: { noon }, logger: silent))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await lastResort.run() }
                try await body(lastResort)
                group.cancelAll()
            }
        }

        @Test("whoever judges does not wait for a receiver that hangs; one message at a time is under way")
        func slow() async throws {
            let receivers = Receivers(["hook": .hangs])
            let routes = try routes(["hook"])
            try await telling(receivers) { lastResort in
                for second in 0..<50 { lastResort.offer(judgement(Double(second) * 120), routes, Mutings()) }
                try await eventually { receivers.sent(to: "hook").count == 1 }
                for second in 50..<60 { lastResort.offer(judgement(Double(second) * 120), routes, Mutings()) }
                #expect(try lastResort.end(judgement(9000, isFailing: false), routes, Mutings(), noon) == nil)
            }
            #expect(receivers.sent(to: "hook").count == 1)
        }

        @Test("a message whose end is unclear is owed its end")
        func unclear() async throws {
            let receivers = Receivers(["hook": .hangs])
            let routes = try routes(["hook"])
            let lastResort = LastResort(
                message: DirectMessage(transport: receivers, userAgent: "x", wallClock: { noon }, logger: silent))
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await lastResort.run() }
                lastResort.offer(judgement(0), routes, Mutings())
                try? await eventually { receivers.sent(to: "hook").count == 1 }
                group.cancelAll()
            }
            let end = try lastResort.end(judgement(60, isFailing: false), routes, Mutings(), noon + 60)
            #expect(end?.story.map(\.type) == [.firing, .resolved] && end?.story.map(\.arrival) == [.unclear, .none])
            await lastResort.settle()
            #expect(try lastResort.end(judgement(70, isFailing: false), routes, Mutings(), noon + 70) == nil)
        }

        /// The story of an outage in which one channel behaves so at each of its tries.
        private func story(_ tries: [Receivers.Behaviour]) async throws -> [OutboxDraft.Arrival] {
            let receivers = Receivers()
            let routes = try routes(["hook"])
            var arrivals: [OutboxDraft.Arrival] = []
            try await telling(receivers) { lastResort in
                for (index, behaviour) in tries.enumerated() {
                    receivers.set(behaviour, for: "hook")
                    try await eventually {
                        lastResort.offer(judgement(Double(index) * 60), routes, Mutings())
                        return receivers.sent(to: "hook").count == index + 1
                    }
                    try await eventually {
                        let end = try lastResort.end(judgement(9000, isFailing: false), routes, Mutings(), noon + 9000)
                        arrivals = end?.story.map(\.arrival) ?? []
                        return end != nil
                    }
                }
            }
            return arrivals
        }

        @Test(
            "a channel that was never reached is owed the whole story, one that may have it the end",
            arguments: [
                ([Receivers.Behaviour.isDown], OutboxDraft.Arrival.none), ([.refuses], .none), ([.fails], .unclear),
                ([.isDown, .isDown, .refuses], .none), ([.isDown, .fails, .isDown], .unclear),
                ([.fails, .refuses], .unclear), ([.isDown, .fails, .takes], .taken),
            ])
        func reached(tries: [Receivers.Behaviour], arrival: OutboxDraft.Arrival) async throws {
            #expect(try await story(tries) == [arrival, .none])
        }

        @Test("it goes to the fallback channel, each minute in the same words until it is taken, and its end there too")
        func fallback() async throws {
            let receivers = Receivers(["pager": .refuses])
            let routes = try routes(["hook", "pager"], fallback: "pager")
            try await telling(receivers) { lastResort in
                lastResort.offer(judgement(0), routes, Mutings())
                try await eventually { receivers.sent(to: "pager").count == 1 }
                receivers.set(.takes, for: "pager")
                lastResort.offer(judgement(30), routes, Mutings())
                try await eventually {
                    lastResort.offer(judgement(61), routes, Mutings())
                    return receivers.sent(to: "pager").count == 2
                }
                try await eventually {
                    try lastResort.end(judgement(90, isFailing: false), routes, Mutings(), noon + 90) != nil
                }
                lastResort.offer(judgement(900), routes, Mutings())
                let end = try lastResort.end(judgement(901, isFailing: false), routes, Mutings(), noon + 901)
                #expect(end?.story.map(\.channel) == ["pager", "pager"])
                #expect(end?.story.map(\.arrival) == [.taken, .none])
            }
            let sent = receivers.sent(to: "pager")
            #expect(sent.count == 2 && Set(sent.map(\.body)).count == 1)
            #expect(receivers.sent(to: "hook").isEmpty)
        }

        @Test("nothing is told while a silence for all domains is in force")
        func silenced() async throws {
            let receivers = Receivers()
            let routes = try routes(["hook"])
            let silence = Silence(
                id: "a", scope: SilenceScope(domains: [.all]), startsAt: noon - 60, endsAt: noon + 3600,
                author: "eva", reason: "move")
            try await telling(receivers) { lastResort in
                lastResort.offer(judgement(0), routes, Mutings(silences: [silence]))
                lastResort.offer(judgement(1), routes, Mutings())
                try await eventually { receivers.sent(to: "hook").count == 1 }
            }
            #expect(receivers.sent(to: "hook").count == 1)
        }
    }
}
