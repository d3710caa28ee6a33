import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import TestSupport
import Testing

@testable import Daemon

extension DaemonSuite {
    @Suite struct RemovedChannelsTests {
        @Test("a removed channel that knows an incident as firing gets one warning; others get none")
        func warning() async throws {
            let scratch = try ScratchStore()
            let store = scratch.store
            let domain = try Domain("a.test")
            let incident = Incident(
                id: "0123456789abcdef", subject: .domain(domain), kind: .cdnStale, severity: .error, state: .firing,
                since: noon, openedAt: noon, firedAt: noon, version: 1)
            _ = try await store.commit(
                CheckRecord(
                    observation: nil, state: DomainState(domain: domain),
                    changes: [
                        IncidentChange(
                            incident: incident, facts: IncidentFacts(diagnosis: .saying("stale")), transition: .firing)
                    ]))
            for name in ["ops", "pager", "calm"] {
                try await store.transact(channel: name) { channel in
                    try channel.save(ChannelRecord(name: name, type: name == "pager" ? "pagerduty" : "slack"))
                    guard name != "calm" else { return }
                    var record = NotificationRecord(incidentID: incident.id)
                    record.state = .firing
                    record.version = 1
                    try channel.save(record, of: incident)
                }
            }
            let book = LogBook()
            try await RemovedChannels(store: store, logger: book.logger).warn(configured: ["ops"])
            #expect(book.lines.count == 1)
            try await RemovedChannels(store: store, logger: book.logger).warn(configured: ["ops", "pager"])
            #expect(book.lines.count == 1)
        }
    }
}
