import Evidence
import Foundation
import Monitoring
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("Names that people use")
    struct NameTests {
        private let folder: ScratchFolder
        private let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func refusal(_ ask: () async throws -> Void) async -> String? {
            do {
                try await ask()
                return nil
            } catch {
                return (error as? UnknownName)?.description
            }
        }

        @Test("an incident is found by its ID or an ID prefix")
        func incidents() async throws {
            try await store.commit(
                try incident("abcd1111", domain: "a.test"), try incident("abcd2222", domain: "b.test"),
                try incident("abcd", domain: "c.test"))
            #expect(try await store.incident(named: "abcd1").incident.id == "abcd1111")
            #expect(try await store.incident(named: "ABCD2222").incident.id == "abcd2222")
            // A complete ID that is also a prefix of others.
            #expect(try await store.incident(named: "abcd").incident.id == "abcd")
            let missing = await refusal { _ = try await store.incident(named: "ffff") }
            #expect(missing == "no incident has an id that begins with 'ffff'")
            let short = await refusal { _ = try await store.incident(named: "abc") }
            #expect(short?.contains("give at least the first four characters") == true)
            let odd = await refusal { _ = try await store.incident(named: "ab%d\u{1B}") }
            #expect(odd == "'ab%d\u{FFFD}' is not the id of an incident")
        }

        @Test("deliveries of something unknown are an error, not an empty list")
        func deliveries() async throws {
            try await store.commit(try incident("abcd1111", domain: "a.test"))
            try await store.ops { try $0.log(delivery("k", incident: "abcd1111")) }
            func list(_ channel: String? = nil, _ incident: String? = nil, _ domain: String? = nil) async throws -> Int
            {
                try await store.deliveries(
                    ofChannel: channel, incidentNamed: incident, domain: try domain.map { try Domain($0) }, limit: 9
                ).count
            }
            #expect(try await list() == 1)
            #expect(try await list("ops") == 1)
            #expect(try await list(nil, "abcd") == 1)
            #expect(try await list(nil, nil, "a.test") == 1)
            let channel = await refusal { _ = try await list("pos") }
            #expect(channel == "no channel is named 'pos'; known: ops")
            let incident = await refusal { _ = try await list(nil, "ffff") }
            #expect(incident == "no incident has an id that begins with 'ffff'")
            let domain = await refusal { _ = try await list(nil, nil, "b.test") }
            #expect(domain == "b.test is not watched here")
            // Watched, but nothing was sent about it.
            try await store.watch([WatchedDomain(domain: try Domain("b.test"))])
            #expect(try await list(nil, nil, "b.test") == 0)
        }

        @Test("a message is found by its key; several keys with the same prefix are listed")
        func messages() async throws {
            try await store.ops { channel in
                for end in ["1", "2"] { try channel.keep(text: end, of: "abcdabcdabcd" + end, at: noon) }
            }
            #expect(try await store.message(named: "abcdabcdabcd2").text == "2")
            let several = await refusal { _ = try await store.message(named: "abcdabcdabcd") } ?? ""
            #expect(
                several.contains("abcdabcdabcd1 to ops at 2026-11-21T07:00:00Z; ")
                    || several.contains("abcdabcdabcd2 to ops"))
            #expect(several.hasPrefix("several messages have a key that begins with 'abcdabcdabcd': "))
            let missing = await refusal { _ = try await store.message(named: "99") }
            #expect(missing == "no delivery is named '99'")
        }
    }
}
