import Evidence
import Foundation
import Testing

@testable import Storage

extension StorageSuite {
    @Suite("A file that is overwritten in place")
    struct ReservedFileTests {
        let folder: ScratchFolder

        init() throws { folder = try ScratchFolder() }

        private var path: String { folder.path + "/note" }
        private var size: Int? { (try? Data(contentsOf: URL(filePath: path)))?.count }

        @Test("another process reads what was held last, and nothing once that is taken back")
        func holds() async throws {
            let file = ReservedFile(path: path)
            #expect(await file.held() == nil && size == nil)
            #expect(await file.reserve() == nil)
            #expect(await file.held() == nil)
            for word in ["one", "two", "three"] {
                #expect(await file.hold(Data(word.utf8)))
                #expect(await ReservedFile(path: path).held() == Data(word.utf8))
            }
            #expect(await file.reserve() == nil)
            #expect(await file.held() == Data("three".utf8))
            #expect(await file.hold(Data()))
            #expect(await ReservedFile(path: path).held() == nil)
        }

        @Test("once its place is taken it never grows, and what does not fit is refused")
        func bounded() async throws {
            let file = ReservedFile(path: path)
            await file.reserve()
            let taken = try #require(size)
            #expect(await file.hold(Data(repeating: 1, count: ReservedFile.capacity - 200)))
            #expect(await !file.hold(Data(repeating: 2, count: ReservedFile.capacity)))
            #expect(await file.held()?.first == 1)
            #expect(size == taken)
        }

        @Test("a write that was cut off leaves what was held before it", arguments: [0, 70, 90, 5000])
        func torn(cut: Int) async throws {
            let file = ReservedFile(path: path)
            let long = Data(repeating: 7, count: 9000)
            await file.reserve()
            await file.hold(long)
            let before = try Data(contentsOf: URL(filePath: path))
            await file.hold(Data(repeating: 8, count: 9000))
            let after = try Data(contentsOf: URL(filePath: path))
            // The second lies in the other slot, of which only the first bytes were written.
            let changed = try #require(zip(before, after).enumerated().first { $1.0 != $1.1 }?.offset)
            let start = changed / ReservedFile.capacity * ReservedFile.capacity
            try (after.prefix(start + cut) + before.dropFirst(start + cut)).write(to: URL(filePath: path))
            #expect(await ReservedFile(path: path).held() == long)
        }

        @Test("where it cannot be made, nothing is held and nothing is harmed")
        func impossible() async throws {
            let file = ReservedFile(path: folder.path + "/no/such/folder")
            #expect(await file.reserve() == "No such file or directory")
            #expect(await !file.hold(Data("x".utf8)))
            #expect(await file.held() == nil)
        }

        @Test("a number that nothing can come after is not believed, and the next document is kept")
        func lastNumber() async throws {
            let file = ReservedFile(path: path)
            await file.reserve()
            let bytes = Data("x".utf8)
            let hash = ContentHash(of: Data("\(UInt64.max)\n".utf8) + bytes).hex
            var slot = Data("\(hash) \(UInt64.max) 1\n".utf8) + bytes
            slot.append(Data(count: ReservedFile.capacity - slot.count))
            try (slot + slot).write(to: URL(filePath: path))
            #expect(await file.held() == nil)
            #expect(await file.hold(Data("y".utf8)))
            #expect(await file.held() == Data("y".utf8))
        }

        @Test("what can only be read is recalled", .enabled(if: geteuid() != 0))
        func readOnly() async throws {
            let file = ReservedFile(path: path)
            await file.hold(Data("x".utf8))
            chmod(path, 0o400)
            #expect(await file.held() == Data("x".utf8))
            #expect(await !file.hold(Data("y".utf8)))
        }

        @Test("what is in its way is told in the system's words, and reading what is no file of ours ends")
        func inTheWay() async throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(await ReservedFile(path: path).reserve() == "Is a directory")
            #expect(mkfifo(path + "-pipe", 0o600) == 0)
            #expect(await ReservedFile(path: path + "-pipe").held() == nil)
        }
    }
}
