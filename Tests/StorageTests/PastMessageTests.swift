import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    /// Messages and incidents of the past are many; what is asked again and again must not read them all.
    @Suite("The past")
    struct PastMessageTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        @Test(
            "what is asked again and again does not read the messages and incidents of the past",
            arguments: [
                (Store.lastSettled, ["COVERING INDEX outbox_past"]),
                (Store.countsOfOutbox, ["COVERING INDEX outbox_past", "outbox_open"]),
                (Store.oldestDue, ["outbox_open"]),
                (Store.toldIncidents, ["incident_going_on", "incident_ended", "sqlite_autoindex_incident_1 (id=?)"]),
                (Store.incidentsOfDomain, ["incident_of_domain (domain=?)"]),
                (Store.messagesOfDomain, ["incident_of_domain (domain=?)", "outbox_of_incident (incident_id=?)"]),
            ])
        func plans(query: String, indexes: [String]) async throws {
            let plan = try await store.read { database in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + query.replacing(/:[a-z]+|\?/, with: "1"))
                    .map { $0["detail"] as String }
            }
            for index in indexes { #expect(plan.contains { $0.contains(index) }, "\(index): \(plan)") }
            #expect(!plan.contains { $0.hasPrefix("SCAN") && !$0.contains("INDEX") }, "\(plan)")
        }

        @Test("counts tell open and past messages of each channel, by channel and state")
        func counts() async throws {
            try await store.enqueue([
                draft("k1"), draft("k2", incident: "b", at: noon - 5), draft("k3", channel: "hook"),
            ])
            let row = try #require(
                try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markDelivered(row, owner: "me", now: noon + 9, status: 200)
            _ = try await store.claim(channel: "hook", owner: "me", now: noon, lease: .seconds(60))
            let counts = [
                OutboxCount(channel: "hook", state: .leased, rows: 1, oldest: noon),
                OutboxCount(channel: "ops", state: .delivered, rows: 1, oldest: noon - 5),
                OutboxCount(channel: "ops", state: .queued, rows: 1, oldest: noon),
            ]
            #expect(try await store.outboxCounts() == counts)
            // A message that is sent again by hand is an open one, and no past one any more.
            _ = try await store.drop([1], now: noon + 10)
            #expect(try await store.outboxCounts().map(\.state) == [.leased, .delivered, .dropped])
        }

        @Test("a message that is sent again is counted once, as an open one")
        func retried() async throws {
            try await store.enqueue([draft("k1")])
            let row = try #require(
                try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markDead(
                row, owner: "me", now: noon, attempt: Attempt(class: "permanent", status: 400, error: nil))
            #expect(try await store.outboxCounts().map(\.state) == [.dead])
            _ = try await store.retry([row.id], now: noon + 1)
            #expect(
                try await store.outboxCounts() == [
                    OutboxCount(channel: "ops", state: .queued, rows: 1, oldest: noon)
                ])
        }

        @Test("told incidents are those that go on, and those that ended lately")
        func told() async throws {
            var incidents = [
                try incident("firing", at: noon - 9000), try incident("recovering", state: .recovering),
                try incident("ended", state: .resolved), try incident("long ago", state: .resolved),
                try incident("pending", state: .pending), try incident("withheld"),
            ]
            incidents[2].resolvedAt = noon + 60
            incidents[3].resolvedAt = noon + 59
            incidents[4].firedAt = nil
            incidents[5].firedAt = nil
            try await store.commit(CheckRecord(observation: nil, state: try state(), incidents: incidents))
            let told = try await store.toldIncidents(endedSince: noon + 60)
            #expect(told.map(\.id) == ["ended", "firing", "recovering"])
        }

        @Test("incidents and messages of one domain are its own, the newest first")
        func ofDomain() async throws {
            for (number, name) in ["a.test", "b.test", "a.test"].enumerated() {
                let at = noon + Double(number)
                let trouble = try incident("incident\(number)", domain: name, at: at)
                try await store.commit(
                    CheckRecord(
                        observation: nil, state: try state(name), incidents: [trouble],
                        outbox: [draft("key\(number)", incident: trouble.id, at: at)]))
            }
            let domain = try Domain("a.test")
            #expect(try await store.incidents(domain: domain, limit: 9).map(\.id) == ["incident2", "incident0"])
            #expect(try await store.incidents(domain: domain, limit: 1).map(\.id) == ["incident2"])
            #expect(try await store.incidents(domain: nil, limit: 2).map(\.id) == ["incident2", "incident1"])
            #expect(try await store.messages(domain: domain, limit: 9).map(\.messageKey) == ["key2", "key0"])
            #expect(try await store.messages(domain: domain, limit: 1).map(\.messageKey) == ["key2"])
            #expect(try await store.messages(domain: nil, limit: 2).map(\.messageKey) == ["key2", "key1"])
        }
    }
}
