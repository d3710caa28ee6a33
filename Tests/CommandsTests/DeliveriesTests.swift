import Evidence
import Foundation
import Report
import StatusServer
import Testing

@testable import Commands
@testable import FileCommands
@testable import Monitoring
@testable import Storage

extension CommandsTests {
    @Suite struct DeliveriesTests {
        private static let noon = Date(timeIntervalSince1970: 1_795_244_400)
        private static let time = ReportTime(now: noon)

        private func entry(_ outcome: DeliveryRecord.Outcome, status: Int?, error: String? = nil) throws
            -> DeliveryRecord
        {
            var record = DeliveryRecord(
                channel: "ops", incidentID: "0123456789abcdef", type: .firing, reason: .escalated, version: 2,
                key: "k1",
                at: Self.noon, attempts: 3, outcome: outcome, status: status, error: error)
            record.id = 7
            record.incident = Incident(
                id: "0123456789abcdef", subject: .domain(try Domain("a.test")), kind: .cdnStale, severity: .error,
                state: .firing, since: Self.noon, openedAt: Self.noon, version: 2)
            return record
        }

        @Test("the list has one line per delivery, without the message's text")
        func list() throws {
            let text = DeliveryListing.text(
                [try entry(.delivered, status: 200), try entry(.refused, status: 400, error: "bad\u{1B}block")].map {
                    DeliveryReport($0, time: Self.time)
                })
            #expect(
                text == """
                    id  at                    outcome    channel  reason     about             incident      attempts  answer
                    7   2026-11-21T07:00:00Z  delivered  ops      escalated  cdn.stale a.test  0123456789ab  3         200
                    7   2026-11-21T07:00:00Z  refused    ops      escalated  cdn.stale a.test  0123456789ab  3         400 bad\u{FFFD}block
                    """)
        }

        private func message(
            attempts: [DeliveryAttempt] = [], text: String? = nil, retryAt: Date? = nil
        ) throws -> MessageReport {
            let entry = try entry(.delivered, status: 200)
            return MessageReport(
                SentMessage(
                    key: "k1", channel: "ops", text: text, deliveries: retryAt == nil ? [entry] : [],
                    incidents: [try #require(entry.incident)], attempts: attempts, retryAt: retryAt), time: Self.time)
        }

        private static let tried = [
            DeliveryAttempt(at: noon - 9, outcome: "channel_refused", status: 403, error: "no\u{1B}pe"),
            DeliveryAttempt(at: noon, outcome: "delivered", status: 200),
        ]

        @Test("a message is shown with its incidents, each attempt and its text")
        func show() throws {
            #expect(
                DeliveryListing.text(try message(attempts: Self.tried, text: "FIRING\nWhy: x\u{1B}")) == """
                    message:  k1
                    channel:  ops
                    outcome:  delivered
                    type:     incident.firing
                    reason:   escalated
                    domains:  a.test

                    incidents:
                      0123456789abcdef cdn.stale of a.test, firing since 2026-11-21T07:00:00Z

                    attempts:
                      2026-11-21T06:59:51Z  channel refused  status 403  no\u{FFFD}pe
                      2026-11-21T07:00:00Z  delivered  status 200

                    what it says:
                      FIRING
                      Why: x\u{FFFD}
                    """)
        }

        @Test("a pending message says when the next attempt is; a feed's delivery is shown as its only attempt")
        func unusual() throws {
            let waiting = DeliveryListing.text(try message(attempts: [Self.tried[0]], text: "x", retryAt: Self.noon))
            #expect(waiting.contains("outcome:  under way\n") && waiting.contains("  next at 2026-11-21T07:00:00Z\n"))
            let feed = DeliveryListing.text(try message())
            #expect(feed.contains("  2026-11-21T07:00:00Z  delivered  status 200\n") && feed.hasSuffix("  not kept"))
        }

        @Test("a message as JSON has each attempt and each incident")
        func messageJSON() throws {
            #expect(
                String(
                    decoding: try ReportJSON.encoder.encode(message(attempts: Self.tried, text: "FIRING")),
                    as: UTF8.self)
                    == #"{"attempts":[{"at":"2026-11-21T06:59:51Z","error":"no\#u{FFFD}pe","outcome":"channel_refused","#
                    + #""status":403},{"at":"2026-11-21T07:00:00Z","error":null,"outcome":"delivered","status":200}],"#
                    + #""channel":"ops","deliveries":[7],"incidents":[{"domain":"a.test","id":"0123456789abcdef","#
                    + #""kind":"cdn.stale","since":"2026-11-21T07:00:00Z","state":"firing","version":2}],"#
                    + #""message_key":"k1","outcome":"delivered","reason":"escalated","retry_at":null,"#
                    + #""schema":"aasa-monitor/message/v1","text":"FIRING","type":"incident.firing"}"#)
        }

        @Test("a message from a daemon is shown like one from the store")
        func remote() throws {
            for document in [try message(attempts: Self.tried, text: "x"), try message(retryAt: Self.noon)] {
                let read = try ReportJSON.decoder.decode(
                    MessageReport.self, from: try ReportJSON.encoder.encode(document))
                #expect(DeliveryListing.text(read) == DeliveryListing.text(document))
            }
        }

        @Test("each JSON key is present, null if the value is unknown")
        func json() throws {
            let known = try entry(.delivered, status: 200)
            var unknown = known
            unknown.incident = nil
            let report = DeliveryReport(unknown, time: Self.time)
            #expect(
                String(decoding: try ReportJSON.encoder.encode(report), as: UTF8.self)
                    == #"{"at":"2026-11-21T07:00:00Z","attempts":3,"channel":"ops","domain":null,"error":null,"id":7,"#
                    + #""incident":"0123456789abcdef","kind":null,"message_key":"k1","outcome":"delivered","#
                    + #""reason":"escalated","schema":"aasa-monitor/delivery/v1","status":200,"#
                    + #""type":"incident.firing","version":2}"#)
            #expect(
                try ReportJSON.decoder.decode(DeliveryReport.self, from: ReportJSON.encoder.encode(report)) == report)
        }

        @Test("retry says whether the channel is tried now, or the receiver asked to wait")
        func retried() {
            var record = ChannelRecord(name: "ops", type: "slack")
            #expect(
                DeliveryListing.text(RetryReport(record, pending: 1))
                    == "ops: retrying now, refused messages included; 1 notification pending")
            record.hold = ChannelRecord.Hold(until: Self.noon, reason: .throttled)
            #expect(
                DeliveryListing.text(RetryReport(record, pending: 2))
                    == "ops: the receiver asked to wait until 2026-11-21T07:00:00Z; 2 notifications pending")
        }
    }

    @Suite struct AcknowledgeTargetTests {
        private static let noon = Date(timeIntervalSince1970: 1_795_244_400)

        /// A store with confirmed incidents of `a.test`.
        private func withStore(
            ids: [String] = ["aaaa0000", "bbbb0000"], inhibitedBy inhibitor: IncidentKind? = nil,
            _ body: (Store) async throws -> Void
        ) async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-ack-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let domain = try Domain("a.test")
            let store = try Store(path: folder.appending(path: "monitor.db").path)
            defer { try? store.close() }
            let changes = ids.map { id in
                IncidentChange(
                    incident: Incident(
                        id: id, subject: .domain(domain), kind: id == ids[0] ? .cdnStale : .originBroken,
                        severity: .error, state: .firing, since: Self.noon, openedAt: Self.noon, version: 1,
                        inhibitedBy: id == ids[0] ? inhibitor : nil),
                    facts: nil, transition: .firing)
            }
            _ = try await store.commit(Evaluation(state: DomainState(domain: domain), changes: changes))
            try await body(store)
        }

        private func refusal(_ body: () async throws -> Void) async -> String {
            do {
                try await body()
                return "none"
            } catch {
                return "\(error)"
            }
        }

        private func acknowledge(_ text: String, _ store: Store) async throws -> String {
            let api = API(store, now: Self.noon)
            var done: [String] = []
            for id in try await AcknowledgeTarget(text, .open).ids(api) {
                done.append(try await api.acknowledge(id, by: "eva", reason: "").id)
            }
            return done.joined(separator: " ")
        }

        private func unacknowledge(_ text: String, _ store: Store) async throws -> String {
            let api = API(store, now: Self.noon)
            var done: [String] = []
            for id in try await AcknowledgeTarget(text, .acknowledged).ids(api) {
                done.append(try await api.unacknowledge(id).id)
            }
            return done.joined(separator: " ")
        }

        @Test("a domain means its one open incident; if it has several, each is named")
        func targets() async throws {
            try await withStore { (store: Store) async throws -> Void in
                let several = await refusal { _ = try await acknowledge("a.test", store) }
                #expect(
                    several == """
                        a.test has 2 open incidents; name one of them:
                          bbbb0000 origin.broken of a.test, firing since 2026-11-21T07:00:00Z
                          aaaa0000 cdn.stale of a.test, firing since 2026-11-21T07:00:00Z
                        """)
                let untouched = try await store.acknowledgements()
                #expect(untouched.isEmpty)
                let none = await refusal { _ = try await unacknowledge("a.test", store) }
                #expect(none == "no open incident of a.test is acknowledged")
                let byID = try await acknowledge("bbbb", store)
                // Only this one is acknowledged.
                let only = try await unacknowledge("a.test", store)
                #expect(byID == "bbbb0000" && only == "bbbb0000")
                let twice = await refusal { _ = try await unacknowledge("bbbb", store) }
                #expect(twice == "the incident is not acknowledged")
                let other = await refusal { _ = try await acknowledge("b.test", store) }
                #expect(other == "b.test has no open incident")
            }
        }

        @Test("acknowledging a domain acknowledges the cause and the incidents that it inhibits")
        func explained() async throws {
            try await withStore(inhibitedBy: .originBroken) { (store: Store) async throws -> Void in
                let both = try await acknowledge("a.test", store)
                #expect(both == "bbbb0000 aaaa0000")
                let ended = try await unacknowledge("a.test", store)
                #expect(ended == "bbbb0000 aaaa0000")
            }
        }

        @Test("an ambiguous id prefix lists the matching incidents")
        func ambiguous() async throws {
            try await withStore(ids: ["abcd0000", "abcd1111"]) { (store: Store) async throws -> Void in
                let words = await refusal { _ = try await acknowledge("abcd", store) }
                #expect(
                    words
                        == "several incidents have an id that begins with 'abcd': abcd0000 cdn.stale of a.test, firing since "
                        + "2026-11-21T07:00:00Z; abcd1111 origin.broken of a.test, firing since 2026-11-21T07:00:00Z")
            }
        }

        @Test("a domain means its one open incident, also for unack")
        func one() async throws {
            try await withStore(ids: ["abcd0000"]) { (store: Store) async throws -> Void in
                let taken = try await acknowledge("a.test", store)
                let ended = try await unacknowledge("a.test", store)
                #expect(taken == "abcd0000" && ended == "abcd0000")
            }
        }
    }
}
