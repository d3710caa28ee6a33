// Statements that are compiled once for each connection and not at each call: compiling costs more than most of these
// queries take to run.
//
// For constant text only. A connection keeps each text for as long as it lives, so one that is made of data would grow
// without bound; it belongs into the arguments, or to `sql:`. All rows are read before these functions return, so that
// a statement is free again when the same text is run next, in the same transaction too.

import GRDB

extension Database {
    /// Runs one statement that returns no rows.
    func execute(cached constant: String, arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: constant).execute(arguments: arguments)
    }
}

extension Row {
    static func fetchAll(
        _ database: Database, cached constant: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        try fetchAll(database.cachedStatement(sql: constant), arguments: arguments)
    }

    static func fetchOne(
        _ database: Database, cached constant: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        try fetchOne(database.cachedStatement(sql: constant), arguments: arguments)
    }
}

extension DatabaseValueConvertible where Self: StatementColumnConvertible {
    static func fetchAll(
        _ database: Database, cached constant: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try fetchAll(database.cachedStatement(sql: constant), arguments: arguments)
    }

    static func fetchOne(
        _ database: Database, cached constant: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        try fetchOne(database.cachedStatement(sql: constant), arguments: arguments)
    }
}

/// The text of a statement that inserts a row, or updates all its columns where one with that key is there.
///
/// `key`, `columns`: names with commas between them, in the order of the arguments.
/// `kept`: columns that keep their value where the new one is NULL.
func upsert(into table: String, key: String, columns: String, kept: Set<String> = []) -> String {
    let names = columns.split { $0 == "," || $0.isWhitespace }.map(String.init)
    let updates = names.map { "\($0) = " + (kept.contains($0) ? "coalesce(excluded.\($0), \($0))" : "excluded.\($0)") }
    let all = key.split(separator: ", ").map(String.init) + names
    return """
        INSERT INTO \(table) (\(all.joined(separator: ", "))) VALUES (\(all.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (\(key)) DO UPDATE SET \(updates.joined(separator: ", "))
        """
}
