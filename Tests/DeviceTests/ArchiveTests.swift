import CArchive
import Foundation
import Glibc
import TestSupport
import TestTraits
import Testing

@testable import Device

/// Bytes of archives, including some that libarchive would not write.
enum MadeArchive {
    struct Member {
        var name: String
        var content: [UInt8] = []
        /// The size in the header, if it differs from the content's.
        var size: Int?
        var type: Character = "0"
        var link = ""
    }

    /// https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html, ustar Interchange Format
    static func header(_ member: Member) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        func octal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(String(member.name.prefix(100)), at: 0)
        put("0000644", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(octal(member.size ?? member.content.count, 11), at: 124)
        put(octal(1_795_200_000, 11), at: 136)
        put("        ", at: 148)
        put(String(member.type), at: 156)
        put(String(member.link.prefix(100)), at: 157)
        put("ustar\u{0}00", at: 257)
        put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
        return block
    }

    static func tar(_ members: [Member], ends: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in members {
            bytes += header(member)
            bytes += member.content
            bytes += [UInt8](repeating: 0, count: (512 - member.content.count % 512) % 512)
        }
        return bytes + [UInt8](repeating: 0, count: ends ? 1024 : 0)
    }

    /// Compressed with libarchive's own filter.
    static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let archive = archive_write_new()
        defer { archive_write_free(archive) }
        var result = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 65_536)
        var used = 0
        archive_write_add_filter_gzip(archive)
        archive_write_set_format_raw(archive)
        let written = result.withUnsafeMutableBytes { buffer in
            archive_write_open_memory(archive, buffer.baseAddress, buffer.count, &used)
            let entry = archive_entry_new()
            defer { archive_entry_free(entry) }
            archive_entry_set_filetype(entry, S_IFREG)
            archive_write_header(archive, entry)
            let written = bytes.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            archive_write_close(archive)
            return written
        }
        try #require(Int(written) == bytes.count)
        return Array(result.prefix(used))
    }

    static let show = Member(
        name: "sysdiagnose_2026.11.20_10-09-00+0000_iPhone-OS_iPhone_23B85/swcutil_show.txt",
        content: Array(MadeDevice.report([MadeDevice.entry()]).utf8))

    static let other = Member(name: "sysdiagnose/system_logs.log", content: Array(repeating: 0x61, count: 100_000))
}

extension DeviceSuite {
    @Suite("Archives")
    struct ArchiveTests {
        /// Writes the bytes to a file and reads it.
        private func read(_ bytes: [UInt8]) throws -> ReportBytes {
            let path = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            try Data(bytes).write(to: URL(filePath: path))
            return try ReportBytes(path: path)
        }

        @Test("the report in an archive is found, compressed or not, wherever it is")
        func found() throws {
            let plain = MadeArchive.tar([MadeArchive.other, MadeArchive.show, MadeArchive.other])
            for bytes in [plain, try MadeArchive.gzip(plain)] {
                let read = try read(bytes)
                #expect(read.bytes == MadeArchive.show.content)
                #expect(read.member?.path == MadeArchive.show.name)
                #expect(read.member?.writtenAt == Date(timeIntervalSince1970: 1_795_200_000))
                guard case .report(let report) = try DeviceText(read) else { throw ReportFault("a log") }
                #expect(report.origin.device == "iPhone")
            }
        }

        @Test("rubbish after the report does not matter")
        func broken() throws {
            let bytes = try MadeArchive.gzip(MadeArchive.tar([MadeArchive.show, MadeArchive.other], ends: false))
            #expect(try read(bytes + Array("rubbish".utf8)).bytes == MadeArchive.show.content)
        }

        @Test("a text file is read unchanged")
        func text() throws {
            #expect(try read(MadeArchive.show.content).bytes == MadeArchive.show.content)
            #expect(try read(MadeArchive.show.content).member == nil)
        }

        static let hostile: [(name: String, bytes: @Sendable () throws -> [UInt8], words: String)] = [
            ("nothing", { [] }, "is empty"),
            (
                "no report in it", { try MadeArchive.gzip(MadeArchive.tar([MadeArchive.other])) },
                "has no swcutil_show.txt"
            ),
            (
                "a truncated gzip",
                { Array(try MadeArchive.gzip(MadeArchive.tar([MadeArchive.other, MadeArchive.show])).prefix(150)) },
                "truncated"
            ),
            ("gzip of a text", { try MadeArchive.gzip(Array("hello".utf8)) }, "cannot be read as a sysdiagnose"),
            ("a ZIP", { [0x50, 0x4B, 3, 4] + [UInt8](repeating: 1, count: 100) }, "ZIP"),
            (
                "binary rubbish", { (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) } },
                "binary data"
            ),
            (
                "a symbolic link",
                { MadeArchive.tar([.init(name: "a/swcutil_show.txt", type: "2", link: "/etc/passwd")]) },
                "only as a symbolic link"
            ),
            (
                "a hard link", { MadeArchive.tar([.init(name: "a/swcutil_show.txt", type: "1", link: "/etc/passwd")]) },
                "only as a hard link"
            ),
            ("a folder", { MadeArchive.tar([.init(name: "swcutil_show.txt/", type: "5")]) }, "has no swcutil_show.txt"),
            (
                "a report of 9 MiB",
                {
                    try MadeArchive.gzip(
                        MadeArchive.tar([
                            .init(name: "swcutil_show.txt", content: [UInt8](repeating: 0x61, count: 9 << 20))
                        ]))
                }, "larger than 8 MiB"
            ),
            (
                "a missing report of 8 GB",
                {
                    MadeArchive.tar([.init(name: "swcutil_show.txt", size: 8_589_934_591)])
                }, "truncated"
            ),
            (
                "an endless name",
                {
                    // FNAME of RFC 1952 without its terminating zero.
                    [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0x61, count: 4 << 20)
                }, "endless header"
            ),
            (
                "names of names",
                {
                    let name = MadeArchive.Member(
                        name: "././@LongLink", content: [UInt8](repeating: 0x61, count: 1000), type: "L")
                    let one = MadeArchive.tar([name], ends: false)
                    return try MadeArchive.gzip(Array(repeating: one, count: 10_000).flatMap(\.self))
                }, "cannot be read"
            ),
            (
                "a bomb",
                {
                    // A member of 8 GB of zeros, of which 320 MB are present.
                    let zeros = try MadeArchive.gzip([UInt8](repeating: 0, count: 64 << 20))
                    let head = try MadeArchive.gzip(MadeArchive.header(.init(name: "a", size: 8_589_934_591)))
                    return head + Array(repeating: zeros, count: 5).flatMap(\.self)
                }, "200 times its size"
            ),
            (
                "an endless sparse map",
                {
                    // GNU.sparse.major=1: the map is read before the content.
                    let record = "22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n27 GNU.sparse.realsize=512\n"
                    let map =
                        Array("20000000\n".utf8)
                        + Array(repeating: Array("0\n0\n".utf8), count: 1_000_000).flatMap(\.self)
                    return try MadeArchive.gzip(
                        MadeArchive.tar([
                            .init(name: "PaxHeaders/a", content: Array(record.utf8), type: "x"),
                            .init(name: "a", content: map),
                        ]))
                }, "endless header"
            ),
        ]

        @Test("a hostile archive gives a clear error", arguments: hostile.indices)
        func refused(index: Int) throws {
            let (name, bytes, words) = Self.hostile[index]
            let content = try bytes()
            do {
                _ = try read(content)
                Issue.record("\(name) was read")
            } catch {
                #expect("\(error)".lowercased().contains(words.lowercased()), "\(name): \(error)")
            }
        }

        @Test("a text of 100 MB is refused before reading")
        func large() throws {
            let path = FileManager.default.temporaryDirectory.appending(path: "device-\(UUID().uuidString)").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let line = Data((String(repeating: "x", count: 1023) + "\n").utf8)
            try line.write(to: URL(filePath: path))
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            try file.truncate(atOffset: 100 << 20)
            #expect { try ReportBytes(path: path) } throws: { "\($0)".contains("larger than 8 MiB") }
        }

        @Test("a file that cannot be opened gives the reason")
        func missing() {
            #expect { try ReportBytes(path: "/nowhere/at/all") } throws: { "\($0)".contains("no such file") }
            #expect { try ReportBytes(path: "/tmp") } throws: { "\($0)".contains("is a folder") }
        }
    }
}
