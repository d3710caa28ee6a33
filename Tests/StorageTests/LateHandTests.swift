import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    /// What meets an incident in hand too late, or too early.
    @Suite("In hand, late")
    struct LateHandTests {
        let scratch: ScratchFolder
        let store: Store

        init() throws {
            scratch = try ScratchFolder()
            store = try Store(path: scratch.store)
        }

        private func pager(
            _ key: String, type: EventType = .firing, sequence: Int = 1,
            _ condition: OutboxDraft.Condition = .always
        ) -> OutboxDraft {
            var draft = draft(key, channel: "pager", type: type, sequence: sequence)
            draft.incidentID = "abcd"
            draft.hearsOfHand = true
            return draft.owed(condition)
        }

        private func commit(
            _ drafts: [OutboxDraft], withheld: [String] = [], reawakened: [String] = []
        ) async throws {
            try await store.commit(
                CheckRecord(
                    observation: nil, state: try state(), incidents: [try incident("abcd")], outbox: drafts,
                    withheld: withheld, reawakened: reawakened))
        }

        private func acknowledge() async throws {
            let hand = Acknowledgement(by: "eva", reason: "", at: noon + 60)
            guard case .done = try await store.acknowledge(prefix: "abcd", hand) else {
                Issue.record("not done")
                return
            }
        }

        private func owed() async throws -> [String] {
            try await store.messages(domain: nil, limit: 99).reversed().filter { $0.state == .queued }
                .map { "\($0.channel) \($0.type.rawValue.dropFirst(9))" }
        }

        @Test("an update behind a call that is taken back goes with it, and who was not called is told of no hand")
        func updateBehindCall() async throws {
            try await commit([pager("s", .isEscalation), pager("u", type: .update, sequence: 2, .isToldOfTrouble)])
            #expect(try await owed() == ["pager firing", "pager update"])
            try await acknowledge()
            #expect(try await owed() == [])
            try store.close()
        }

        @Test("a reminder that is owed by somebody who has not heard of the hand is owed no more")
        func reminder() async throws {
            try await commit([pager("p")])
            try await acknowledge()
            try await commit([pager("r", type: .reminder, sequence: 2)])
            #expect(try await owed() == ["pager firing", "pager acknowledged"])
            try store.close()
        }

        @Test("the word on the hand is taken back with the beginning, and owed once behind it when that is told")
        func recalled() async throws {
            try await commit([pager("p")])
            try await acknowledge()
            #expect(try await owed() == ["pager firing", "pager acknowledged"])
            let kinds = Set([try incident("abcd").kind])
            try await store.commit(FleetRecord(state: FleetState(), recalled: kinds), now: noon + 120)
            #expect(try await owed() == [])
            let again = pager("p", .isNotToldOfTrouble)
            _ = try await store.makeGood(incidentID: "abcd") { _, _ in [again] }
            #expect(try await owed() == ["pager firing", "pager acknowledged"])
            try store.close()
        }

        @Test(
            "a pager that never heard of the trouble hears of no hand, and one that may have does",
            arguments: [true, false])
        func unheard(isUnclear: Bool) async throws {
            try await commit([pager("p")])
            try await acknowledge()
            let row = try #require(
                try await store.claim(channel: "pager", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markRetry(
                row, owner: "me", notBefore: noon + 60, counted: true,
                attempt: Attempt(class: "transient", status: nil, error: nil, isUnclear: isUnclear))
            #expect(try await store.markExpired(channel: "pager", now: noon + 86_400) == 1)
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: false) { $0.joined() }
            let next = try await store.claim(
                channel: "pager", owner: "me", now: noon + 86_400, lease: .seconds(60), rules: rules)
            #expect(next?.type == (isUnclear ? .acknowledged : nil))
            #expect(try await owed() == [])
            try store.close()
        }

        @Test("a pager that is told of the beginning only now is told behind it that somebody has it")
        func toldLate() async throws {
            try await commit([], withheld: ["abcd"])
            try await acknowledge()
            let draft = pager("p", .isNotToldOfTrouble)
            #expect(try await store.makeGood(incidentID: "abcd") { _, _ in [draft] } == 1)
            #expect(try await owed() == ["pager firing", "pager acknowledged"])
            try store.close()
        }

        @Test("a word that waits says nothing of trouble that grew, though a silence keeps that back")
        func reawakened() async throws {
            try await commit([pager("p")])
            try await acknowledge()
            try await commit([], withheld: ["abcd"], reawakened: ["abcd"])
            #expect(try await owed() == ["pager firing"])
            #expect(try await store.acknowledgements().isEmpty)
            try store.close()
        }

        @Test("a call whose message was given up has the key still, and is told at the end of a silence all the same")
        func callAgain() async throws {
            try await commit([pager("s", .isEscalation)])
            #expect(try await store.markExpired(channel: "pager", now: noon + 9 * 86_400) == 1)
            try await commit([], withheld: ["abcd"])
            let draft = pager("s", .isEscalation)
            #expect(try await store.makeGood(incidentID: "abcd") { _, _ in [draft] } == 1)
            #expect(try await owed() == ["pager firing"])
            try store.close()
        }

        @Test("a pager that refused the beginning and took the word of a hand has heard of no trouble, and of no end")
        func refusedBeginning() async throws {
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: false) { _ in "" }
            func claim() async throws -> OutboxRow? {
                try await store.claim(channel: "pager", owner: "me", now: noon + 90, lease: .seconds(60), rules: rules)
            }
            try await commit([pager("p")])
            try await acknowledge()
            let beginning = try #require(try await claim())
            try await store.markDead(
                beginning, owner: "me", now: noon + 90,
                attempt: Attempt(class: "permanent", status: 400, error: "no"))
            // As a version did that told of the hand all the same.
            let word = try #require(
                try await store.claim(channel: "pager", owner: "me", now: noon + 90, lease: .seconds(60)))
            #expect(word.type == .acknowledged)
            try await store.markDelivered(word, owner: "me", now: noon + 90, status: 202)
            try await commit([pager("e", type: .resolved, sequence: 2)])
            #expect(try await claim() == nil)
            #expect(try await owed() == [])
            try store.close()
        }

        @Test("a channel that was removed is told of no hand: nobody would send it")
        func removed() async throws {
            try await commit([pager("p")])
            let row = try #require(
                try await store.claim(channel: "pager", owner: "me", now: noon, lease: .seconds(60)))
            try await store.markDelivered(row, owner: "me", now: noon, status: 202)
            _ = try await store.forgetGone(except: ["ops"], at: noon + 30)
            try await acknowledge()
            #expect(try await owed() == [])
            try store.close()
        }
    }
}
