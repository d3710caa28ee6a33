import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    /// For the end of trouble, who may have heard of it counts as told; for its beginning, as not told.
    @Suite("Messages that may have arrived")
    struct UnclearBeginningTests {
        enum Fate { case delivered, unclear, refused }

        struct Row {
            let story: [(EventType, Fate)]
            let isBeginningOwed: Bool
            let isEndOwed: Bool
        }

        static let rows = [
            Row(story: [(.firing, .delivered)], isBeginningOwed: false, isEndOwed: true),
            Row(story: [(.firing, .unclear)], isBeginningOwed: true, isEndOwed: true),
            Row(story: [(.firing, .refused)], isBeginningOwed: true, isEndOwed: false),
            Row(story: [(.firing, .delivered), (.update, .unclear)], isBeginningOwed: false, isEndOwed: true),
            Row(story: [(.firing, .delivered), (.resolved, .delivered)], isBeginningOwed: true, isEndOwed: false),
            Row(story: [(.firing, .delivered), (.resolved, .unclear)], isBeginningOwed: true, isEndOwed: false),
            Row(story: [(.firing, .delivered), (.resolved, .refused)], isBeginningOwed: false, isEndOwed: true),
        ]

        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func tell(_ story: [(EventType, Fate)]) async throws {
            for (index, (type, fate)) in story.enumerated() {
                try await store.enqueue([draft("\(index)", type: type, sequence: index + 1)])
                let row = try #require(
                    try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(60)))
                switch fate {
                case .delivered: try await store.markDelivered(row, owner: "me", now: noon, status: 200)
                case .refused:
                    let attempt = Attempt(class: "message_refused", status: 400, error: nil)
                    try await store.markDead(row, owner: "me", now: noon, attempt: attempt)
                case .unclear:
                    try await store.markRetry(
                        row, owner: "me", notBefore: noon + 60, counted: true,
                        attempt: Attempt(class: "transient", status: 502, error: nil, isUnclear: true))
                    #expect(try await store.markExpired(channel: "ops", now: noon + 9 * 86_400) == 1)
                }
            }
        }

        private func isOwed(_ condition: OutboxDraft.Condition, _ type: EventType = .firing) async throws -> Bool {
            try await store.enqueue([draft("more", type: type, sequence: 9).owed(condition)])
            return try await store.messages(domain: nil, limit: 9).contains { $0.messageKey == "more" }
        }

        @Test("a beginning that was given up is told again, and its end all the same", arguments: 0..<7)
        func beginning(_ index: Int) async throws {
            let row = Self.rows[index]
            try await tell(row.story)
            #expect(try await isOwed(.isNotToldOfTrouble) == row.isBeginningOwed)
            try store.close()
        }

        @Test("a step of the escalation likewise", arguments: 0..<7)
        func step(_ index: Int) async throws {
            let row = Self.rows[index]
            try await tell(row.story)
            #expect(try await isOwed(.isEscalation) == row.isBeginningOwed)
            try store.close()
        }

        @Test("an end goes to whoever may have heard", arguments: 0..<7)
        func end(_ index: Int) async throws {
            let row = Self.rows[index]
            try await tell(row.story)
            #expect(try await isOwed(.isToldOfTrouble, .resolved) == row.isEndOwed)
            try store.close()
        }

        @Test(
            "a channel that takes messages again is told of the present, whatever its trouble was",
            arguments: [ChannelTrouble.State.degraded, .disabled])
        func mended(_ state: ChannelTrouble.State) async throws {
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: true) { $0.joined() }
            _ = try await store.introduce(channel: "ops", now: noon, rules: rules, mayJoin: false) { _, _ in .skip }
            #expect(try await store.unknownChannels(among: ["ops"]).isEmpty)
            try await store.note(ChannelTrouble(name: "ops", state: state, since: noon, error: nil))
            try await store.endTrouble(channel: "ops")
            #expect(try await store.unknownChannels(among: ["ops"]) == ["ops"])
            try store.close()
        }
    }
}
