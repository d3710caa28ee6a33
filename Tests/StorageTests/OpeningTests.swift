import Evidence
import Foundation
import GRDB
import Testing

@testable import Monitoring
@testable import Storage

extension StorageSuite {
    @Suite("Opening")
    struct OpeningTests {
        let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        @Test("a new store is made, closed, and opened again with what it held")
        func reopens() async throws {
            let first = try Store(path: folder.store)
            try await first.commit(
                Evaluation(state: try state(), changes: [IncidentChange(try incident())]), of: try observation())
            try first.close()
            let second = try Store(path: folder.store)
            #expect(try await second.state(of: Domain("example.com")) == state())
            #expect(try await second.listed() == [incident()])
            #expect(try await second.states().map(\.domain.name) == ["example.com"])
            try second.close()
        }

        @Test("what root makes belongs to the owner of the folder", .enabled(if: geteuid() == 0))
        func owner() async throws {
            try #require(chown(folder.path, 12_345, 23_456) == 0)
            try #require(chmod(folder.path, 0o2770) == 0)
            let store = try Store(path: folder.store)
            try await store.commit(try incident())
            for suffix in ["", ".lock", "-wal", "-shm"] {
                let facts = try FileManager.default.attributesOfItem(atPath: folder.store + suffix)
                #expect(facts[.ownerAccountID] as? Int == 12_345, "\(suffix)")
                #expect(facts[.groupOwnerAccountID] as? Int == 23_456, "\(suffix)")
                #expect(facts[.posixPermissions] as? Int == 0o660, "\(suffix)")
            }
            try store.close()
        }

        @Test(
            "what is made is its user's alone, or the group's in a folder of the group",
            arguments: [
                (0o755, 0o600), (0o700, 0o600), (0o775, 0o600), (0o1777, 0o600), (0o2770, 0o660), (0o770, 0o660),
            ])
        func rights(_ mode: mode_t, _ expected: Int) async throws {
            try #require(chmod(folder.path, mode) == 0)
            let store = try Store(path: folder.store)
            try await store.commit(try incident())
            let copy = folder.path + "/copy.db"
            _ = try await store.backup(to: copy, replacing: false)
            for suffix in ["", ".lock", "-wal", "-shm"] {
                let facts = try FileManager.default.attributesOfItem(atPath: folder.store + suffix)
                // A mask that takes the right to write from the group takes all of it.
                let isMasked = expected == 0o660 && geteuid() != 0
                let rights = try #require(facts[.posixPermissions] as? Int)
                #expect(rights == expected || isMasked && rights == 0o600, "\(suffix)")
            }
            let facts = try FileManager.default.attributesOfItem(atPath: copy)
            #expect(facts[.posixPermissions] as? Int == 0o600)
            try store.close()
        }

        @Test("a link in the place of a store that is not there is not followed")
        func danglingStore() throws {
            let target = folder.path + "/victim"
            try FileManager.default.createSymbolicLink(atPath: folder.store, withDestinationPath: target)
            let error = #expect(throws: StoreError.self) { try Store(path: folder.store) }
            #expect(error?.code == .unwritable)
            #expect(!FileManager.default.fileExists(atPath: target))
        }

        @Test("a link in the place of the lock is not followed", arguments: [false, true])
        func plantedLink(_ isDangling: Bool) throws {
            let target = folder.path + "/victim"
            if !isDangling { try Data("kept".utf8).write(to: URL(filePath: target)) }
            try FileManager.default.createSymbolicLink(
                atPath: folder.store + ".lock", withDestinationPath: target)
            #expect(throws: StoreError.self) { try Store(path: folder.store) }
            #expect((try? Data(contentsOf: URL(filePath: target))) == (isDangling ? nil : Data("kept".utf8)))
        }

        @Test("what was committed is there after a handle that was dropped without a close")
        func survivesDrop() async throws {
            do {
                let store = try Store(path: folder.store)
                try await store.commit(try incident())
            }
            // The task of the commit may hold the handle, and so the lock, for a moment longer.
            while errorOfOpening(folder.store)?.code == .inUse {
                try await Task.sleep(for: .milliseconds(10))
            }
            let again = try Store(path: folder.store)
            #expect(try await again.listed().map(\.id) == ["a1"])
        }

        @Test("what was committed is there in a copy taken while the store is open, as after a kill")
        func survivesKill() async throws {
            let store = try Store(path: folder.store)
            try await store.commit(try incident())
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: folder.store + suffix, toPath: folder.path + "/copy.db" + suffix)
            }
            let copy = try Store(path: folder.path + "/copy.db")
            #expect(try await copy.listed().map(\.id) == ["a1"])
            try store.close()
        }

        @Test("a second monitor on the same store is refused, and let in after the first has closed")
        func locks() throws {
            let first = try Store(path: folder.store)
            let refusal = errorOfOpening(folder.store)
            #expect(refusal?.code == .inUse)
            #expect(refusal?.message.contains("in use by another aasa-monitor (process \(getpid()))") == true)
            try first.close()
            #expect(errorOfOpening(folder.store) == nil)
        }

        @Test("a link to a store is the same store")
        func linked() throws {
            let first = try Store(path: folder.store)
            let link = folder.path + "/link.db"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.store)
            #expect(errorOfOpening(link)?.code == .inUse)
            try first.close()
            #expect(errorOfOpening(link) == nil)
        }

        @Test("a reader reads while the writer runs, and cannot write")
        func readsBeside() async throws {
            let writer = try Store(path: folder.store)
            try await writer.commit(Evaluation(state: try state()))
            let reader = try Store(path: folder.store, access: .reader)
            #expect(try await reader.states().count == 1)
            let refusal = await #expect(throws: StoreError.self) {
                try await reader.commit(Evaluation(state: try state("b.example.com")))
            }
            #expect(refusal?.code == .unwritable)
            try reader.close()
            try writer.close()
        }

        @Test("a reader of a closed store reads it")
        func readsAlone() async throws {
            try Store(path: folder.store).close()
            let reader = try Store(path: folder.store, access: .reader)
            #expect(try await reader.states().isEmpty)
        }

        @Test("rows that name others are checked, and readers do not wait for the writer")
        func settings() async throws {
            let store = try Store(path: folder.store)
            #expect(try await store.write { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 1)
            #expect(try await store.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        }

        @Test("a file that is no database is refused in words and left alone")
        func garbage() throws {
            let bytes = Data("this is a diary, not a database; it is long enough to be read as a page\n".utf8)
            try bytes.write(to: URL(fileURLWithPath: folder.store))
            let refusal = errorOfOpening(folder.store)
            #expect(refusal?.code == .notADatabase)
            #expect(refusal?.message.contains(folder.store) == true)
            #expect(refusal?.message.contains("move the file aside") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.store)) == bytes)
        }

        @Test("a damaged store is recognized")
        func damaged() async throws {
            let store = try Store(path: folder.store)
            for index in 0..<200 {
                try await store.commit(Evaluation(state: try state("d\(index).example.com")))
            }
            try store.close()
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: folder.store))
            let size = try file.seekToEnd()
            for offset in stride(from: UInt64(4096), to: size, by: 4096) {
                try file.seek(toOffset: offset)
                try file.write(contentsOf: Data(repeating: 0x5A, count: 512))
            }
            try file.close()
            let refusal = errorOfOpening(folder.store)
            #expect(refusal?.code == .corrupt)
            #expect(refusal?.message.contains("sets it aside") == true)
        }

        @Test("a database of another program is refused untouched")
        func foreign() throws {
            let other = try DatabaseQueue(path: folder.store)
            try other.write { try $0.execute(sql: "CREATE TABLE bookmark (url TEXT)") }
            try other.close()
            let refusal = errorOfOpening(folder.store)
            #expect(refusal?.code == .notADatabase)
            #expect(refusal?.message.contains("another program") == true)
        }

        @Test(
            "a store of a newer version is refused in words and left alone", arguments: [Store.Access.monitor, .reader])
        func newer(access: Store.Access) throws {
            try Store(path: folder.store).close()
            try set(version: Schema.version + 1)
            let before = try Data(contentsOf: URL(fileURLWithPath: folder.store))
            let refusal = errorOfOpening(folder.store, access: access)
            #expect(refusal?.code == .newerSchema)
            #expect(
                refusal?.message.contains("newer version of aasa-monitor (store format 2)") == true,
                "\(refusal?.message ?? "")")
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.store)) == before)
        }

        private func set(version: Int) throws {
            let queue = try DatabaseQueue(path: folder.store)
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = \(version)") }
            try queue.close()
        }

        // MARK: - Older formats

        /// No format was left behind yet: a made-up step from 1 to 2.
        private static let step = Migration(version: 2) { try $0.execute(sql: "ALTER TABLE meta ADD COLUMN note TEXT") }

        @Test("missing steps are taken once, and one that fails leaves the store as it was")
        func migrates() async throws {
            struct Fault: Error {}
            try Store(path: folder.store).close()
            let queue = try DatabaseQueue(path: folder.store)
            let failing = [Self.step, Migration(version: 3) { _ in throw Fault() }]
            try await queue.writeWithoutTransaction { [path = folder.store] database in
                #expect(throws: Fault.self) { try Migration.migrate(database, path, through: failing) }
                #expect(try Schema.version(database) == 1)
                #expect(try !database.columns(in: "meta").contains { $0.name == "note" })
                for _ in 0..<2 { try Migration.migrate(database, path, through: [Self.step]) }
                #expect(try Schema.version(database) == 2)
                #expect(try database.columns(in: "meta").contains { $0.name == "note" })
            }
            try queue.close()
        }

        @Test("each format since the first has its step")
        func steps() { #expect(Migration.all.map(\.version) == Array(1..<Schema.version).map { $0 + 1 }) }

        @Test("a monitor that was killed before it made the tables leaves a file that the next one uses")
        func halfMade() async throws {
            let queue = try DatabaseQueue(path: folder.store)
            try await queue.writeWithoutTransaction {
                try $0.execute(sql: "PRAGMA application_id = \(Schema.applicationID)")
            }
            try queue.close()
            #expect(errorOfOpening(folder.store, access: .reader)?.code == .missing)
            let store = try Store(path: folder.store)
            #expect(try await store.states().isEmpty)
        }

        @Test(
            "a path that cannot hold a file is refused in words",
            arguments: ["/nonexistent-folder/x.db", "/dev/null/x.db", "/proc/x.db", "/"])
        func unwritable(path: String) {
            let refusal = errorOfOpening(path)
            #expect(refusal?.code == .unwritable)
            #expect(refusal?.message.hasPrefix(path) == true)
        }

        @Test("a reader of a store that does not exist is refused in words, and makes no file")
        func missing() {
            #expect(errorOfOpening(folder.store, access: .reader)?.code == .missing)
            #expect(!FileManager.default.fileExists(atPath: folder.store))
        }

        @Test("a full disk is reported as such, and the transaction leaves nothing behind")
        func full() async throws {
            let store = try Store(path: folder.store)
            _ = try await store.write { database in
                // The page limit simulates a full disk: SQLite answers SQLITE_FULL to both.
                let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
                return try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + 2)")
            }
            let big = try observation(body: String(repeating: "x", count: 100_000))
            let refusal = await #expect(throws: StoreError.self) {
                try await store.commit(
                    Evaluation(state: try state(), changes: [IncidentChange(try incident())]), of: big)
            }
            #expect(refusal?.code == .full)
            #expect(refusal?.message.contains("no space") == true)
            #expect(try await store.states().isEmpty)
            #expect(try await store.listed().isEmpty)
        }
    }
}
