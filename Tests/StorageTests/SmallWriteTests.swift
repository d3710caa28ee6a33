import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Small writes")
    struct SmallWriteTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        /// A state of some 10 kB, as that of a site with a past.
        private static func longState(at: Date, changes: Int = 60) throws -> DomainState {
            var state = try state(at: at)
            state.originPeriods = (0..<changes).map { index in
                OriginPeriod(
                    meaning: ContentHash(hex: String(repeating: "a", count: 60) + "\(1000 + index)"),
                    content: ContentHash(hex: String(repeating: "b", count: 60) + "\(1000 + index)"),
                    firstSeen: noon - 86400 * Double(index), lastSeen: noon - 86400 * Double(index))
            }
            state.originPeriods[changes - 1].lastSeen = at
            state.cdnCopy = CDNCopy(meaning: nil, content: nil, firstSeen: noon, lastSeen: at)
            return state
        }

        private func logBytes() throws -> Int {
            let size = try FileManager.default.attributesOfItem(atPath: folder.store + "-wal")[.size] as? Int
            return try #require(size)
        }

        /// As Apple's CDN answers: without the name of each request among its headers.
        private func check(at now: Date, body: String) throws -> CheckRecord {
            var seen = try observation(at: now, body: body)
            if case .asked(var copy) = seen.cdn, case .answered(var answer) = copy.outcome {
                answer.headers.removeAll { $0.name == "x-request-id" }
                copy.outcome = .answered(answer)
                seen.cdn = .asked(copy)
            }
            return CheckRecord(observation: seen, state: try Self.longState(at: now))
        }

        @Test("an unchanged check writes three pages, however much the monitor remembers of the domain")
        func unchanged() async throws {
            let body = String(repeating: "x", count: 20_000)
            for minute in 0..<3 {
                let now = noon + Double(minute) * 60
                try await store.commit(check(at: now, body: body))
            }
            try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            let checks = 20
            for minute in 3..<(3 + checks) {
                let now = noon + Double(minute) * 60 + 0.123
                try await store.commit(check(at: now, body: body))
            }
            let perCheck = (try logBytes() - 32) / checks
            #expect(perCheck <= 3 * (4096 + 24))
            let last = noon + Double(2 + checks) * 60 + 0.123
            #expect(try await store.state(of: Domain("example.com")) == Self.longState(at: last))
            #expect(try await store.domains().map(\.state) == [Self.longState(at: last)])
        }

        @Test("a state that changes its shape is written whole, and again small after that")
        func changed() async throws {
            func deltas() async throws -> Int? {
                try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM domain_recent") }
            }
            for (changes, expected) in [(3, 0), (3, 1), (4, 0), (4, 1), (2, 0)] {
                let state = try Self.longState(at: noon + Double(changes * 10 + expected), changes: changes)
                try await store.commit(CheckRecord(observation: nil, state: state))
                #expect(try await store.state(of: state.domain) == state)
                #expect(try await deltas() == expected)
            }
            try await store.commit(CheckRecord(observation: nil, state: try Self.longState(at: noon, changes: 2)))
            try await store.forget(Domain("example.com"))
            #expect(try await deltas() == 0)
        }

        @Test(
            "a small difference is found and undone exactly, or not at all",
            arguments: [
                (#"{"a":1,"b":"x"}"#, #"{"a":12.5,"b":"y, \"z\": {"}"#, true),
                (#"{"a":[1,2]}"#, #"{"a":[1,2,3]}"#, false), (#"{"a":1}"#, #"{"a":1}"#, true), ("", "", true),
                (#"{"é":"\\"}"#, #"{"é":"日本"}"#, true), (#"{"a":null}"#, #"{"a":{}}"#, false),
                (#"{"a":"open"#, #"{"a":"clos"#, true), (#"["a"]"#, "[1]", true),
            ])
        func delta(from: String, to: String, isSmall: Bool) throws {
            let delta = StateDelta(from: Data(from.utf8), to: Data(to.utf8), atMost: 200)
            #expect((delta != nil) == isSmall)
            guard let delta else { return }
            let read = try Stored.decode(StateDelta.self, from: Stored.encode(delta), what: "delta")
            #expect(read.applied(to: Data(from.utf8)) == Data(to.utf8))
            #expect(read.applied(to: Data((from + " ").utf8)) == nil)
            #expect(StateDelta(from: Data(from.utf8), to: Data(to.utf8), atMost: 0) == nil || from == to)
        }
    }
}
