import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("In hand")
    struct HandTests {
        let scratch: ScratchFolder
        let store: Store

        init() throws {
            scratch = try ScratchFolder()
            store = try Store(path: scratch.store)
        }

        private func pager(
            _ key: String, channel: String = "pager", type: EventType = .firing, sequence: Int = 1
        ) -> OutboxDraft {
            var draft = draft(key, channel: channel, type: type, sequence: sequence)
            draft.hearsOfHand = true
            if type == .resolved { draft.condition = .isToldOfTrouble }
            return draft
        }

        private func commit(_ drafts: [OutboxDraft], reawakened: Bool = false) async throws {
            try await store.commit(
                CheckRecord(
                    observation: nil, state: try state(), incidents: [try incident("abcd")],
                    outbox: drafts.map {
                        var draft = $0
                        draft.incidentID = "abcd"
                        return draft
                    }, reawakened: reawakened ? ["abcd"] : []))
        }

        private func acknowledge(at seconds: Double = 60) async throws {
            let hand = Acknowledgement(by: "eva", reason: "", at: noon + seconds)
            guard case .done = try await store.acknowledge(prefix: "abcd", hand) else {
                Issue.record("not done")
                return
            }
        }

        /// What is open or delivered, in the order of its making: `pager acknowledged`.
        private func owed() async throws -> [String] {
            try await store.messages(domain: nil, limit: 99).reversed().filter { $0.state != .superseded }
                .map { "\($0.channel) \($0.type.rawValue.dropFirst(9))" }
        }

        private func send(_ channel: String) async throws -> EventType? {
            let claimed = try await store.claim(channel: channel, owner: "me", now: noon + 90, lease: .seconds(60))
            guard let row = claimed else { return nil }
            try await store.markDelivered(row, owner: "me", now: noon + 90, status: 202)
            return row.type
        }

        @Test("the pagers that were told, and no others, are told once that somebody has it")
        func told() async throws {
            try await commit([
                draft("o"), pager("p"), pager("q", channel: "other"),
            ])
            let refused = try #require(
                try await store.claim(channel: "other", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markDead(
                refused, owner: "me", now: noon, attempt: Attempt(class: "message_refused", status: 400, error: nil))
            try await acknowledge()
            try await acknowledge(at: 70)
            #expect(try await owed() == ["ops firing", "pager firing", "other firing", "pager acknowledged"])
            // Behind what it is about.
            #expect(try await send("pager") == .firing)
            #expect(try await send("pager") == .acknowledged)
            #expect(try await send("pager") == nil)
            try store.close()
        }

        @Test("one whose end was told hears nothing more")
        func over() async throws {
            try await commit([pager("p"), pager("r", type: .resolved, sequence: 2)])
            try await acknowledge()
            #expect(try await owed() == ["pager firing", "pager resolved"])
            try store.close()
        }

        @Test("an end, or trouble that grows, takes the place of a word that still waits", arguments: [true, false])
        func superseded(isEnd: Bool) async throws {
            try await commit([pager("p")])
            #expect(try await send("pager") == .firing)
            try await acknowledge()
            var next = pager("r", type: isEnd ? .resolved : .update, sequence: 2)
            next.supersedes = [.acknowledged]
            try await commit([next], reawakened: !isEnd)
            #expect(try await owed() == ["pager firing", isEnd ? "pager resolved" : "pager update"])
            guard !isEnd else { return }
            // In nobody's hand any more, so that it can be taken again.
            try await acknowledge(at: 80)
            #expect(try await owed() == ["pager firing", "pager update", "pager acknowledged"])
            try store.close()
        }

        @Test("a step of the escalation goes to whoever was not told, while nobody has it in hand")
        func escalation() async throws {
            var step = pager("s")
            step.condition = .isEscalation
            try await commit([step])
            var again = pager("t", sequence: 2)
            again.condition = .isEscalation
            try await commit([again])
            #expect(try await owed() == ["pager firing"], "nobody is called twice")
            try await acknowledge()
            #expect(
                try await owed() == [], "nobody is called any more, and who was not called has nothing to be told of")
            var late = pager("u", channel: "boss", sequence: 3)
            late.condition = .isEscalation
            try await commit([late])
            #expect(try await owed() == [])
            try await commit([], reawakened: true)
            late.messageKey = "v"
            try await commit([late])
            #expect(try await owed() == ["boss firing"])
            try store.close()
        }

        @Test("whoever was called is told that it is in hand")
        func called() async throws {
            var step = pager("s")
            step.condition = .isEscalation
            try await commit([step])
            #expect(try await send("pager") == .firing)
            try await acknowledge()
            #expect(try await owed() == ["pager firing", "pager acknowledged"])
            try store.close()
        }

        @Test("that somebody has it says nothing of the trouble to a pager that refused its beginning")
        func refused() async throws {
            try await commit([pager("p")])
            try await acknowledge()
            let row = try #require(
                try await store.claim(channel: "pager", owner: "me", now: noon + 90, lease: .seconds(60)))
            try await store.markDead(
                row, owner: "me", now: noon + 90,
                attempt: Attempt(class: "message_refused", status: 400, error: nil))
            #expect(try await send("pager") == .acknowledged)
            var late = pager("q", sequence: 2)
            late.condition = .isNotToldOfTrouble
            try await commit([late])
            #expect(try await send("pager") == .firing)
            try store.close()
        }

        @Test("an acknowledgement that cannot be written owes nothing")
        func atomic() async throws {
            try await commit([pager("p")])
            try await store.pool.write {
                try $0.execute(
                    sql: """
                        CREATE TRIGGER no_more BEFORE INSERT ON outbox BEGIN SELECT raise(ABORT, 'full'); END
                        """)
            }
            await #expect(throws: (any Error).self) { try await acknowledge() }
            #expect(try await store.acknowledgements().isEmpty)
            try store.close()
        }
    }
}
