import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("A pager that left the configuration and is back")
    struct ReturnedPagerTests {
        let scratch: ScratchFolder
        let store: Store

        init() throws {
            scratch = try ScratchFolder()
            store = try Store(path: scratch.store)
        }

        /// It is told of an incident, and then removed.
        private func tellAndRemove() async throws {
            var beginning = draft("p", channel: "pager")
            beginning.incidentID = "abcd"
            beginning.hearsOfHand = true
            try await store.commit(
                CheckRecord(
                    observation: nil, state: try state(), incidents: [try incident("abcd")], outbox: [beginning]))
            try await deliver()
            let gone = try await store.forgetGone(except: [])
            #expect(gone.unended.map(\.isKeptOpen) == [true])
        }

        private func deliver(at now: Date = noon + 90) async throws {
            let row = try #require(
                try await store.claim(channel: "pager", owner: "me", now: now, lease: .seconds(60)))
            try await store.markDelivered(row, owner: "me", now: now, status: 202)
        }

        private func comeBack(hearsOfHand: Bool = true, at now: Date = noon + 120) async throws {
            store.name(channels: ["pager"])
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: false) { $0.joined() }
            let told = try await store.introduce(
                channel: "pager", now: now, rules: rules, mayJoin: false, hearsOfHand: hearsOfHand
            ) { [draft = draft("p", channel: "pager")] incident, _ in
                var draft = draft
                draft.incidentID = incident.id
                draft.hearsOfHand = hearsOfHand
                return .tell([draft])
            }
            #expect(told == 0)
        }

        private func acknowledge(at seconds: Double) async throws {
            let hand = Acknowledgement(by: "eva", reason: "", at: noon + seconds)
            guard case .done = try await store.acknowledge(prefix: "abcd", hand) else {
                Issue.record("not done")
                return
            }
        }

        private func types() async throws -> [EventType] {
            try await store.messages(domain: nil, limit: 9).reversed().map(\.type)
        }

        @Test("it hears of a hand again, and where it goes again the log names its key again")
        func again() async throws {
            try await tellAndRemove()
            try await comeBack()
            try await acknowledge(at: 150)
            #expect(try await types() == [.firing, .acknowledged])
            #expect(try await store.forgetGone(except: []).unended.map(\.isKeptOpen) == [true])
            try store.close()
        }

        @Test("it is told of a hand that was taken while it was away, once")
        func meanwhile() async throws {
            try await tellAndRemove()
            try await acknowledge(at: 100)
            #expect(try await types() == [.firing])
            try await comeBack()
            #expect(try await types() == [.firing, .acknowledged])
            try await deliver(at: noon + 130)
            _ = try await store.forgetGone(except: [])
            try await comeBack(at: noon + 200)
            #expect(try await types() == [.firing, .acknowledged])
            try store.close()
        }

        @Test("another kind of receiver under its name hears of no hand")
        func other() async throws {
            try await tellAndRemove()
            try await comeBack(hearsOfHand: false)
            try await acknowledge(at: 150)
            #expect(try await types() == [.firing])
            try store.close()
        }
    }
}
