import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Digests")
    struct DigestTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private let rules = ClaimRules(groupWait: .seconds(10), mostQueued: 10) { "digest-of-\($0.count)" }

        private func claim(at: Date = noon) async throws -> OutboxRow? {
            try await store.claim(channel: "ops", owner: "me", now: at, lease: .seconds(60), rules: rules)
        }

        /// `kind`s come from the incidents.
        private func commit(_ ids: [String], at: Date = noon) async throws {
            for id in ids {
                try await store.commit(
                    CheckRecord(
                        observation: nil, state: try state("\(id).example.com"),
                        incidents: [try incident(id, domain: "\(id).example.com")],
                        outbox: [draft("key-\(id)", incident: id, at: at)]))
            }
        }

        @Test("the oldest of too many become one message, and of each incident the order stays")
        func collapses() async throws {
            let drafts = (0..<12).flatMap { number in
                [
                    draft("f\(number)", incident: "i\(number)"),
                    draft("u\(number)", incident: "i\(number)", type: .update, sequence: 2),
                ]
            }
            try await store.enqueue(drafts)
            let first = try #require(try await claim())
            #expect(first.digest == "digest-of-19")
            let members = try await store.members(of: first)
            // The update of the tenth incident stays, and waits.
            #expect(members.map(\.messageKey).sorted() == drafts.prefix(19).map(\.messageKey).sorted())
            #expect(members.allSatisfy { $0.state == .leased })
            var rest: [String] = []
            while let row = try await claim() { rest.append(row.messageKey) }
            #expect(rest == ["f10", "f11"])
            try await store.markDelivered(first, owner: "me", now: noon, status: 200, reference: "77")
            let told = try await store.members(of: first)
            #expect(told.allSatisfy { $0.state == .delivered && $0.reference == nil })
            #expect(try await claim()?.messageKey == "u9")
        }

        @Test("messages wait for others of their kind, and the next due instant says how long")
        func waits() async throws {
            try await commit(["a"])
            try await commit(["b"], at: noon + 4)
            #expect(try await claim(at: noon + 9) == nil)
            #expect(
                try await store.nextDue(channel: "ops", after: noon + 9, groupWait: .seconds(10)) == noon + 10)
            let row = try #require(try await claim(at: noon + 10))
            #expect(row.digest == "digest-of-2" && row.sendingKey == "digest-of-2")
            #expect(try await store.members(of: row).map(\.messageKey) == ["key-a", "key-b"])
            #expect(try await store.nextDue(channel: "ops", after: noon + 10, groupWait: .seconds(10)) == noon + 70)
        }

        @Test("members end together: the latest end counts")
        func expires() async throws {
            try await commit(["a"])
            try await commit(["b"], at: noon + 4)
            let row = try #require(try await claim(at: noon + 10))
            try await store.release(row, owner: "me")
            #expect(try await store.markExpired(channel: "ops", now: noon + 86_400) == 0)
            #expect(try await store.markExpired(channel: "ops", now: noon + 86_404) == 2)
        }

        @Test("what is done to one member by hand is done to all; a refused digest falls apart")
        func byHand() async throws {
            try await commit(["a", "b"])
            let row = try #require(try await claim(at: noon + 10))
            _ = try await store.freeze(row, owner: "me", bytes: Data("x".utf8))
            try await store.markDead(
                row, owner: "me", now: noon, attempt: Attempt(class: "message_refused", status: 400, error: nil))
            let ids = try await store.deadMessages()
            try #require(ids.count == 2)
            #expect(try await store.retry([ids[1]], now: noon + 20).allSatisfy { $0.refusal == nil })
            let alone = try #require(try await claim(at: noon + 20))
            #expect(alone.id == ids[1] && alone.digest == nil && alone.frozen == nil)
        }
    }
}
