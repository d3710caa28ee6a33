import GRDBSQLite

extension Store {
    /// Of the library that this process runs with.
    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }
}
