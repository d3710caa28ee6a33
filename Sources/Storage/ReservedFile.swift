// A small file beside the store whose place on the disk is taken while there is room: what it holds is overwritten in
// place, and so can be kept while the disk is full and the database damaged or locked.

import Dispatch
import Evidence
import Foundation
import Glibc

/// Holds one document. Two slots are written in turn, each with a number and a hash: a process that is killed in the middle
/// of a write leaves the former document readable.
///
/// A file system that never overwrites in place (btrfs, ZFS) may refuse on a full disk all the same.
package final class ReservedFile: Sendable {
    /// Of one document, in bytes, with the line before it.
    package static let capacity = 32 << 10

    private struct Slot {
        let number: UInt64
        let bytes: Data
    }

    private let path: String
    private let queue = DispatchQueue(label: "aasa-monitor.reserved")

    /// Nothing is made yet.
    package init(path: String) { self.path = path }

    /// Takes the place on the disk, if that is not done; what is held stays.
    /// Returns what kept it from that, in the system's words; nil where the place is taken.
    @discardableResult
    package func reserve() async -> String? {
        await onQueue(.writing) { file in
            guard Self.size(file) < 2 * Self.capacity else { return nil }
            return Self.put(Self.slot(0, Data()) + Self.slot(1, Data()), at: 0, file) ? nil : Self.reason(errno)
        } refused: {
            Self.reason($0)
        }
    }

    /// Puts a document in the place of the former; an empty one stands for none.
    /// Returns whether it is on the disk. Where it is not, the former one stays.
    @discardableResult
    package func hold(_ bytes: Data) async -> Bool {
        await onQueue(.writing) { file in
            let number = (Self.newest(file)?.number ?? 0) + 1
            let slot = Self.slot(number, bytes)
            guard slot.count == Self.capacity, number < .max else { return false }
            return Self.put(slot, at: Int(number % 2) * Self.capacity, file)
        } refused: { _ in
            false
        }
    }

    /// What was held last, by this process or an earlier one; nil for nothing, or nothing that can be read. A file that this
    /// process may not write, as on a disk that has become read-only, is read all the same.
    package func held() async -> Data? {
        let bytes = await onQueue(.reading) {
            Self.newest($0)?.bytes
        } refused: { _ in
            nil
        }
        return bytes.flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: - On the queue

    private enum Purpose {
        case reading
        case writing

        /// Reading makes nothing, and never waits: opening a pipe would, that somebody put there.
        var flags: Int32 { O_NONBLOCK | (self == .reading ? O_RDONLY : O_RDWR | O_CREAT) }
    }

    /// A slow disk must hold up nobody who computes.
    /// `refused`: in place of the work where the file cannot be opened or made; takes the number of the error.
    private func onQueue<Value: Sendable>(
        _ purpose: Purpose, _ work: @escaping @Sendable (Int32) -> Value,
        refused: @escaping @Sendable (Int32) -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { [path] in
                let file = open(path, purpose.flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
                guard file >= 0 else { return continuation.resume(returning: refused(errno)) }
                let value = work(file)
                close(file)
                continuation.resume(returning: value)
            }
        }
    }

    private static func reason(_ error: Int32) -> String { String(cString: strerror(error)) }

    private static func size(_ file: Int32) -> Int {
        var status = stat()
        return fstat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// As it lies on the disk, filled up to its full size: each write needs the same place.
    private static func slot(_ number: UInt64, _ bytes: Data) -> Data {
        var slot = Data("\(hash(number, bytes)) \(number) \(bytes.count)\n".utf8) + bytes
        slot.append(Data(count: max(0, capacity - slot.count)))
        return slot
    }

    private static func hash(_ number: UInt64, _ bytes: Data) -> String {
        ContentHash(of: Data("\(number)\n".utf8) + bytes).hex
    }

    private static func newest(_ file: Int32) -> Slot? {
        (0..<2).compactMap { read(at: $0 * capacity, file) }.max { $0.number < $1.number }
    }

    private static func read(at offset: Int, _ file: Int32) -> Slot? {
        var buffer = [UInt8](repeating: 0, count: capacity)
        let count = pread(file, &buffer, capacity, off_t(offset))
        guard count == capacity, let end = buffer.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let head = String(decoding: buffer[..<end], as: UTF8.self).split(separator: " ")
        // Nothing comes after the largest number; none was ever written here.
        guard head.count == 3, let number = UInt64(head[1]), number < .max, let length = Int(head[2]),
            (0...(capacity - end - 1)).contains(length)
        else { return nil }
        let bytes = Data(buffer[(end + 1)..<(end + 1 + length)])
        return hash(number, bytes) == head[0] ? Slot(number: number, bytes: bytes) : nil
    }

    private static func put(_ bytes: Data, at offset: Int, _ file: Int32) -> Bool {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { all in
                pwrite(file, all.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            done += written
        }
        return fsync(file) == 0
    }
}
