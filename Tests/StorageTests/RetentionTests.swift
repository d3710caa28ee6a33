import Evidence
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Retention")
    struct RetentionTests {
        let folder: ScratchFolder
        let store: Store

        init() throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
        }

        private func pages(_ what: String) async throws -> Int {
            try await store.read { try Int.fetchOne($0, sql: "PRAGMA \(what)") ?? -1 }
        }

        @Test("the pages of deleted rows are freed")
        func givesBack() async throws {
            for index in 0..<60 {
                let body = "\(index)" + String(repeating: "x", count: 100_000)
                try await store.commit(
                    Evaluation(state: state()), of: observation(at: noon + Double(index), body: body))
            }
            let full = try await pages("page_count")
            try await store.prune(
                now: noon + 86400 * 3, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.rows("body") == 0)
            #expect(try await pages("freelist_count") <= Store.spareFreePages)
            #expect(try await pages("page_count") < full / 3)
            try store.close()
            let size = try FileManager.default.attributesOfItem(atPath: folder.store)[.size] as? Int ?? .max
            #expect(size < full * 4096 / 3)
            #expect(try await Store(path: folder.store, access: .reader).faults() == [])
        }

        @Test("a body is deleted once no domain has served it for the retention time, and not before")
        func bodies() async throws {
            func check(_ name: String, _ body: String, day: Double) async throws {
                let now = noon + day * 86400
                try await store.commit(
                    Evaluation(state: state(name, at: now)), of: observation(name, at: now, body: body))
            }
            func kept(_ body: String) async throws -> Bool {
                try await store.body(ContentHash(of: "hash-of-\(body)".utf8)) != nil
            }
            for day in 0..<40 { try await check("a.test", "shared", day: Double(day)) }
            try await check("b.test", "shared", day: 40.5)
            try await check("a.test", "new", day: 41)
            for (day, isKept) in [(41.0, true), (71, true), (72, false)] {
                try await store.prune(
                    now: noon + day * 86400, keepObservations: .seconds(86400 * 30),
                    keepDeliveries: .seconds(30 * 86400))
                #expect(try await kept("shared") == isKept, "day \(day)")
                #expect(try await kept("new"))
            }
        }

        @Test("the last body that a domain served is kept forever")
        func served() async throws {
            func check(_ body: String, day: Double) async throws {
                let now = noon + day * 86400
                let observation = try observation(at: now, body: body)
                let content = try #require(observation.origin.answer?.body.hash)
                try await store.commit(
                    Evaluation(
                        state: try state(at: now),
                        places: [PlaceReading(place: .origin, served: .version(meaning: content, content: content))]),
                    of: observation)
            }
            try await check("old", day: 0)
            try await check("last", day: 1)
            try await store.prune(
                now: noon + 90 * 86400, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.body(ContentHash(of: "hash-of-old".utf8)) == nil)
            #expect(try await store.body(ContentHash(of: "hash-of-last".utf8)) != nil)
        }

        @Test("a domain whose answers never repeat has a limited number of bodies; other domains keep theirs")
        func surplus() async throws {
            try await store.commit(
                Evaluation(state: state("b.test", at: noon)), of: observation("b.test", at: noon, body: "other"))
            try await store.write { database in
                for index in 0..<(Store.maximumBodiesPerDomain + 230) {
                    try database.execute(
                        sql: "INSERT INTO body (sha256, domain, seen_at, bytes) VALUES (?, 'a.test', ?, x'')",
                        arguments: ["\(index)", noon.milliseconds + Int64(index)])
                }
            }
            try await store.prune(
                now: noon + 60, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.rows("body") == Store.maximumBodiesPerDomain + 1)
            #expect(try await store.body(ContentHash(of: "hash-of-other".utf8)) != nil)
        }

        @Test(
            "resolved incidents and their notifications are deleted after two years; unresolved ones are kept forever")
        func incidents() async throws {
            let ended = try incident(state: .resolved)
            try await store.commit(ended, try incident("open", kind: .cdnMissing), globalIncident())
            try await store.ops { try $0.save(pending(), of: ended) }
            let end = noon + Store.keepIncidents.inSeconds
            for (instant, kept) in [(end - 1, 1), (end + 1, 0)] {
                try await store.prune(
                    now: instant, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
                #expect(try await store.listed().count == 2 + kept)
                #expect(try await store.rows("notification") == kept)
            }
        }

        @Test("the delivery log is kept as long as configured")
        func deliveries() async throws {
            try await store.ops { channel in
                for day in 0..<3 { try channel.log(delivery("\(day)", at: noon + 86400 * Double(day))) }
            }
            try await store.prune(
                now: noon + 86400 * 31.5, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.deliveries(limit: 9).map(\.key) == ["2"])
            try await store.prune(
                now: noon + 86400 * 31.5, keepObservations: .seconds(86400), keepDeliveries: .seconds(29 * 86400))
            #expect(try await store.deliveries(limit: 9).isEmpty)
        }

        @Test("a message's text and attempts are deleted with the log, unless it is still under way")
        func messages() async throws {
            try await store.ops { channel in
                for key in ["old", "young", "waiting"] {
                    let at = key == "young" ? noon + 86400 * 2 : noon
                    try channel.keep(text: key, of: key, at: at)
                    try channel.log(DeliveryAttempt(at: at, outcome: "transient"), of: key)
                }
                _ = try channel.insert(message("waiting"))
            }
            try await store.prune(
                now: noon + 86400 * 31.5, keepObservations: .seconds(86400), keepDeliveries: .seconds(30 * 86400))
            #expect(try await store.rows("message_log") == 2)
            #expect(try await store.sentMessage(named: "old") == nil)
        }
    }
}
