// How statements are run, and how values become columns: instants as whole milliseconds UTC, documents as JSON.
//
// Statements are compiled once for each connection and not at each call: compiling costs more than most of these
// queries take to run.
//
// For constant text only. A connection keeps each text for as long as it lives, so one that is made of data would grow
// without bound; it belongs into the arguments, or to `sql:`. All rows are read before these functions return, so that
// a statement is free again when the same text is run next, in the same transaction too.

import Foundation
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

// MARK: - How values become columns

extension Date {
    /// Milliseconds since 1970 in UTC, the form of every instant column. Out-of-range dates are clamped to year 1 to
    /// 9999.
    var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        guard !value.isNaN else { return 0 }
        return Int64(min(max(value, -62_135_596_800_000), 253_402_300_799_000))
    }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

/// JSON documents in columns. Dates inside keep their full precision, so that a state read again equals the one
/// written.
enum Stored {
    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try encoder.encode(value)
    }

    /// The same as text, for columns that SQL looks into.
    static func text(_ value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }

    static func decode<Value: Decodable>(_ type: Value.Type, text: String, what: String) throws -> Value {
        try decode(type, from: Data(text.utf8), what: what)
    }

    /// `what`: names the document in the error.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, what: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw StoreError(
                code: .corrupt, message: "the stored \(what) cannot be read; another version may have written it")
        }
    }
}
