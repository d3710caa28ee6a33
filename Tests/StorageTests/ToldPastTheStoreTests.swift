import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Rows of what was told past the store")
    struct ToldPastTheStoreTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func draft(_ type: EventType, _ sequence: Int) -> OutboxDraft {
            OutboxDraft(
                messageKey: type.rawValue, incidentID: "i", channel: "hook", type: type, sequence: sequence,
                severity: .error, facts: Data("{}".utf8), createdAt: noon, expiresAt: noon + 3600,
                condition: type == .resolved ? .isToldOfTrouble : .always)
        }

        @Test(
            "whoever may know of the beginning gets the plain end; a chat that does not is told both, a pager nothing",
            arguments: [OutboxDraft.Arrival.none, .taken, .unclear], [true, false])
        func ends(arrival: OutboxDraft.Arrival, isPager: Bool) async throws {
            var beginning = draft(.firing, 1)
            beginning.arrival = arrival
            try await store.enqueue([beginning, draft(.resolved, 2)])
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: !isPager) { $0.joined() }
            let row = try await store.claim(
                channel: "hook", owner: "me", now: noon, lease: .seconds(60), rules: rules)
            guard arrival != .none || !isPager else {
                #expect(row == nil)
                return
            }
            #expect(row?.type == .resolved)
            let told = try await store.told(before: try #require(row))
            #expect(told.isUnsaidEnd == (arrival == .none))
            // Nothing else is left to send.
            try await store.markDelivered(try #require(row), owner: "me", now: noon, status: 200)
            #expect(
                try await store.claim(channel: "hook", owner: "me", now: noon, lease: .seconds(60), rules: rules)
                    == nil)
        }

        @Test("a story that is stored twice is owed once")
        func twice() async throws {
            var beginning = draft(.firing, 1)
            beginning.arrival = .taken
            for _ in 0..<2 { try await store.enqueue([beginning, draft(.resolved, 2)]) }
            let entries = try await store.outbox(channel: "hook", states: [], limit: 10)
            #expect(entries.map(\.row.state) == [.queued, .delivered])
        }
    }
}
