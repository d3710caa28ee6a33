// What a stretch of work cost this process: time, CPU, bytes, SQL statements.

import Foundation

struct StoreCost {
    var wall: Duration
    var cpu: Duration
    /// Passed to `write` and its relatives.
    var written: Int
    /// Pages that the kernel had to send to the disk.
    var toDisk: Int
    /// How much the database and its log grew.
    var growth: Int
    var statements: Int
    /// Of the statements, those that change rows.
    var writing: Int
}

/// Counts from its making.
struct StoreMeter {
    private let path: String
    private let began = ContinuousClock.now
    private let cpu = Usage.ofSelf.cpu
    private let bytes: (written: Int, toDisk: Int)
    private let size: Int
    private let statements = StatementCounter.counts

    /// - Parameter path: of the database.
    /// - Throws: `BenchFault` where the kernel does not count bytes.
    init(path: String) throws {
        self.path = path
        bytes = try Self.bytesOfSelf()
        size = Self.size(path)
    }

    func cost() throws -> StoreCost {
        let now = try Self.bytesOfSelf()
        let counts = StatementCounter.counts
        return StoreCost(
            wall: ContinuousClock.now - began, cpu: Usage.ofSelf.cpu - cpu, written: now.written - bytes.written,
            toDisk: now.toDisk - bytes.toDisk, growth: Self.size(path) - size,
            statements: counts.all - statements.all, writing: counts.writing - statements.writing)
    }

    private static func size(_ path: String) -> Int {
        [path, path + "-wal"].reduce(0) { sum, path in
            sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
        }
    }

    /// https://man7.org/linux/man-pages/man5/proc_pid_io.5.html
    private static func bytesOfSelf() throws -> (written: Int, toDisk: Int) {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let pairs = text.split(separator: "\n").compactMap { line -> (String, Int)? in
            let parts = line.split(separator: ": ")
            return parts.count == 2 ? Int(parts[1]).map { (String(parts[0]), $0) } : nil
        }
        let values = Dictionary(pairs) { first, _ in first }
        guard let written = values["wchar"], let toDisk = values["write_bytes"] else {
            throw BenchFault("the kernel does not count bytes: /proc/self/io cannot be read")
        }
        return (written, toDisk)
    }
}
