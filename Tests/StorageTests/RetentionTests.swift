import Evidence
import Foundation
import GRDB
import Monitoring
import Testing

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

        @Test("the pages of what was removed are given back")
        func givesBack() async throws {
            for index in 0..<60 {
                let body = "\(index)" + String(repeating: "x", count: 100_000)
                try await store.commit(
                    Evaluation(state: state()), of: observation(at: noon + Double(index), body: body))
            }
            let full = try await pages("page_count")
            try await store.prune(now: noon + 86400 * 2, keepObservations: .seconds(86400))
            #expect(try await store.observations(of: Domain("example.com"), limit: 99).count == 1)
            #expect(try await pages("freelist_count") <= Store.spareFreePages)
            #expect(try await pages("page_count") < full / 3)
            try store.close()
            let size = try FileManager.default.attributesOfItem(atPath: folder.store)[.size] as? Int ?? .max
            #expect(size < full * 4096 / 3)
            #expect(try await Store(path: folder.store, readOnly: true).faults() == [])
        }

        @Test("a body goes with the last observation that names it, and not before")
        func bodies() async throws {
            try await store.commit(Evaluation(state: state()), of: observation(at: noon, body: "shared"))
            try await store.commit(
                Evaluation(state: state()), of: observation("b.example.com", at: noon + 3600, body: "shared"))
            try await store.commit(Evaluation(state: state()), of: observation(at: noon + 60, body: "new"))
            try await store.commit(
                Evaluation(state: state()), of: observation("b.example.com", at: noon + 7200, body: "new"))
            try await store.prune(now: noon + 3600, keepObservations: .seconds(1800))
            #expect(try await store.body(ContentHash(of: "hash-of-shared".utf8)) != nil)
            try await store.prune(now: noon + 7200, keepObservations: .seconds(1800))
            #expect(try await store.body(ContentHash(of: "hash-of-shared".utf8)) == nil)
            #expect(try await store.body(ContentHash(of: "hash-of-new".utf8)) != nil)
        }

        @Test("a run that continues is kept, however long ago it began")
        func longRun() async throws {
            for day in 0..<40 {
                try await store.commit(Evaluation(state: state()), of: observation(at: noon + 86400 * Double(day)))
            }
            try await store.commit(Evaluation(state: state()), of: observation(at: noon + 86400 * 40, body: "new"))
            try await store.prune(now: noon + 86400 * 41, keepObservations: .seconds(86400 * 30))
            #expect(try await store.observations(of: Domain("example.com"), limit: 9).map(\.count) == [1, 40])
        }

        /// What a channel has of an incident that ended two years ago, and when its row goes.
        enum Leftover: CaseIterable {
            case nothing, known, due, pending, inMessage

            var isOpen: Bool { self == .due || self == .pending || self == .inMessage }
        }

        @Test(
            "resolved incidents go after two years with what channels know, and 30 days later where one is pending",
            arguments: Leftover.allCases)
        func incidents(leftover: Leftover) async throws {
            let ended = try incident(state: .resolved)
            try await store.commit(ended, try incident("open", kind: .cdnMissing), fleetIncident())
            try await store.ops { channel in
                var record = NotificationRecord(incidentID: "a1")
                record.version = 1
                switch leftover {
                case .nothing: return
                case .known: break
                case .due: record.dueAt = noon
                case .pending: record.pendingSince = noon
                case .inMessage: record.messageID = try channel.insert(message()).id
                }
                try channel.save(record, of: ended)
            }
            let end = noon + Store.keepIncidents.timeInterval
            for (instant, isKept) in [
                (end - 1, true), (end + 1, leftover.isOpen), (end + Store.keepPending.timeInterval + 1, false),
            ] {
                try await store.prune(now: instant, keepObservations: .seconds(86400))
                #expect(try await (store.incident(id: "a1") != nil) == isKept)
                #expect(try await store.rows("notification") == (isKept && leftover != .nothing ? 1 : 0))
            }
            #expect(try await store.incidents(domain: nil, limit: 9).count == 2, "unresolved ones stay for ever")
        }

        @Test("the log of deliveries is kept for 30 days")
        func deliveries() async throws {
            try await store.ops { channel in
                for day in 0..<3 { try channel.log(delivery("\(day)", at: noon + 86400 * Double(day))) }
            }
            try await store.prune(now: noon + 86400 * 31.5, keepObservations: .seconds(86400))
            #expect(try await store.deliveries(limit: 9).map(\.key) == ["2"])
        }

        @Test("what a message says and its attempts go with the log, unless it is under way")
        func messages() async throws {
            try await store.ops { channel in
                for key in ["old", "young", "waiting"] {
                    let at = key == "young" ? noon + 86400 * 2 : noon
                    try channel.keep(text: key, of: key, at: at)
                    try channel.log(DeliveryAttempt(at: at, outcome: "transient"), of: key)
                }
                _ = try channel.insert(message("waiting"))
            }
            try await store.prune(now: noon + 86400 * 31.5, keepObservations: .seconds(86400))
            #expect(try await store.rows("message_log") == 2)
            #expect(try await store.sentMessage(named: "old") == nil)
        }
    }
}
