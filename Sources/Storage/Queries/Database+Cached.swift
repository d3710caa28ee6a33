// Statements that are compiled once for each connection and not at each call: compiling costs more than most of these
// queries take to run.
//
// For constant text only. A connection keeps each text for as long as it lives, so one that is made of data would grow
// without bound; it belongs into the arguments, or to `sql:`. All rows are read before these functions return, so that a
// statement is free again when the same text is run next, in the same transaction too.

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
