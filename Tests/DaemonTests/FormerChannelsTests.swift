import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct FormerChannelsTests {
        @Test("what stays open at the former place of a channel is told by another one, once")
        func told() async throws {
            let scratch = try ScratchStore()
            let store = scratch.store
            let domain = try Domain("a.test")
            let incident = Incident(
                id: "0123456789abcdef", subject: .domain(domain), kind: .cdnStale, severity: .error, state: .firing,
                since: noon, openedAt: noon, firedAt: noon, version: 1)
            _ = try await store.commit(
                Evaluation(
                    state: DomainState(domain: domain),
                    changes: [
                        IncidentChange(
                            incident: incident, facts: IncidentFacts(diagnosis: .saying("stale")), transition: .firing)
                    ]))
            for name in ["ops", "pager", "calm"] {
                try await store.transact(channel: name) { channel in
                    try channel.save(
                        ChannelRecord(
                            name: name, type: name == "pager" ? "pagerduty" : "slack", destination: "a former one"))
                    guard name != "calm" else { return }
                    var record = NotificationRecord(incidentID: incident.id)
                    record.state = .firing
                    record.version = 1
                    record.dueAt = noon
                    try channel.save(record, of: incident)
                }
            }
            let book = LogBook()
            let mail = try Channel(name: "mail", kind: .webhook, url: "https://mail.test/")
            let ops = try Channel(name: "ops", kind: .slack, url: "https://ops.test/")
            let routing = Routing(
                channels: [mail, ops], domains: [], fallback: "mail", cdnBaseURL: "https://cdn.test", instance: "m")
            let transport = Recorder()
            let delivery = Delivery(
                store: store, routing: routing, transport: transport, time: SystemTime(),
                userAgent: "test", logger: book.logger)
            let former = FormerChannels(store: store, delivery: delivery, logger: book.logger)
            let notifier = DirectNotifier(transport: transport, userAgent: "test", logger: book.logger)
            for _ in 0..<2 { await former.tell(try await former.settle(routing), routing, by: notifier, wall: noon) }
            // Each start has it in the log; people are told once.
            let lines = book.records.filter { $0.contains("former place") }
            let warnings = lines.filter { $0.hasPrefix("warning") }
            #expect(lines.count == 4 && warnings.count == 2)
            #expect(warnings.contains { $0.contains("dedup_key") && $0.contains("pager") })
            // In a chat there is nothing to close.
            #expect(transport.bodies.count == 1)
            let body = try #require(transport.bodies.first)
            #expect(
                body.contains("1 incident is still open at the old one: a.test cdn.stale") && body.contains("'pager'"))
            // Nobody sends to a removed channel: nothing of it is due.
            let due = try await store.inspect(channel: "pager") { try $0.nextDue() }
            #expect(due == nil)
            #expect(try await store.unendedNotifications(channel: "pager").count == 1)
        }
    }
}

private final class Recorder: MessageTransport {
    private let sent = Mutex<[String]>([])

    var bodies: [String] { sent.withLock(\.self) }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        sent.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
        return TransportAnswer(status: 200)
    }
}
