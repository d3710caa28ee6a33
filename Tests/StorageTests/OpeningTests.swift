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

        @Test("a new store is created, closed, and reopened with its content")
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

        @Test("files that root creates belong to the owner of the directory", .enabled(if: geteuid() == 0))
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
            "new files belong to their user only, or to the group in a group directory",
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
                // A umask that removes the group's write permission removes all its permissions.
                let isMasked = expected == 0o660 && geteuid() != 0
                let rights = try #require(facts[.posixPermissions] as? Int)
                #expect(rights == expected || isMasked && rights == 0o600, "\(suffix)")
            }
            let facts = try FileManager.default.attributesOfItem(atPath: copy)
            #expect(facts[.posixPermissions] as? Int == 0o600)
            try store.close()
        }

        @Test(
            "a symlink in place of the lock or of a missing store is not followed",
            arguments: [("", false), (".lock", false), (".lock", true)])
        func plantedLink(suffix: String, hasTarget: Bool) throws {
            let target = folder.path + "/victim"
            if hasTarget { try Data("kept".utf8).write(to: URL(filePath: target)) }
            try FileManager.default.createSymbolicLink(atPath: folder.store + suffix, withDestinationPath: target)
            #expect(errorOfOpening(folder.store)?.code == .unwritable)
            #expect((try? Data(contentsOf: URL(filePath: target))) == (hasTarget ? Data("kept".utf8) : nil))
        }

        @Test("a copy taken while the store is open, as after a kill, has everything committed")
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

        @Test("a store whose first page was not committed before a kill is created again")
        func killedAtBirth() async throws {
            let database = try DatabaseQueue(path: folder.store)
            try await database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA application_id = 1") }
            try database.close()
            // The header of a hot journal without a page, for a file that was empty before: the rollback empties the
            // file. https://www.sqlite.org/fileformat.html#the_rollback_journal
            var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
            for word: UInt32 in [0, 1, 0, 512, 4096] { withUnsafeBytes(of: word.bigEndian) { journal += $0 } }
            journal += Data(count: 512 - journal.count)
            try journal.write(to: URL(filePath: folder.store + "-journal"))
            let store = try Store(path: folder.store)
            try await store.commit(try incident())
            #expect(try await store.listed().map(\.id) == ["a1"])
            try store.close()
        }

        @Test("a command that reads the file during its creation does not stop the monitor")
        func lookedAtInBirth() async throws {
            let path = folder.store
            try Data().write(to: URL(filePath: path))
            var configuration = Configuration()
            configuration.readonly = true
            configuration.allowsUnsafeTransactions = true
            let command = try DatabaseQueue(path: path, configuration: configuration)
            try await command.unsafeRead { try $0.execute(sql: "BEGIN; SELECT count(*) FROM sqlite_master") }
            // Opening blocks a thread, which must not be one of those that run this test.
            async let store = withCheckedThrowingContinuation { opened in
                DispatchQueue.global().async {
                    opened.resume(with: Result { try Store(path: path, lockTimeout: .seconds(60)) })
                }
            }
            // The first page waits in the journal while somebody reads.
            while !FileManager.default.fileExists(atPath: path + "-journal") { await Task.yield() }
            try await command.unsafeRead { try $0.execute(sql: "COMMIT") }
            try command.close()
            try await store.close()
        }

        @Test("a second monitor on the same store, or on a link to it, is refused until the first has closed")
        func locks() throws {
            let first = try Store(path: folder.store)
            let link = folder.path + "/link.db"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.store)
            for path in [folder.store, link] {
                let refusal = errorOfOpening(path)
                #expect(refusal?.code == .inUse)
                #expect(refusal?.message.contains("in use by another aasa-monitor (process \(getpid()))") == true)
            }
            try first.close()
            #expect(errorOfOpening(link) == nil)
        }

        @Test("a reader reads while the writer runs, but cannot write")
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

        /// The file in place of a store, the error code, and words of the message.
        private static let refusals: [(String, StoreError.Code, String)] = [
            ("a diary", .notADatabase, "move the file aside"), ("bookmarks", .notADatabase, "another program"),
            ("newer", .newer, "newer version of aasa-monitor (store format 2)"),
        ]

        @Test(
            "a foreign file, or one of a newer version, is refused with a reason and left unchanged",
            arguments: refusals)
        func foreign(what: String, code: StoreError.Code, words: String) throws {
            if what == "a diary" {
                try Data(String(repeating: "\(what)\n", count: 99).utf8).write(to: URL(filePath: folder.store))
            } else {
                if what == "newer" { try Store(path: folder.store).close() }
                let other = try DatabaseQueue(path: folder.store)
                try other.writeWithoutTransaction {
                    try $0.execute(sql: "CREATE TABLE bookmark (url TEXT); PRAGMA user_version = 2")
                }
                try other.close()
            }
            let before = try Data(contentsOf: URL(filePath: folder.store))
            for access in [Store.Access.monitor, .beside, .reader] {
                let refusal = #expect(throws: StoreError.self) {
                    try Store(path: folder.store, access: access, onDamage: { _ in })
                }
                #expect(refusal?.code == code)
                #expect(
                    refusal?.message.contains(words) == true && refusal?.message.contains(folder.store) == true,
                    "\(refusal?.message ?? "")")
            }
            #expect(try Data(contentsOf: URL(filePath: folder.store)) == before)
        }

        /// There is no older format yet, so this is an invented step from 1 to 2.
        private static let step: Migration = { try $0.execute(sql: "ALTER TABLE meta ADD COLUMN note TEXT") }

        /// Opens the store like a version with these steps.
        /// - Returns: the format and the columns of `meta`.
        private func open(_ access: Store.Access = .monitor, with steps: [Migration]) throws -> String {
            let pool = try StoreOpening.open(folder.store, access, .zero, steps: steps)
            defer { try? pool.close() }
            return try pool.read { database in
                let columns = try database.columns(in: "meta").map(\.name)
                return "\(try Schema.version(database)): \(columns.joined(separator: " "))"
            }
        }

        @Test("a monitor runs the missing steps once, and a failing step leaves the store unchanged")
        func migrates() throws {
            struct Fault: Error {}
            try Store(path: folder.store).close()
            #expect(throws: Fault.self) { try open(with: [Self.step, { _ in throw Fault() }]) }
            #expect(try open(.reader, with: []) == "1: name value")
            let orphan: Migration = { try $0.execute(sql: "INSERT INTO domain_key VALUES ('key', 'nobody')") }
            let refusal = #expect(throws: StoreError.self) { try open(with: [Self.step, orphan]) }
            #expect(refusal?.message.contains("from store format 1 to 3") == true)
            #expect(try open(.reader, with: []) == "1: name value")
            for _ in 0..<2 { #expect(try open(with: [Self.step]) == "2: name value note") }
        }

        @Test(
            "a command on an older store says who migrates it, and leaves it unchanged",
            arguments: [Store.Access.beside, .reader])
        func older(access: Store.Access) throws {
            try Store(path: folder.store).close()
            let before = try Data(contentsOf: URL(filePath: folder.store))
            let refusal = #expect(throws: StoreError.self) { try open(access, with: [Self.step]) }
            #expect(refusal?.code == .older)
            #expect(refusal?.message.contains("(store format 1). This version uses store format 2: start") == true)
            #expect(try Data(contentsOf: URL(filePath: folder.store)) == before)
        }

        @Test(
            "a store of a development version with missing tables, columns or indexes is refused with a reason and left unchanged",
            arguments: [
                ("DROP TABLE used_link", "used_link.ends_at"),
                ("ALTER TABLE incident DROP COLUMN ending", "incident.ending"),
                ("DROP INDEX silence_by_end", "silence_by_end"),
            ])
        func development(change: String, gap: String) throws {
            try Store(path: folder.store).close()
            let other = try DatabaseQueue(path: folder.store)
            try other.writeWithoutTransaction { try $0.execute(sql: change) }
            try other.close()
            let before = try Data(contentsOf: URL(filePath: folder.store))
            for access in [Store.Access.monitor, .beside, .reader] {
                let refusal = errorOfOpening(folder.store, access: access)
                #expect(refusal?.code == .older)
                #expect(refusal?.message.contains("(it lacks \(gap)); move the file aside") == true)
            }
            #expect(try Data(contentsOf: URL(filePath: folder.store)) == before)
        }

        @Test("a monitor killed before it created the tables leaves a file that the next one can use")
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
            "a path that cannot hold a file is refused with a reason",
            arguments: ["/nonexistent-folder/x.db", "/dev/null/x.db", "/proc/x.db", "/"])
        func unwritable(path: String) {
            let refusal = errorOfOpening(path)
            #expect(refusal?.code == .unwritable)
            #expect(refusal?.message.hasPrefix(path) == true)
        }

        @Test("a command on a missing store is refused with a reason, and creates no file")
        func missing() {
            for access in [Store.Access.reader, .beside] {
                #expect(errorOfOpening(folder.store, access: access)?.code == .missing)
            }
            #expect(!FileManager.default.fileExists(atPath: folder.store))
        }
    }
}
