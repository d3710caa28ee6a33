import Evidence
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Recovery")
    struct RecoveryTests {
        let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        /// A store with everything after the first page overwritten.
        private func makeDamaged() async throws -> Data {
            let store = try Store(path: folder.store)
            for index in 0..<200 {
                try await store.commit(Evaluation(state: try state("d\(index).example.com")))
            }
            try store.close()
            var bytes = try Data(contentsOf: URL(filePath: folder.store))
            for index in 4096..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
            try bytes.write(to: URL(filePath: folder.store))
            return bytes
        }

        /// Opens the store like the daemon.
        private func open() throws -> (Store, StoreError?) {
            var damage: StoreError?
            return (try Store(path: folder.store, now: { noon }, onDamage: { damage = $0 }), damage)
        }

        @Test("a damaged store is set aside complete, and a new one replaces it")
        func setsAside() async throws {
            let bytes = try await makeDamaged()
            let refusal = errorOfOpening(folder.store)
            #expect(refusal?.code == .corrupt && refusal?.message.contains("sets it aside") == true)
            try Data("log".utf8).write(to: URL(filePath: folder.store + "-wal"))
            let (store, damage) = try open()
            let aside = folder.store + ".damaged-20261121T070000Z"
            #expect(damage?.message.hasPrefix("\(aside): ") == true)
            #expect(try Data(contentsOf: URL(filePath: aside)) == bytes)
            #expect(FileManager.default.fileExists(atPath: aside + "-wal"))
            #expect(try await store.states().isEmpty)
            try store.close()
            // The next start finds a healthy store.
            #expect(try open().1 == nil)
        }

        @Test("the whole file is checked on demand, including indexes")
        func examines() async throws {
            let store = try Store(path: folder.store)
            try await store.commit(Evaluation(state: state(), changes: [IncidentChange(incident())]), of: observation())
            #expect(try await store.faults() == [])
            try await store.write { database in
                // An index that disagrees with its table: no page is damaged, and a quick check finds nothing.
                try database.execute(
                    sql: """
                        PRAGMA writable_schema = ON;
                        UPDATE sqlite_master SET sql = 'CREATE INDEX incident_by_age ON incident (since DESC)'
                        WHERE name = 'incident_by_age';
                        INSERT INTO incident (id, domain, kind, severity, state, since, opened_at, version, is_flapping,
                            change)
                        SELECT 'z', domain, kind, severity, state, since + 1, opened_at + 1, 1, 0, 2 FROM incident;
                        """)
            }
            try store.close()
            let damaged = try Store(path: folder.store, access: .reader)
            #expect(try await !damaged.faults().isEmpty)
        }
    }

    @Suite("Backup")
    struct BackupTests {
        let folder: ScratchFolder
        let store: Store
        var target: String { folder.path + "/copy.db" }

        init() async throws {
            folder = try ScratchFolder()
            store = try Store(path: folder.store)
            try await store.commit(Evaluation(state: state(), changes: [IncidentChange(incident())]), of: observation())
        }

        private func refusal(_ path: String, replacing: Bool = false) async throws -> StoreError? {
            await #expect(throws: StoreError.self) { try await store.backup(to: path, replacing: replacing) }
        }

        @Test("a backup taken while the monitor runs is one complete file, and opens as a store")
        func copies() async throws {
            let reader = try Store(path: folder.store, access: .reader)
            let size = try await reader.backup(to: target, replacing: false)
            #expect(try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int == size)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") }
            #expect(left == ["copy.db"])
            try await store.commit(Evaluation(state: state("later.example.com")))
            let copy = try Store(path: target)
            #expect(try await copy.states().map(\.domain.name) == ["example.com"])
            #expect(try await copy.listed() == [incident()])
        }

        @Test("every backup taken during commits is consistent")
        func underLoad() async throws {
            let reader = try Store(path: folder.store, access: .reader)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [store] in
                    for index in 0..<400 {
                        let now = noon + Double(index)
                        try await store.commit(
                            Evaluation(state: state(at: now), changes: [IncidentChange(incident("k\(index)"))]),
                            of: observation(at: now, body: "\(index)"))
                    }
                }
                for number in 0..<5 {
                    _ = try await reader.backup(to: "\(target).\(number)", replacing: false)
                    let copy = try Store(path: "\(target).\(number)", access: .reader)
                    // One snapshot: as many incidents as checks, each of which saw a different body.
                    let incidents = try await copy.listed().count
                    #expect(try await copy.rows("body") == incidents)
                }
                try await group.waitForAll()
            }
        }

        @Test("an existing file is kept unless it may be replaced")
        func keeps() async throws {
            try Data("precious".utf8).write(to: URL(filePath: target))
            #expect(try await refusal(target)?.code == .exists)
            #expect(try Data(contentsOf: URL(filePath: target)) == Data("precious".utf8))
            _ = try await store.backup(to: target, replacing: true)
            #expect(errorOfOpening(target) == nil)
        }

        @Test("the store itself, under any name, is never the target")
        func itself() async throws {
            try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: folder.store)
            for path in [target, folder.store, folder.store + "-wal", folder.store + ".lock", folder.path] {
                #expect(try await refusal(path, replacing: true)?.code == .exists)
            }
            #expect(try await store.states().count == 1)
        }

        @Test("a log next to the target is not mixed with the backup")
        func strayLog() async throws {
            try Data("log".utf8).write(to: URL(filePath: target + "-wal"))
            #expect(try await refusal(target)?.code == .exists)
        }

        @Test("a damaged store is not copied")
        func damaged() async throws {
            let page = try await store.read {
                try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'domain'")
            }
            try store.close()
            var bytes = try Data(contentsOf: URL(filePath: folder.store))
            let begin = (try #require(page) - 1) * 4096
            for index in begin..<begin + 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
            try bytes.write(to: URL(filePath: folder.store))
            let reader = try Store(path: folder.store, access: .reader)
            let fault = await #expect(throws: StoreError.self) {
                try await reader.backup(to: target, replacing: false)
            }
            #expect(fault?.code == .corrupt && fault?.message.hasPrefix("\(folder.store) is damaged") == true)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("copy") }
            #expect(left == [])
        }

        @Test("a target that cannot be written is an error")
        func unwritable() async throws {
            #expect(try await refusal("/nonexistent-folder/copy.db")?.code == .unwritable)
        }
    }
}
