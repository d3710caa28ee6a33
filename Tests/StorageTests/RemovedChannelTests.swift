import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Channels that are gone")
    struct RemovedChannelTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        /// Who owes messages, as by a configuration of before.
        enum Debtor: CaseIterable {
            case check, fleet, silence, itself
        }

        private func owe(_ debtor: Debtor) async throws {
            let draft = draft("k", channel: "gone")
            let record = CheckRecord(observation: nil, state: try state(), incidents: [try incident()])
            switch debtor {
            case .check:
                var check = record
                check.outbox = [draft]
                try await store.commit(check)
            case .fleet: try await store.commit(FleetRecord(state: FleetState(), outbox: [draft]), now: noon)
            case .silence:
                var check = record
                check.withheld = ["a1"]
                try await store.commit(check)
                _ = try await store.makeGood(incidentID: "a1") { _, _ in [draft] }
            case .itself: try await store.enqueue([draft])
            }
        }

        @Test("a message that is owed to one that is gone waits for nobody", arguments: Debtor.allCases)
        func owed(_ debtor: Debtor) async throws {
            _ = try await store.forgetGone(except: ["ops"], at: noon)
            let mark = try await store.progress(now: noon)
            try await owe(debtor)
            let row = try #require(try await store.messages(domain: nil, limit: 9).first)
            #expect(row.state == .dead && row.lastError == "the channel was removed" && row.settledAt == noon)
            try await store.commit(CheckRecord(observation: nil, state: try state(at: noon + 3600)))
            let later = try await store.progress(now: noon + 3600)
            #expect(later.standstill(since: mark, now: noon + 3600) == nil)
            try store.close()
        }

        @Test(
            "one that is back is owed its messages, and it was told nothing of what ended unsaid",
            arguments: [true, false])
        func back(isKnown: Bool) async throws {
            if isKnown { _ = try await store.forgetGone(except: ["ops"], at: noon) }
            if isKnown { try await store.enqueue([draft("k", channel: "gone")]) }
            _ = try await store.forgetGone(except: ["ops", "gone"], at: noon)
            try await store.enqueue([draft("l", channel: "gone", sequence: 2).owed(.isNotToldOfTrouble)])
            #expect(try await store.messages(domain: nil, limit: 9).first?.state == .queued)
            try store.close()
        }

        @Test("its messages cannot be sent again by hand before it is back")
        func byHand() async throws {
            _ = try await store.forgetGone(except: ["ops"])
            try await store.enqueue([draft("k", channel: "gone")])
            let id = try #require(try await store.messages(domain: nil, limit: 1).first?.id)
            let refusal = try await store.retry([id], now: noon).first?.refusal
            #expect(refusal?.hasPrefix("its channel is not in the configuration") == true)
            store.name(channels: ["ops", "gone"])
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: true) { $0.joined() }
            _ = try await store.introduce(channel: "gone", now: noon, rules: rules, mayJoin: false) { _, _ in .skip }
            #expect(try await store.retry([id], now: noon).map(\.refusal) == [nil])
            try store.close()
        }

        @Test("one that is gone is not introduced, so that another of its name will be")
        func introduced() async throws {
            let rules = ClaimRules(groupWait: nil, tellsUnsaidEnds: true) { $0.joined() }
            _ = try await store.forgetGone(except: ["ops"], at: noon)
            let told = try await store.introduce(channel: "gone", now: noon, rules: rules, mayJoin: false) { _, _ in
                .skip
            }
            #expect(told == nil)
            #expect(try await store.unknownChannels(among: ["gone"]) == ["gone"])
            try store.close()
        }

        /// What became of the messages of a story, as `type state`, and whether it is named.
        static let stories: [(rows: [(EventType, OutboxRow.State)], isUnended: Bool)] = [
            ([(.firing, .delivered)], true), ([(.firing, .delivered), (.resolved, .delivered)], false),
            ([(.firing, .delivered), (.resolved, .queued)], true), ([(.firing, .queued)], false),
            // Nobody knows whether it has it.
            ([(.firing, .leased)], true), ([(.firing, .delivered), (.resolved, .leased)], true),
            ([(.firing, .delivered), (.resolved, .delivered), (.update, .delivered)], true),
        ]

        @Test("what it was told and what did not end for it is named, until it is forgotten", arguments: 0..<7)
        func unended(_ index: Int) async throws {
            let story = Self.stories[index]
            try await store.commit(
                CheckRecord(observation: nil, state: try state(), incidents: [try incident()]))
            for (number, (type, wanted)) in story.rows.enumerated() {
                var draft = draft("k\(number)", channel: "gone", type: type, sequence: number + 1)
                draft.hearsOfHand = true
                try await store.enqueue([draft])
                guard wanted != .queued else { continue }
                let row = try #require(
                    try await store.claim(channel: "gone", owner: "me", now: noon, lease: .seconds(60)))
                _ = try await store.freeze(row, owner: "me", bytes: Data())
                if wanted == .delivered { try await store.markDelivered(row, owner: "me", now: noon, status: 202) }
            }
            #expect(try await store.forgetGone(except: ["ops", "gone"]).unended.isEmpty)
            let named = try await store.forgetGone(except: ["ops"]).unended
            #expect(named.map(\.incident.id) == (story.isUnended ? ["a1"] : []))
            #expect(named.allSatisfy { $0.channel == "gone" && $0.isKeptOpen })
            #expect(try await store.forgetGone(except: ["ops"]).unended.isEmpty)
            try store.close()
        }
    }
}

extension Store {
    /// As a reload to other channels does it.
    func forgetGone(except channels: Set<String>, at now: Date = noon) async throws -> GoneChannels {
        name(channels: channels)
        return try await forgetGoneChannels(now: now)
    }
}
