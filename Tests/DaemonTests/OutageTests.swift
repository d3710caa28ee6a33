import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite("An outage of the store that outlives the process", .timeLimit(.minutes(5)))
    struct OutageTests {
        private let receivers = Receivers()
        private let scratch: ScratchStore
        private let routes: Routes

        init() throws {
            scratch = try ScratchStore()
            routes = Routes(channels: [try hook("hook"), try hook("other")], cdnBaseURL: "https://cdn.test")
        }

        private var file: URL { scratch.folder.appending(path: "monitor.db.outage") }

        /// What one process has to tell past the store; it has taken up what the former one left.
        private func process() async -> LastResort {
            let lastResort = LastResort(
                message: DirectMessage(transport: receivers, userAgent: "x", wallClock: { noon }, logger: silent),
                memory: ReservedFile(path: file.path))
            await lastResort.recall()
            return lastResort
        }

        private func judgement(_ second: Double, _ state: FleetState = FleetState()) -> FleetEvaluation {
            judgeFleet(
                state,
                FleetLook(domains: [], store: StoreTrouble(since: noon + second - 60, words: "no space is left")),
                FleetPolicy(), now: noon + second)
        }

        private var well: FleetEvaluation {
            judgeFleet(FleetState(), FleetLook(domains: []), FleetPolicy(), now: noon + 3600)
        }

        /// Ends as a kill would have it: whatever is under way then stays so.
        private func running(_ lastResort: LastResort, _ body: () async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await lastResort.run() }
                try await body()
                group.cancelAll()
            }
        }

        /// Waits until all were asked, and what they said is known.
        private func told(by lastResort: LastResort) async throws {
            try await eventually { !receivers.sent(to: "hook").isEmpty && !receivers.sent(to: "other").isEmpty }
            try await eventually { try lastResort.end(well, routes, Mutings(), noon) != nil }
        }

        private func judge(_ lastResort: LastResort, _ time: SkippingTime = SkippingTime()) throws -> FleetJudge {
            let delivery = Delivery(
                store: scratch.store, channels: routes.channels, transport: receivers, time: time,
                settings: Delivery.Settings(userAgent: "x"), logger: silent)
            let silences = SilenceWatch(
                store: scratch.store, routes: routes, delivery: delivery, time: time, logger: silent, windows: [],
                recipients: [:])
            return FleetJudge(
                FleetJudge.Parts(
                    store: scratch.store, silences: silences, delivery: delivery, lastResort: lastResort,
                    refusal: { nil }, time: time, logger: silent),
                FleetJudge.Orders(intervals: [:], routes: routes, policy: FleetPolicy(), canaries: nil))
        }

        private func rows() async throws -> [String] {
            try await scratch.store.outbox(channel: nil, states: [], limit: 100).map {
                "\($0.row.channel) \($0.row.type.rawValue) \($0.row.state.rawValue)"
            }.sorted()
        }

        @Test("the next process tells what nobody took under the same key in the same words")
        func sameKey() async throws {
            receivers.set(.refuses, for: "hook")
            receivers.set(.refuses, for: "other")
            for second in [0.0, 300] {
                let lastResort = await process()
                try await running(lastResort) {
                    let before = receivers.sent(to: "hook").count
                    lastResort.offer(judgement(second), routes, Mutings())
                    try await eventually { receivers.sent(to: "hook").count == before + 1 }
                }
            }
            let sent = receivers.sent(to: "hook")
            #expect(sent.count == 2 && Set(sent.map(\.body)).count == 1)
            #expect(Set(sent.map { $0.headers.first { $0.name == "webhook-id" }?.value }).count == 1)
        }

        @Test("the next process does not tell again what somebody took, and owes the end")
        func taken() async throws {
            receivers.set(.refuses, for: "other")
            let first = await process()
            try await running(first) {
                first.offer(judgement(0), routes, Mutings())
                try await told(by: first)
            }
            let second = await process()
            try await running(second) {
                second.offer(judgement(300), routes, Mutings())
                let end = try #require(try second.end(well, routes, Mutings(), noon + 3600))
                #expect(end.incident.id == judgement(0).state[.store]?.incident.id && end.incident.state == .resolved)
                #expect(end.story.map(\.channel) == ["hook", "other", "hook", "other"])
                #expect(end.story.map(\.arrival) == [.taken, .none, .none, .none])
            }
            #expect(receivers.sent(to: "hook").count == 1)
        }

        @Test("a process that is killed while the message is on its way leaves its end to the next one")
        func underWay() async throws {
            receivers.set(.hangs, for: "hook")
            receivers.set(.hangs, for: "other")
            let first = await process()
            try await running(first) {
                first.offer(judgement(0), routes, Mutings())
                try await eventually { receivers.sent(to: "hook").count == 1 }
                let end = try #require(try await process().end(well, routes, Mutings(), noon + 3600))
                #expect(end.story.prefix(2).map(\.arrival) == [.unclear, .unclear])
            }
        }

        @Test("a process that finds room at once stores the story, once, whenever the former ones were killed")
        func roomAtOnce() async throws {
            receivers.set(.refuses, for: "other")
            let first = await process()
            try await running(first) {
                first.offer(judgement(0), routes, Mutings())
                try await told(by: first)
            }
            let left = try Data(contentsOf: file)
            let story = [
                "hook incident.firing delivered", "hook incident.resolved queued", "other incident.firing queued",
                "other incident.resolved queued",
            ]
            let second = try judge(await process())
            try await second.prepare()
            await second.judge()
            #expect(try await rows() == story)
            let incidents = try await scratch.store.incidents(domain: nil, limit: 10)
            #expect(incidents.map(\.id) == [judgement(0).state[.store]?.incident.id])
            #expect(try await scratch.store.fleetState()?.begun == 1)
            #expect(try await process().end(well, routes, Mutings(), noon + 3600) == nil)
            // Killed between the two: the end is stored, and the file still tells of the trouble.
            try left.write(to: file)
            let third = try judge(await process())
            try await third.prepare()
            await third.judge()
            #expect(try await rows() == story)
            #expect(try await scratch.store.incidents(domain: nil, limit: 10) == incidents)
            #expect(try await process().end(well, routes, Mutings(), noon + 3600) == nil)
        }

        @Test("what was pending in the store when it stopped taking writes stays there as what it became")
        func pending() async throws {
            let trouble = StoreTrouble(since: noon - 5, words: "no space is left")
            let before = judgeFleet(FleetState(), FleetLook(domains: [], store: trouble), FleetPolicy(), now: noon - 5)
            #expect(before.state[.store]?.incident.state == .pending)
            try await scratch.store.commit(
                FleetRecord(state: before.state, incidents: before.incidents), now: noon)
            let first = await process()
            try await running(first) {
                first.offer(judgement(0, before.state), routes, Mutings())
                try await told(by: first)
            }
            let time = SkippingTime()
            let second = try judge(await process(), time)
            try await second.prepare()
            await second.judge()
            try await time.sleep(for: .seconds(60))
            await second.judge()
            #expect(try await scratch.store.fleetState()?.open.isEmpty == true)
            let incidents = try await scratch.store.incidents(domain: nil, limit: 10)
            #expect(incidents.map(\.state) == [.resolved])
            #expect(incidents.map(\.id) == [before.state[.store]?.incident.id])
        }

        @Test("where nobody may be told, only those who know of the beginning hear the end")
        func muted() async throws {
            receivers.set(.refuses, for: "other")
            let lastResort = await process()
            let silence = Silence(
                id: "a", scope: SilenceScope(domains: [.all]), startsAt: noon + 60, endsAt: noon + 7200,
                author: "eva", reason: "move")
            try await running(lastResort) {
                lastResort.offer(judgement(0), routes, Mutings())
                try await told(by: lastResort)
                let end = try lastResort.end(well, routes, Mutings(silences: [silence]), noon + 3600)
                #expect(end?.story.map(\.channel) == ["hook", "hook"])
            }
        }
    }
}
