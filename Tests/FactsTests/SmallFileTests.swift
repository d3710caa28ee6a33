import Facts
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Small files")
struct SmallFileTests {
    private func pipe() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try #require(mkfifo(path, 0o600) == 0)
        return path
    }

    @Test("a pipe without a writer is refused")
    func noWriter() throws {
        let path = try pipe()
        defer { unlink(path) }
        let error = #expect(throws: UnreadableFile.self) {
            try SmallFile.bytes(at: path, limit: 100)
        }
        #expect(error?.description.contains("nobody writes to") == true, "\(String(describing: error))")
    }

    @Test("a pipe is read to its end, or to the limit", arguments: [5, 100])
    func writer(_ limit: Int) throws {
        let path = try pipe()
        defer { unlink(path) }
        // Opens both ends, so that opening does not block. The pipe keeps what is written.
        let file = open(path, O_RDWR)
        try #require(file >= 0)
        let text = Array("{\"a\": 1}".utf8)
        try #require(write(file, text, text.count) == text.count)
        let reading = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reading) }
        let ended = limit < text.count
        if !ended {
            // After the last writer closes, the reader sees the end.
            close(file)
        }
        let bytes = try SmallFile.bytes(at: path, limit: limit)
        #expect(bytes == Array(text.prefix(limit)))
        if ended { close(file) }
    }

    @Test("a device file is read up to the limit, and a folder is refused")
    func others() throws {
        #expect(try SmallFile.bytes(at: "/dev/null", limit: 10) == [])
        #expect(try SmallFile.bytes(at: "/dev/zero", limit: 10) == Array(repeating: 0, count: 10))
        #expect(throws: UnreadableFile.self) { try SmallFile.bytes(at: "/", limit: 10) }
    }
}
