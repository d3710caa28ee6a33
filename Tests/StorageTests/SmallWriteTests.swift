import Evidence
import Facts
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
                    meaning: ContentHash(of: "a\(index)".utf8),
                    content: ContentHash(of: "b\(index)".utf8),
                    firstSeen: noon - 86400 * Double(index), lastSeen: noon - 86400 * Double(index))
            }
            state.originPeriods[changes - 1].lastSeen = at
            state.originValidSince = noon - 86400
            state.cdnCopy = CDNCopy(meaning: nil, content: nil, firstSeen: noon, lastSeen: at)
            return state
        }

        private func logBytes() throws -> Int {
            let size = try FileManager.default.attributesOfItem(atPath: folder.store + "-wal")[.size] as? Int
            return try #require(size)
        }

        /// As Apple's CDN answers: without the name of each request among its headers.
        private func check(at now: Date, body: String) async throws {
            var seen = try observation(at: now, body: body)
            if case .asked(var copy) = seen.cdn, case .answered(var answer) = copy.outcome {
                answer.headers.removeAll { $0.name == "x-request-id" }
                copy.outcome = .answered(answer)
                seen.cdn = .asked(copy)
            }
            try await store.commit(
                Evaluation(state: try Self.longState(at: now)), of: seen, after: try Self.longState(at: now - 60))
        }

        @Test("an unchanged check writes one page, however much the monitor remembers of the domain")
        func unchanged() async throws {
            let body = String(repeating: "x", count: 20_000)
            for minute in 0..<3 {
                let now = noon + Double(minute) * 60 + 0.123
                try await check(at: now, body: body)
            }
            try await store.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            let checks = 20
            for minute in 3..<(3 + checks) {
                let now = noon + Double(minute) * 60 + 0.123
                try await check(at: now, body: body)
            }
            let perCheck = (try logBytes() - 32) / checks
            #expect(perCheck <= 4096 + 24)
            let last = noon + Double(2 + checks) * 60 + 0.123
            #expect(try await store.state(of: Domain("example.com")) == Self.longState(at: last))
            #expect(try await store.states() == [Self.longState(at: last)])
        }

        @Test("each check adds to the response times, whatever it changes")
        func times() async throws {
            let domain = try Domain("example.com")
            #expect(try await store.responseTimes(of: domain) == nil)
            var expected = ResponseTimes()
            var stored: DomainState?
            for (minute, body, isFull) in [
                (0, "x", false), (1, "x", true), (2, "x", false), (3, "y", false), (70, "y", true), (71, "y", false),
            ] {
                var seen = try observation(at: noon + Double(minute) * 60, body: body, age: 10 + minute)
                if isFull { seen.full = FullLook(resolution: Resolution(source: .system), addresses: []) }
                let state = try Self.longState(at: seen.checkedAt)
                try await store.commit(Evaluation(state: state), of: seen, after: stored)
                expected.note(seen)
                #expect(try await store.responseTimes(of: domain) == expected, "\(minute)")
                stored = state
            }
            #expect(expected.lastDay(.origin, at: noon + 4300).compactMap(\.self).count == 2)
        }

        @Test("a state of which more than instants changed is written whole, and again small after that")
        func changed() async throws {
            func small() async throws -> Int? {
                try await store.read { try Int.fetchOne($0, sql: "SELECT count(unchanged_at) FROM domain") }
            }
            var stored: DomainState?
            for (changes, expected) in [(3, 0), (3, 1), (4, 0), (4, 1), (2, 0)] {
                let state = try Self.longState(at: noon + Double(changes * 10 + expected) + 0.1234, changes: changes)
                try await store.commit(Evaluation(state: state), after: stored)
                #expect(try await store.state(of: state.domain) == state)
                #expect(try await small() == expected)
                stored = state
            }
            let again = try Self.longState(at: noon + 100, changes: 2)
            try await store.commit(Evaluation(state: again), after: stored)
            #expect(try await small() == 1)
            try await store.forget(Domain("example.com"))
            #expect(try await small() == 0)
            // The row that it would be written into is gone.
            try await store.commit(Evaluation(state: again), after: again)
            #expect(try await small() == 0)
            #expect(try await store.state(of: again.domain) == again)
        }
    }
}
