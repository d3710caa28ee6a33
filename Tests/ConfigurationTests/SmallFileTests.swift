import Foundation
import TestSupport
import Testing

@testable import MonitorConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ConfigurationSuite {
    @Suite("Small files")
    struct SmallFileTests {
        private func pipe() throws -> String {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            try #require(mkfifo(path, 0o600) == 0)
            return path
        }

        @Test("a pipe that nobody writes to is refused")
        func noWriter() throws {
            let path = try pipe()
            defer { unlink(path) }
            let error = #expect(throws: ConfigurationFileUnreadable.self) {
                try SmallFile.bytes(at: path, limit: 100)
            }
            #expect(error?.description.contains("nobody writes to") == true, "\(String(describing: error))")
        }

        @Test("a pipe is read to its end, or to the limit", arguments: [5, 100])
        func writer(_ limit: Int) throws {
            let path = try pipe()
            defer { unlink(path) }
            // Both ends, so that the opening waits for nobody; what is written lies in the pipe.
            let file = open(path, O_RDWR)
            try #require(file >= 0)
            let text = Array("{\"a\": 1}".utf8)
            try #require(write(file, text, text.count) == text.count)
            let reading = open(path, O_RDONLY | O_NONBLOCK)
            defer { close(reading) }
            let ended = limit < text.count
            if !ended {
                // The last writer goes, and the reader sees the end.
                close(file)
            }
            let bytes = try SmallFile.bytes(at: path, limit: limit)
            #expect(bytes == Array(text.prefix(limit)))
            if ended { close(file) }
        }

        @Test("what is no regular file and has an end is read, a folder is not")
        func others() throws {
            #expect(try SmallFile.bytes(at: "/dev/null", limit: 10) == [])
            #expect(try SmallFile.bytes(at: "/dev/zero", limit: 10) == Array(repeating: 0, count: 10))
            #expect(throws: ConfigurationFileUnreadable.self) { try SmallFile.bytes(at: "/", limit: 10) }
        }
    }
}
