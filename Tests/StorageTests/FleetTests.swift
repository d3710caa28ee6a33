import Evidence
import Foundation
import GRDB
import Monitoring

import Testing

@testable import Storage

extension StorageSuite {
    @Suite("The fleet and acknowledgements")
    struct FleetTests {
        private func fleet(_ id: String = "f1f1", state: Incident.State = .firing) -> FleetState {
            var result = FleetState()
            let incident = Incident(
                id: id, domain: nil, kind: .cdnWide, severity: .error, state: state, since: noon, openedAt: noon,
                firedAt: noon, sequence: 1)
            result.open = [
                FleetIncident(
                    cause: .cdn, incident: incident,
                    report: FleetReport(
                        subject: "6 of 7 domains", trouble: "t", relief: "r", diagnosis: "d",
                        finding: Finding(
                            rule: Rule(rawValue: "cdn.wide"), severity: .error, message: "m", fix: "f", reference: "")))
            ]
            return result
        }

        @Test("the parent's memory, incident and messages come back as they were, also from another process")
        func roundTrip() async throws {
            let scratch = try ScratchFolder()
            let store = try Store(path: scratch.store)
            #expect(try await store.fleetState() == nil)
            let fleet = fleet()
            try await store.commit(
                FleetRecord(
                    state: fleet, incidents: fleet.open.map(\.incident), outbox: [draft("k1", incident: "f1f1")]),
                now: noon)
            try store.close()
            let again = try Store(path: scratch.store)
            #expect(try await again.fleetState() == fleet)
            #expect(try await again.incident(id: "f1f1")?.domain == nil)
            #expect(try await again.incidents(domain: nil, limit: 9).map(\.id) == ["f1f1"])
            #expect(try await again.outbox(channel: nil, states: [], limit: 9).map(\.domain) == [nil])
            try again.close()
        }

        @Test("a commit that fails half way leaves nothing of the parent")
        func atomic() async throws {
            let scratch = try ScratchFolder()
            let store = try Store(path: scratch.store)
            try await store.pool.write { try $0.execute(sql: "DROP TABLE withheld") }
            let fleet = fleet()
            await #expect(throws: StoreError.self) {
                try await store.commit(
                    FleetRecord(
                        state: fleet, incidents: fleet.open.map(\.incident), outbox: [draft("k1", incident: "f1f1")],
                        withheld: ["f1f1"]), now: noon)
            }
            #expect(try await store.fleetState() == nil)
            #expect(try await store.incident(id: "f1f1") == nil)
            #expect(try await store.outboxCounts().isEmpty)
            try store.close()
        }

        @Test("a parent takes back its children's messages that nobody has tried to send, and no others")
        func recall() async throws {
            let scratch = try ScratchFolder()
            let store = try Store(path: scratch.store)
            let waiting = try incident("a1", domain: "a.test")
            let tried = try incident("b1", domain: "b.test")
            try await store.commit(
                CheckRecord(
                    observation: nil, state: try state("a.test"), incidents: [waiting, tried],
                    outbox: [
                        draft("wait", incident: "a1"), draft("sent", incident: "b1", channel: "two"),
                        draft("end", incident: "a1", channel: "three", type: .resolved, sequence: 2),
                    ]))
            let claimed = try #require(
                try await store.claim(channel: "two", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markRetry(
                claimed, owner: "me", notBefore: noon, counted: true,
                attempt: Attempt(class: "transient", status: nil, error: nil, isUnclear: true))
            try await store.commit(FleetRecord(state: fleet(), recalled: [.cdnStale, .cdnMissing]), now: noon)
            let rows = try await store.outbox(channel: nil, states: [], limit: 9)
            let states = Dictionary(rows.map { ($0.row.messageKey, $0.row.state) }) { first, _ in first }
            #expect(states == ["sent": .queued, "end": .queued])
            #expect(try await store.withheldIncidents().map(\.id) == ["a1"])
            let owed = try await store.makeGood(incidentID: "a1") { _, _ in
                // The same message has the same key.
                var late = draft("wait", incident: "a1")
                late.condition = .isNotToldOfTrouble
                return [late]
            }
            #expect(owed == 1)
            try store.close()
        }

        @Test("what was withheld about the fleet is made good from its own memory")
        func makeGood() async throws {
            let scratch = try ScratchFolder()
            let store = try Store(path: scratch.store)
            let fleet = fleet()
            try await store.commit(
                FleetRecord(state: fleet, incidents: fleet.open.map(\.incident), withheld: ["f1f1"]), now: noon)
            let owed = try await store.makeGoodOfFleet(incidentID: "f1f1") { incident, state in
                #expect(state == fleet && incident.id == "f1f1")
                return [draft("k", incident: incident.id)]
            }
            #expect(owed == 1)
            #expect(try await store.withheldIncidents().isEmpty)
            try store.close()
        }

        @Test("an incident is taken in hand by its id or the beginning of it, while it fires")
        func acknowledge() async throws {
            let scratch = try ScratchFolder()
            let store = try Store(path: scratch.store)
            let hand = Acknowledgement(by: "eva", reason: "on it", at: noon)
            let incidents = [
                try incident("abcd1111"), try incident("abcd2222"), try incident("ef001111", state: .pending),
                try incident("99991111", state: .resolved),
            ]
            try await store.commit(
                CheckRecord(
                    observation: nil, state: try state(), incidents: incidents,
                    outbox: [draft("r", incident: "abcd1111", type: .reminder)]))
            #expect(try await store.acknowledge(prefix: "abcd1", hand) == .done(incidents[0]))
            #expect(try await store.acknowledge(prefix: "ABCD1111", hand) == .done(incidents[0]))
            #expect(try await store.acknowledge(prefix: "abcd", hand) == .ambiguous(["abcd1111", "abcd2222"]))
            #expect(try await store.acknowledge(prefix: "ef00", hand) == .notFiring(incidents[2]))
            #expect(try await store.acknowledge(prefix: "9999", hand) == .notFiring(incidents[3]))
            for prefix in ["", "abc", "0000", "%%%%", "____", "ab' "] {
                #expect(try await store.acknowledge(prefix: prefix, hand) == .unknown)
            }
            #expect(try await store.acknowledgements() == ["abcd1111": hand])
            #expect(
                try await store.outbox(channel: nil, states: [.superseded], limit: 9).map(\.row.messageKey) == ["r"],
                "a reminder that waits is needed by nobody")
            try await store.commit(
                CheckRecord(observation: nil, state: try state(), reawakened: ["abcd1111"]))
            #expect(try await store.acknowledgements().isEmpty)
            try store.close()
        }
    }
}
