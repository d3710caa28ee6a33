// The bytes of a device's report: a text as it is, or the member of a sysdiagnose that contains it.

import Foundation
import Glibc

/// Why a file is not a report, for the user who passed the file.
package struct ReportFault: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A report as it was read, not parsed.
package struct ReportBytes: Sendable {
    package let bytes: [UInt8]
    /// The member of the archive; nil for a file that is the report itself.
    package var member: Member?

    package struct Member: Equatable, Sendable {
        /// With its folders.
        package let path: String
        /// When the device wrote it; nil if the archive does not say.
        package let writtenAt: Date?
    }

    /// `swcutil_show.txt` has one to two MB.
    package static let limit = 8 << 20
    package static let memberName = "swcutil_show.txt"

    package init(_ bytes: [UInt8], member: Member? = nil) {
        self.bytes = bytes
        self.member = member
    }

    /// `path`: `-` for standard input.
    /// - Throws: `ReportFault`.
    package init(path: String) throws(ReportFault) {
        let source = try ByteSource(path: path)
        let head = try source.head()
        switch Self.kind(head) {
        case .archive: self = try ArchiveMember.read(Self.memberName, from: source)
        case .other(let what): throw ReportFault("\(source.name) is \(what)")
        case .text: self.init(try source.all(upTo: Self.limit))
        }
    }

    private enum Kind {
        case text, archive
        case other(String)
    }

    private static func kind(_ head: [UInt8]) -> Kind {
        if head.isEmpty { return .other("empty") }
        if head.starts(with: [0x1F, 0x8B]) { return .archive }
        // https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html, ustar Interchange Format
        if head.count > 262, head[257..<262].elementsEqual("ustar".utf8) { return .archive }
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            return .other("a ZIP archive; unpack it, and pass the sysdiagnose_*.tar.gz or swcutil_show.txt in it")
        }
        return head.contains(0) ? .other("binary data, not text or a sysdiagnose (.tar.gz)") : .text
    }
}

/// A file or standard input, read in pieces.
final class ByteSource {
    let name: String
    private let descriptor: Int32
    private let isOwned: Bool
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    /// The part of the buffer that nobody has read yet.
    private var unread = 0..<0
    /// The error that ended reading.
    private(set) var fault: ReportFault?

    init(path: String) throws(ReportFault) {
        name = path == "-" ? "standard input" : "'\(path)'"
        isOwned = path != "-"
        guard isOwned else {
            descriptor = STDIN_FILENO
            return
        }
        // Without O_NONBLOCK, opening a pipe waits for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Self.unreadable(name) }
        descriptor = file
        var facts = stat()
        guard fstat(file, &facts) == 0 else { throw Self.unreadable(name) }
        if facts.st_mode & S_IFMT == S_IFDIR {
            throw ReportFault("\(name) is a folder; pass the sysdiagnose_*.tar.gz, or swcutil_show.txt in the folder")
        }
        _ = fcntl(file, F_SETFL, O_RDONLY)
    }

    deinit {
        if isOwned { close(descriptor) }
        buffer.deallocate()
    }

    private static func unreadable(_ name: String) -> ReportFault {
        ReportFault("\(name) cannot be read: \(String(cString: strerror(errno)).lowercased())")
    }

    /// The first bytes. `next` returns them again.
    func head() throws(ReportFault) -> [UInt8] {
        while unread.count < 512 {
            let count = fill(from: unread.upperBound)
            if count < 0, let fault { throw fault }
            if count <= 0 { break }
            unread = unread.lowerBound..<unread.upperBound + count
        }
        return Array(buffer[unread].prefix(512))
    }

    /// At most `count` bytes, valid until the next call; empty at the end; nil if reading fails.
    func next(_ count: Int) -> UnsafeRawBufferPointer? {
        if unread.isEmpty {
            let count = fill(from: 0)
            if count < 0 { return nil }
            unread = 0..<count
        }
        let piece = unread.prefix(count)
        unread = piece.upperBound..<unread.upperBound
        return UnsafeRawBufferPointer(rebasing: buffer[piece])
    }

    private func fill(from start: Int) -> Int {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
            if count >= 0 { return count }
            if errno == EINTR { continue }
            fault = Self.unreadable(name)
            return count
        }
    }

    func all(upTo limit: Int) throws(ReportFault) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            guard let piece = next(buffer.count) else { throw fault ?? Self.unreadable(name) }
            if piece.isEmpty { return bytes }
            guard bytes.count + piece.count <= limit else {
                throw ReportFault(
                    "\(name) is larger than \(limit >> 20) MiB; swcutil_show.txt has one to two; of a log, pass only "
                        + "the lines of swcd: log show --predicate 'process == \"swcd\"'")
            }
            bytes += piece
        }
    }
}
