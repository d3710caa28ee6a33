// The floor: SQLite with one row updated in a transaction, and nothing else.

import Foundation
import GRDB

struct PlainTransactions {
    private let queue: DatabaseQueue
    private let rows: Int

    /// `bytes`: size of a row.
    /// - Throws: what SQLite says.
    init(path: String, rows: Int, bytes: Int) throws {
        self.rows = rows
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE plain (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL)")
            for row in 0..<rows {
                try database.execute(
                    sql: "INSERT INTO plain VALUES (?, ?)",
                    arguments: [StoreBenchmark.name(row), Data(repeating: 1, count: bytes)])
            }
        }
    }

    /// Updates each row once.
    func run(bytes: Int, turn: Int) throws {
        let value = Data(repeating: UInt8(truncatingIfNeeded: turn), count: bytes)
        for row in 0..<rows {
            try queue.write { database in
                try database.cachedStatement(sql: "UPDATE plain SET value = ? WHERE name = ?")
                    .execute(arguments: [value, StoreBenchmark.name(row)])
            }
        }
    }

    func close() throws { try queue.close() }
}
