// How much of SQLite's log survives a power failure: what was flushed, and a random part of the rest.

import Foundation

/// The length of the log, according to its index.
/// https://www.sqlite.org/walformat.html#the_wal_index_header
struct LogMark: Equatable {
    /// Changes each time the log starts again.
    private let salt: UInt64
    let frames: Int
    /// Frames that are already in the database file: they were flushed before they were copied there.
    private let copied: Int
    private let pageSize: Int

    /// nil before the first write.
    init?(path: String) {
        guard let index = FileHandle(forReadingAtPath: path + "-shm"), let header = try? index.read(upToCount: 136),
            header.count >= 100
        else { return nil }
        func number<Value: FixedWidthInteger>(at offset: Int, _ type: Value.Type) -> Value {
            // In this machine's byte order.
            header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }
        salt = number(at: 32, UInt64.self)
        frames = Int(number(at: 16, UInt32.self))
        copied = Int(number(at: 96, UInt32.self))
        let size = Int(number(at: 14, UInt16.self))
        pageSize = size == 1 ? 65_536 : size
    }

    /// Whether anything was written since.
    func isBehind(_ later: LogMark) -> Bool { salt != later.salt || frames < later.frames }

    /// The minimum that survives if the log was last flushed at `mark`. If the log started again since, all of it was
    /// in the database file.
    func flushed(at mark: LogMark?) -> Int {
        guard let mark, mark.salt == salt else { return copied }
        return min(frames, max(mark.frames, copied))
    }

    /// The size of the log with so many frames.
    func bytes(ofFrames count: Int) -> UInt64 { UInt64(32 + count * (24 + pageSize)) }
}
