// Reads one member of a .tar.gz as a stream, with libarchive. Writes nothing to disk. Limits of steps, bytes and memory
// end the reading of any archive.

internal import CArchive
import Foundation
import Glibc

/// A reader of one archive.
final class ArchiveMember {
    private let source: ByteSource
    private let archive: OpaquePointer
    /// Bytes that the source gave.
    private var compressed = 0
    /// Both counts at the beginning of the present step.
    private var step = (compressed: 0, unpacked: 0)
    private var isOverStep = false

    /// A sysdiagnose has up to about 1 GB, and unpacks to about ten times as much.
    private static let maximumUnpacked = 16 << 30
    /// Text and logs shrink to a tenth. DEFLATE alone can shrink a thousandfold.
    private static let maximumRatio = 200
    /// This much may be unpacked at any ratio.
    private static let freeUnpacked = 256 << 20
    /// A sysdiagnose has about ten thousand.
    private static let maximumMembers = 1_000_000
    /// A step reads the headers of one member, or a piece of its content. libarchive keeps in memory what a step reads.
    private static let maximumStep = 2 << 20
    /// Small enough that a piece unpacks to 2 MiB at most.
    private static let piece = 2 << 10

    /// The content of the first regular file of that name, in any folder.
    /// - Throws: `ReportFault`.
    static func read(_ name: String, from source: ByteSource) throws(ReportFault) -> ReportBytes {
        guard let reader = ArchiveMember(source) else { throw ReportFault("not enough memory to read an archive") }
        return try reader.find(name)
    }

    private init?(_ source: ByteSource) {
        guard let archive = archive_read_new() else { return nil }
        self.source = source
        self.archive = archive
        archive_read_support_filter_gzip(archive)
        archive_read_support_format_tar(archive)
    }

    deinit { archive_read_free(archive) }

    private func find(_ name: String) throws(ReportFault) -> ReportBytes {
        let opened = archive_read_open(
            archive, Unmanaged.passUnretained(self).toOpaque(), nil,
            { _, context, bytes in
                guard let context else { return -1 }
                return Unmanaged<ArchiveMember>.fromOpaque(context).takeUnretainedValue().give(bytes)
            }, nil)
        guard opened == ARCHIVE_OK else { throw fault() }
        var link: String?
        for _ in 0..<Self.maximumMembers {
            beginStep()
            var entry: OpaquePointer?
            switch archive_read_next_header(archive, &entry) {
            // A warning: something in the header that is not needed here, such as a name in another encoding.
            case ARCHIVE_OK, ARCHIVE_WARN: break
            case ARCHIVE_EOF:
                if let link { throw ReportFault("\(source.name) has \(name) only as a \(link), which is not followed") }
                throw ReportFault("\(source.name) has no \(name); is it a sysdiagnose?")
            default: throw fault()
            }
            let path = Self.path(of: entry)
            let isWanted = path.split(separator: "/").last.map { $0 == name } ?? false
            if isWanted, archive_entry_hardlink(entry) != nil || archive_entry_filetype(entry) == S_IFLNK {
                link = link ?? (archive_entry_hardlink(entry) != nil ? "hard link" : "symbolic link")
            } else if isWanted, archive_entry_filetype(entry) == S_IFREG {
                let seconds = archive_entry_mtime_is_set(entry) != 0 ? archive_entry_mtime(entry) : 0
                let bytes = try content(named: name, size: Int(archive_entry_size(entry)))
                return ReportBytes(
                    bytes,
                    member: .init(
                        path: path, writtenAt: seconds > 0 ? Date(timeIntervalSince1970: Double(seconds)) : nil))
            }
            try skip()
        }
        throw ReportFault("\(source.name) has more than a million members; it is not a sysdiagnose")
    }

    private static func path(of entry: OpaquePointer?) -> String {
        (archive_entry_pathname(entry) ?? archive_entry_pathname_utf8(entry)).map { String(cString: $0) } ?? ""
    }

    /// Bytes for libarchive.
    private func give(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?) -> la_ssize_t {
        let unpacked = Int(archive_filter_bytes(archive, 0))
        if compressed - step.compressed > Self.maximumStep || unpacked - step.unpacked > Self.maximumStep {
            isOverStep = true
            return -1
        }
        guard let piece = source.next(Self.piece) else { return -1 }
        compressed += piece.count
        bytes?.pointee = piece.baseAddress
        return la_ssize_t(piece.count)
    }

    private func beginStep() { step = (compressed, Int(archive_filter_bytes(archive, 0))) }

    /// The next piece of the member's content; nil at its end.
    private func block() throws(ReportFault) -> (UnsafeRawBufferPointer, offset: Int)? {
        beginStep()
        guard step.unpacked <= Self.maximumUnpacked else {
            throw ReportFault(
                "\(source.name) unpacks to more than \(Self.maximumUnpacked >> 30) GiB; it is not a sysdiagnose")
        }
        guard step.unpacked <= Self.freeUnpacked + Self.maximumRatio * compressed else {
            throw ReportFault(
                "\(source.name) unpacks to more than \(Self.maximumRatio) times its size; it is not a sysdiagnose")
        }
        var start: UnsafeRawPointer?
        var (size, offset) = (0, la_int64_t(0))
        switch archive_read_data_block(archive, &start, &size, &offset) {
        case ARCHIVE_OK, ARCHIVE_WARN: return (UnsafeRawBufferPointer(start: start, count: size), Int(offset))
        case ARCHIVE_EOF: return nil
        default: throw fault()
        }
    }

    private func skip() throws(ReportFault) { while try block() != nil {} }

    /// `size`: what the header says, which may be wrong.
    private func content(named name: String, size: Int) throws(ReportFault) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(max(0, size), ReportBytes.limit))
        while let (piece, offset) = try block() {
            // The end of a file with holes has no bytes.
            guard piece.isEmpty || offset == bytes.count else {
                throw ReportFault("\(name) in \(source.name) is a sparse file; it is not a report")
            }
            guard bytes.count + piece.count <= ReportBytes.limit else {
                throw ReportFault(
                    "\(name) in \(source.name) is larger than \(ReportBytes.limit >> 20) MiB; a report has one to two"
                )
            }
            bytes += piece
        }
        return bytes
    }

    private func fault() -> ReportFault {
        if let fault = source.fault { return fault }
        if isOverStep { return ReportFault("\(source.name) has an endless header; it is not a sysdiagnose") }
        let words = archive_error_string(archive).map { String(cString: $0) } ?? "unknown"
        return ReportFault(
            "\(source.name) cannot be read as a sysdiagnose (.tar.gz): \(words); if it was copied, copy it again")
    }
}
