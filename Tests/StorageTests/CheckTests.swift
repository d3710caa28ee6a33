import Evidence
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Checks")
    struct CheckTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func commit(_ observation: Observation) async throws {
            try await store.commit(Evaluation(state: try state(at: observation.checkedAt)), of: observation)
        }

        @Test("the same body is stored once")
        func changed() async throws {
            try await commit(observation(at: noon))
            try await commit(observation(at: noon + 60, status: 404))
            try await commit(observation(at: noon + 120, status: 404, body: "[]"))
            try await commit(observation("b.test", at: noon + 180, status: 404, body: "[]"))
            #expect(try await store.body(ContentHash(of: "hash-of-[]".utf8)) == Data("[]".utf8))
            let bodies = try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM body") }
            #expect(bodies == 2)
        }

        @Test("a body beyond the limit is not stored, but its check is")
        func largeBody() async throws {
            let body = String(repeating: "x", count: Store.maximumBodyBytes + 1)
            try await commit(observation(body: body))
            #expect(try await store.states().count == 1)
            #expect(try await store.body(ContentHash(of: "hash-of-\(body)".utf8)) == nil)
        }

        @Test("a state is read back unchanged, to the last fraction of a second")
        func exactState() async throws {
            var state = try state(at: Date(timeIntervalSince1970: 1_795_244_400.123_456_7))
            state.open = [.cdnStale: TrackedIncident(incident: try incident(), confirmations: 2)]
            state.originPeriods = [
                OriginPeriod(
                    meaning: ContentHash(of: "m".utf8), content: ContentHash(of: "c".utf8), firstSeen: noon,
                    lastSeen: noon + 0.1)
            ]
            try await store.commit(Evaluation(state: state))
            #expect(try await store.state(of: state.domain) == state)
            #expect(try await store.state(of: Domain("other.example.com")) == nil)
        }

        @Test("a state is written whole if more than its instants changed; after that, only the instants")
        func instants() async throws {
            func small() async throws -> Int? {
                try await store.read { try Int.fetchOne($0, sql: "SELECT count(unchanged_at) FROM domain") }
            }
            func seen(_ begun: Int, at: TimeInterval) throws -> DomainState {
                var state = DomainState(domain: try Domain("example.com"), begun: begun)
                state.lastCheckedAt = noon + at
                state.cdnCopy = CDNCopy(meaning: nil, content: nil, firstSeen: noon, lastSeen: noon + at)
                return state
            }
            var stored: DomainState?
            for (begun, expected) in [(3, 0), (3, 1), (4, 0), (4, 1), (2, 0), (2, 1)] {
                let state = try seen(begun, at: Double(begun * 10 + expected) + 0.1234)
                try await store.commit(Evaluation(state: state), after: stored)
                #expect(try await store.state(of: state.domain) == state)
                #expect(try await small() == expected)
                stored = state
            }
            try await store.forget(Domain("example.com"))
            // Deletes the row that would get the instants.
            let again = try seen(2, at: 100)
            try await store.commit(Evaluation(state: again), after: again)
            #expect(try await small() == 0)
            #expect(try await store.state(of: again.domain) == again)
        }

        @Test("a commit completes even if its task is cancelled")
        func cancelled() async throws {
            let task = Task { [store] in
                while !Task.isCancelled { await Task.yield() }
                try await store.commit(try incident())
            }
            task.cancel()
            try await task.value
            #expect(try await store.listed().count == 1)
        }

        @Test("a removed domain that comes back numbers its incidents after all forgotten ones")
        func numbers() async throws {
            let domains = try ["example.com", "example.org"].map { try Domain($0) }
            #expect(try await store.firstState(of: domains[0]) == DomainState(domain: domains[0]))
            for (domain, begun) in zip(domains, [5, 3]) {
                try await store.commit(Evaluation(state: DomainState(domain: domain, begun: begun)))
                try await store.forget(domain)
                try await store.forget(domain)
            }
            try store.close()
            let again = try Store(path: folder.store)
            for domain in domains {
                #expect(try await again.state(of: domain) == nil)
                #expect(try await again.firstState(of: domain).begun == 5)
            }
        }

        @Test("the last instant is that of the latest check or delivery, including unchanged checks")
        func lastInstant() async throws {
            #expect(try await store.lastInstant() == nil)
            for minute in [0.0, 2, 1] { try await commit(observation(at: noon + minute * 60)) }
            #expect(try await store.lastInstant() == noon + 60)
            try await store.commit(Evaluation(state: try state("b.test", at: noon + 90)))
            #expect(try await store.lastInstant() == noon + 90)
            try await store.ops { try $0.log(delivery(at: noon + 95)) }
            #expect(try await store.lastInstant() == noon + 95)
            // After a clock change, a message that waits for a retry must not wait until the clock reaches its creation
            // time again.
            let made = MessageRecord(
                key: "k", reason: .firing, kind: .cdnStale, body: Data(), members: [], createdAt: noon + 100,
                retryAt: noon)
            try await store.ops { _ = try $0.insert(made) }
            #expect(try await store.lastInstant() == noon + 100)
        }
    }
}
