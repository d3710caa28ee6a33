// Counts the SQL statements of all connections of this process, by SQLite's own trace: the store needs no code for it.
// With AASA_BENCH_SQL in the environment it also counts each text, for `common`.

import Foundation
import GRDBSQLite
import Synchronization

enum StatementCounter {
    private static let all = Atomic<Int>(0)
    private static let writing = Atomic<Int>(0)
    private static let isDetailed = ProcessInfo.processInfo.environment["AASA_BENCH_SQL"] != nil
    private static let texts = Mutex<[String: Int]>([:])

    static var counts: (all: Int, writing: Int) {
        (all.load(ordering: .relaxed), writing.load(ordering: .relaxed))
    }

    /// The statements that ran most often since the last call, with their numbers.
    static func common(_ count: Int) -> [(text: String, count: Int)] {
        let seen = texts.withLock { texts in
            defer { texts = [:] }
            return texts
        }
        return seen.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(count).map { ($0.key, $0.value) }
    }

    /// Holds for connections that are opened from now on.
    static func install() {
        typealias Entry =
            @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) ->
            Int32
        let entry: Entry = { database, _, _ in
            sqlite3_trace_v2(
                database, UInt32(SQLITE_TRACE_STMT),
                { _, _, statement, _ in
                    StatementCounter.count(OpaquePointer(statement))
                    return 0
                }, nil)
        }
        // SQLite declares all entries without arguments, and calls them with three.
        _ = sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
    }

    private static func count(_ statement: OpaquePointer?) {
        all.add(1, ordering: .relaxed)
        if sqlite3_stmt_readonly(statement) == 0 { writing.add(1, ordering: .relaxed) }
        guard isDetailed, let text = sqlite3_sql(statement) else { return }
        let words = String(cString: text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        texts.withLock { $0[words, default: 0] += 1 }
    }
}
