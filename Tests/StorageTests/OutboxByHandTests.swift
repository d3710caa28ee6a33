import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Outbox by hand")
    struct OutboxByHandTests {
        let folder: ScratchFolder
        let store: Store

        init() async throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        /// One message of each state, each of an incident of its own.
        private func makeAll() async throws -> [OutboxRow.State: Int64] {
            var ids: [OutboxRow.State: Int64] = [:]
            for state in OutboxRow.State.allCases {
                try await store.enqueue([draft(state.rawValue, incident: state.rawValue)])
                ids[state] = try await store.write { database in
                    try database.execute(
                        sql: """
                            UPDATE outbox SET state = ?, attempts = 4, last_class = 'x', frozen = x'00', settled_at = ?,
                                not_before = created_at + 60000
                            WHERE message_key = ?
                            """,
                        arguments: [
                            state.rawValue, [.queued, .leased].contains(state) ? nil : noon.milliseconds,
                            state.rawValue,
                        ])
                    return try Int64.fetchOne(
                        database, sql: "SELECT id FROM outbox WHERE message_key = ?", arguments: [state.rawValue])
                }
            }
            return ids
        }

        private func row(_ id: Int64?) async throws -> OutboxRow {
            try #require(try await store.messages(domain: nil, limit: 99).first { $0.id == id })
        }

        @Test("messages are listed by state and channel, newest first, with their domain")
        func lists() async throws {
            try await store.commit(
                CheckRecord(
                    observation: nil, state: state(), incidents: [incident()],
                    outbox: [
                        draft("a"), draft("b", channel: "chat", at: noon + 1),
                        draft("c", incident: "none", at: noon + 2),
                    ]))
            @Sendable func keys(_ channel: String?, _ states: Set<OutboxRow.State>, _ limit: Int = 9) async throws
                -> [String]
            {
                try await store.outbox(channel: channel, states: states, limit: limit).map(\.row.messageKey)
            }
            #expect(try await keys(nil, []) == ["c", "b", "a"])
            #expect(try await keys(nil, [], 1) == ["c"])
            #expect(try await keys("chat", [.queued]) == ["b"])
            #expect(try await keys(nil, [.dead, .expired]) == [])
            let entries = try await store.outbox(channel: nil, states: [], limit: 9)
            #expect(entries.map(\.domain) == [nil, "example.com", "example.com"])
            #expect(entries.map(\.kind) == [nil, .cdnStale, .cdnStale])
        }

        @Test("only what was given up, or waits, is sent again; the rest says why not")
        func retries() async throws {
            let ids = try await makeAll()
            let order = OutboxRow.State.allCases.compactMap { ids[$0] } + [999]
            let now = noon + 86400 * 2
            let answers = try await store.retry(order, now: now)
            #expect(answers.map(\.id) == order)
            let done = Set(answers.filter { $0.refusal == nil }.map(\.id))
            #expect(done == Set([ids[.queued], ids[.dead], ids[.expired]].compactMap(\.self)))
            #expect(answers.last?.refusal == "there is no such message")
            for id in done {
                let row = try await row(id)
                #expect(row.state == .queued)
                #expect(row.notBefore == now)
                #expect(row.expiresAt == now + 86400)
                #expect(row.attempts == 0)
                #expect(row.settledAt == nil)
                #expect(row.lastClass == nil)
                // What may have been accepted is repeated to the byte; what was refused is rendered anew.
                #expect((row.frozen == nil) == (id == ids[.dead]))
            }
            #expect(try await store.claim(channel: "ops", owner: "me", now: now, lease: .seconds(9)) != nil)
        }

        @Test("a message whose story went on without it is not told afterwards")
        func late() async throws {
            try await store.enqueue([draft("firing"), draft("resolved", type: .resolved, sequence: 2)])
            try await store.write { database in
                try database.execute(sql: "UPDATE outbox SET state = iif(sequence = 1, 'dead', 'delivered')")
            }
            let id = try #require(try await store.deadMessages().first)
            let answer = try await store.retry([id], now: noon)
            #expect(answer.first?.refusal?.contains("later message") == true)
            // On another channel the story may be told: that one has heard nothing yet.
            try await store.write { try $0.execute(sql: "UPDATE outbox SET channel = 'chat' WHERE sequence = 2") }
            #expect(try await store.retry([id], now: noon).first?.refusal == nil)
        }

        /// What else there is of the story, as `type state`, whether the incident is over, and whether a beginning that was
        /// given up is sent again.
        static let stories: [(others: [(EventType, OutboxRow.State)], isOver: Bool, isSentAgain: Bool)] = [
            ([], false, true), ([], true, false), ([(.resolved, .dead)], true, false),
            // It goes out in front of its end, or the end says it too.
            ([(.resolved, .queued)], true, true), ([(.resolved, .leased)], true, true),
            // What a channel is told that is back.
            ([(.firing, .queued)], false, false), ([(.firing, .leased)], false, false),
            ([(.firing, .dead)], false, true),
            ([(.update, .queued)], false, true),
        ]

        @Test(
            "a beginning is not sent again where nobody would tell its end, or where it is owed anyway",
            arguments: 0..<9)
        func futile(_ index: Int) async throws {
            let story = Self.stories[index]
            var incident = try incident(state: story.isOver ? .resolved : .firing)
            incident.resolvedAt = story.isOver ? noon : nil
            try await store.commit(CheckRecord(observation: nil, state: try state(), incidents: [incident]))
            try await store.enqueue([draft("beginning")])
            for (number, other) in story.others.enumerated() {
                try await store.enqueue([draft("\(number)", type: other.0, sequence: number + 2)])
            }
            let rows = try await store.messages(domain: nil, limit: 9)
            let states = [("beginning", OutboxRow.State.dead)] + story.others.enumerated().map { ("\($0)", $1.1) }
            try await store.write { database in
                for (key, state) in states {
                    try database.execute(
                        sql: "UPDATE outbox SET state = ?, settled_at = ? WHERE message_key = ?",
                        arguments: [state.rawValue, state == .dead ? noon.milliseconds : nil, key])
                }
            }
            let id = try #require(rows.first { $0.messageKey == "beginning" }?.id)
            let refusal = try await store.retry([id], now: noon).first?.refusal
            #expect((refusal == nil) == story.isSentAgain, "\(refusal ?? "")")
        }

        @Test("nothing is sent again to a channel that the configuration does not name", arguments: [true, false])
        func gone(isPresent: Bool) async throws {
            try await store.enqueue([draft("k")])
            try await store.write { try $0.execute(sql: "UPDATE outbox SET state = 'dead', last_error = 'no'") }
            store.name(channels: isPresent ? ["ops"] : [])
            #expect((try await store.retry(store.deadMessages(), now: noon).first?.refusal == nil) == isPresent)
        }

        @Test("a dropped message is never sent, frees its successors, and is not made anew")
        func drops() async throws {
            let ids = try await makeAll()
            let order = OutboxRow.State.allCases.compactMap { ids[$0] }
            let answers = try await store.drop(order, now: noon + 5)
            let done = Set(answers.filter { $0.refusal == nil }.map(\.id))
            #expect(done == Set([ids[.queued], ids[.dead], ids[.expired]].compactMap(\.self)))
            #expect(try await row(ids[.queued]).state == .dropped)
            #expect(try await row(ids[.queued]).settledAt == noon + 5)

            try await store.enqueue([draft("one"), draft("two", sequence: 2), draft("queued", incident: "queued")])
            let one = try #require(try await store.messages(domain: nil, limit: 99).first { $0.messageKey == "one" })
            _ = try await store.drop([one.id], now: noon)
            let next = try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(9))
            #expect(next?.messageKey == "two")
            #expect(try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(9)) == nil)
        }

        @Test("a command works beside the monitor, which can tell that somebody has written")
        func beside() async throws {
            try await store.enqueue([draft("k1")])
            try await store.write { try $0.execute(sql: "UPDATE outbox SET state = 'dead'") }
            let before = try await store.outsideWrites()
            try await store.enqueue([draft("k2", incident: "b2")])
            _ = try await store.outbox(channel: nil, states: [], limit: 9)
            #expect(try await store.outsideWrites() == before)
            let guest = try Store(path: folder.store, access: .beside)
            #expect(try await guest.retry([1], now: noon).map(\.refusal) == [nil])
            try guest.close()
            #expect(try await store.outsideWrites() != before)
            #expect(try await store.claim(channel: "ops", owner: "me", now: noon, lease: .seconds(9))?.id == 1)
        }

        @Test("a command makes no store and brings none up to date")
        func guestNeedsStore() async throws {
            let missing = #expect(throws: StoreError.self) {
                try Store(path: folder.path + "/none.db", access: .beside)
            }
            #expect(missing?.code == .missing)
            try await store.write { try $0.execute(sql: "DELETE FROM grdb_migrations WHERE identifier LIKE '4-%'") }
            let older = #expect(throws: StoreError.self) { try Store(path: folder.store, access: .beside) }
            #expect(older?.code == .olderSchema)
        }
    }
}
