// Counts the SQL statements of all connections of this process, by SQLite's own trace: the store needs no code for it.

import GRDBSQLite
import Synchronization

enum StatementCounter {
    private static let all = Atomic<Int>(0)
    private static let writing = Atomic<Int>(0)

    static var counts: (all: Int, writing: Int) {
        (all.load(ordering: .relaxed), writing.load(ordering: .relaxed))
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
    }
}
