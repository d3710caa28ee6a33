// What failures do to a channel, and how fast one is spoken to.

import Evidence
import Foundation
import Monitoring
import Storage
import Synchronization
import Testing

@testable import Alerting

extension AlertingSuite {
    @Suite("Channels in trouble")
    struct ChannelTroubleTests {
        private static func trouble(_ state: ChannelTrouble.State, since: Date = noon) -> ChannelTrouble {
            ChannelTrouble(name: "hook", state: state, since: since, error: nil)
        }

        struct Case: Sendable {
            let outcome: Outcome
            var known: ChannelTrouble.State?
            var failures = 1
            var wasRefusing = false
            let state: ChannelTrouble.State?
            let pause: Int?
        }

        @Test(
            "an outcome moves a channel between well, degraded and disabled",
            arguments: [
                Case(outcome: .delivered, known: .disabled, state: nil, pause: nil),
                Case(outcome: .permanentMessage, known: .degraded, state: nil, pause: nil),
                Case(outcome: .throttled(after: nil), known: .degraded, state: .degraded, pause: nil),
                Case(outcome: .transient, failures: 4, state: nil, pause: nil),
                Case(outcome: .transient, failures: 5, state: .degraded, pause: 30),
                Case(outcome: .transient, known: .degraded, state: .degraded, pause: 30),
                Case(outcome: .transient, known: .disabled, state: .degraded, pause: 30),
                Case(outcome: .permanentChannel(gone: false), state: nil, pause: 60),
                Case(outcome: .permanentChannel(gone: false), known: .degraded, state: .degraded, pause: 60),
                Case(outcome: .permanentChannel(gone: false), wasRefusing: true, state: .disabled, pause: 21_600),
                Case(outcome: .permanentChannel(gone: false), known: .disabled, state: .disabled, pause: 21_600),
                Case(outcome: .permanentChannel(gone: true), state: .disabled, pause: 21_600),
            ])
        func steps(example: Case) {
            let step = Breaker.step(
                example.outcome, channel: "hook", known: example.known.map { Self.trouble($0) },
                failures: example.failures, wasRefusing: example.wasRefusing, error: nil, now: noon + 9)
            #expect(step.trouble?.state == example.state)
            #expect(step.pause == example.pause.map { .seconds($0) })
            if let trouble = step.trouble { #expect(trouble.since == (example.known == nil ? noon + 9 : noon)) }
        }

        @Test("trouble outlives a restart: it is known before the first attempt, and one failure is enough")
        func restarts() async throws {
            let world = try World(script: ["hook": [.status(500), .status(500)]])
            let former = Self.trouble(.degraded, since: noon - 600)
            try await world.store.note(former)
            try await world.delivery.recall()
            #expect(world.delivery.troubles() == [former])
            try await world.enqueue([event()])
            try await world.running {
                try await world.pass { try await world.isEmpty() }
                try await eventually { world.delivery.troubles().isEmpty }
                #expect(try await world.store.channelTroubles().isEmpty)
            }
            #expect(world.offsets("hook") == [0, 30, 60])
        }

        @Test("a disabled channel says since when and why, and is tried at once when somebody says so")
        func byHand() async throws {
            let world = try World(script: ["hook": [.status(401, "T0SECRET?"), .status(401, "T0SECRET?")]])
            try await world.enqueue([event()])
            try await world.running {
                try await world.pass { world.delivery.troubles().first?.state == .disabled }
                let trouble = try #require(world.delivery.troubles().first)
                #expect(trouble.since == noon + 60 && trouble.error?.contains("SECRET") == false)
                #expect(try await world.store.channelTroubles() == [trouble])
                try await eventually { world.delivery.rest != nil }
                #expect(try await world.store.retry(channel: "hook", now: world.time.now()) == 1)
                #expect(try await world.store.retry(channel: "hock", now: world.time.now()) == nil)
                world.delivery.wake()
                try await eventually { try await world.isEmpty() && world.delivery.troubles().isEmpty }
            }
            #expect(world.offsets("hook") == [0, 60, 60])
        }

        @Test(
            "a channel is spoken to at its service's pace",
            arguments: [
                (Service.slack, [0, 0, 0, 0, 0, 1, 2, 3]), (.discord, [0, 0, 0, 0, 0, 2, 4, 6]),
                (.line, [0, 0, 0, 0, 0, 0, 0, 0]),
            ])
        func pace(service: Service, offsets: [Int]) async throws {
            let world = try World(channels: [service.channel(url: "https://ops.test/api")])
            try await world.enqueue((0..<8).map { try event(incident: "i\($0)") })
            try await world.running { try await world.pass { try await world.isEmpty() } }
            #expect(world.offsets("ops") == offsets)
        }

        @Test("channels that share a token share its pace, and no other does")
        func shared() throws {
            let pager = try Service.pagerduty.channel("a", url: "https://a.test")
            let other = try Service.pagerduty.channel("b", url: "https://b.test")
            var pacer = Pacer()
            for _ in 0..<5 { pacer.spend(pager, at: noon) }
            #expect(pacer.next(other) == noon + 0.5)
            #expect(pacer.next(try channel()) < noon)
            // What was not used is not saved up beyond the burst.
            for _ in 0..<5 { pacer.spend(other, at: noon + 3600) }
            #expect(pacer.next(other) == noon + 3600.5)
        }
    }
}
