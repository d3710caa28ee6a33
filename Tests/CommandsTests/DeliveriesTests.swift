import Evidence
import Foundation
import Monitoring
import Storage
import Testing

@testable import Commands

extension CommandsTests {
    @Suite struct DeliveriesTests {
        private static let noon = Date(timeIntervalSince1970: 1_795_244_400)

        private func entry(_ outcome: DeliveryRecord.Outcome, status: Int?, error: String? = nil) throws
            -> DeliveryListing.Entry
        {
            var record = DeliveryRecord(
                channel: "ops", incidentID: "0123456789abcdef", type: .firing, reason: .escalated, version: 2,
                key: "k1",
                at: Self.noon, attempts: 3, outcome: outcome, status: status, error: error)
            record.id = 7
            let incident = Incident(
                id: "0123456789abcdef", subject: .domain(try Domain("a.test")), kind: .cdnStale, severity: .error,
                state: .firing, since: Self.noon, openedAt: Self.noon, version: 2)
            return DeliveryListing.Entry(record: record, incident: incident)
        }

        @Test("the list has a line for each delivery, without what a message says")
        func list() throws {
            let text = DeliveryListing.text([
                try entry(.delivered, status: 200), try entry(.refused, status: 400, error: "bad\u{1B}block"),
            ])
            #expect(
                text == """
                    id  at                    outcome    channel  reason     about             attempts  answer
                    7   2026-11-21T07:00:00Z  delivered  ops      escalated  cdn.stale a.test  3         200
                    7   2026-11-21T07:00:00Z  refused    ops      escalated  cdn.stale a.test  3         400 bad\u{FFFD}block
                    """)
        }

        @Test("one delivery is shown a value a line")
        func show() throws {
            let text = DeliveryListing.details(try entry(.abandoned, status: nil, error: "timed out"))
            #expect(text.contains("outcome:  abandoned\n"))
            #expect(text.contains("type:     incident.firing\n"))
            #expect(text.hasSuffix("answer:   timed out"))
        }

        @Test("as JSON each key is there, null where nothing is known")
        func json() throws {
            let known = try entry(.delivered, status: 200)
            let unknown = DeliveryListing.Entry(record: known.record, incident: nil)
            let text = DeliveryListing.json(unknown).text(isPretty: false)
            #expect(
                text
                    == #"{"id": 7, "at": "2026-11-21T07:00:00Z", "outcome": "delivered", "channel": "ops", "#
                    + #""type": "incident.firing", "reason": "escalated", "incident": "0123456789abcdef", "#
                    + #""domain": null, "kind": null, "version": 2, "message_key": "k1", "attempts": 3, "#
                    + #""status": 200, "error": null}"#)
        }

        @Test("retry says whether the channel is tried now or the receiver asked to wait")
        func retried() {
            var record = ChannelRecord(name: "ops", type: "slack")
            #expect(DeliveryListing.retried(record, pending: 1) == "ops: tried now; 1 notification pending")
            record.hold = ChannelRecord.Hold(until: Self.noon, reason: .throttled)
            #expect(
                DeliveryListing.retried(record, pending: 2)
                    == "ops: the receiver asked to wait until 2026-11-21T07:00:00Z; 2 notifications pending")
        }
    }

    @Suite struct AcknowledgeTargetTests {
        private static let noon = Date(timeIntervalSince1970: 1_795_244_400)

        /// A store with two confirmed incidents of `a.test`.
        private func withStore(_ body: (Store) async throws -> Void) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-ack-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let domain = try Domain("a.test")
            let store = try Store(path: folder.appending(path: "monitor.db").path)
            defer { try? store.close() }
            let changes = ["aaaa0000", "bbbb0000"].map { id in
                IncidentChange(
                    incident: Incident(
                        id: id, subject: .domain(domain), kind: id == "aaaa0000" ? .cdnStale : .originBroken,
                        severity: .error, state: .firing, since: Self.noon, openedAt: Self.noon, version: 1),
                    facts: nil, transition: .firing)
            }
            _ = try await store.commit(
                CheckRecord(observation: nil, state: DomainState(domain: domain), changes: changes))
            try await body(store)
        }

        private let acknowledgement = Acknowledgement(by: "eva", reason: "", at: noon)

        @Test("a domain stands for all of its confirmed incidents, an id or its beginning for one")
        func targets() async throws {
            try await withStore { store in
                let all = try await AcknowledgeTarget("a.test").change(in: store) {
                    try await $0.acknowledge(prefix: $1, acknowledgement)
                }
                #expect(all.map(\.id).sorted() == ["aaaa0000", "bbbb0000"])
                _ = try await AcknowledgeTarget("bbbb").change(in: store) { try await $0.unacknowledge(prefix: $1) }
                #expect(try await store.acknowledgements().keys.sorted() == ["aaaa0000"])
                await #expect(throws: CommandFailure.self) {
                    _ = try await AcknowledgeTarget("bbbb").change(in: store) {
                        try await $0.unacknowledge(prefix: $1)
                    }
                }
                await #expect(throws: CommandFailure.self) {
                    _ = try await AcknowledgeTarget("b.test").change(in: store) {
                        try await $0.acknowledge(prefix: $1, acknowledgement)
                    }
                }
            }
        }
    }
}
