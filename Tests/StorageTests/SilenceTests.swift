import Evidence
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Silences")
    struct SilenceTests {
        private func request(_ length: Double = 3600) throws -> Silence {
            try Silence(
                scope: SilenceScope(
                    domains: [try DomainPattern("*.example.com")], labels: ["team": "growth"], kinds: [.cdnStale]),
                startsAt: noon, endsAt: noon + length, author: "eva@host", reason: "upgrade")
        }

        @Test("the running monitor reads a silence that a command writes, and it survives a restart")
        func beside() async throws {
            let folder = try ScratchFolder()
            let daemon = try Store(path: folder.store)
            let guest = try Store(path: folder.store, access: .beside)
            let silence = try await guest.add(request())
            try guest.close()
            #expect(try await daemon.silences(notOverAt: noon) == [silence])
            #expect(try await daemon.silences(notOverAt: noon + 3600).isEmpty)
            try await daemon.commit(Evaluation(state: try state()), of: try observation())
            try daemon.close()
            let later = try Store(path: folder.store)
            #expect(try await later.silences(notOverAt: noon) == [silence])
            #expect(silence.scope == (try request().scope))
        }

        @Test("ending a silence takes effect immediately, and ending it again changes nothing")
        func ending() async throws {
            let folder = try ScratchFolder()
            let store = try Store(path: folder.store)
            let silence = try await store.add(request())
            let ended = try #require(try await store.endSilence(id: silence.id, now: noon + 60))
            #expect(ended.endsAt == noon + 60)
            #expect(try await store.endSilence(id: silence.id, now: noon + 90)?.endsAt == noon + 60)
            #expect(try await store.silences(notOverAt: noon + 60).isEmpty)
            for unknown in ["2", "", "x", "-1", "99999999999999999999"] {
                #expect(try await store.endSilence(id: unknown, now: noon) == nil)
            }
        }

        @Test("ended silences are kept for a while")
        func retention() async throws {
            let folder = try ScratchFolder()
            let store = try Store(path: folder.store)
            _ = try await store.add(request())
            try await store.prune(
                now: noon + 80 * 86_400, keepObservations: .seconds(86_400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.silences(notOverAt: .distantPast).count == 1)
            try await store.prune(
                now: noon + 100 * 86_400, keepObservations: .seconds(86_400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.silences(notOverAt: .distantPast).isEmpty)
        }
    }
}
