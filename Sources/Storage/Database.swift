// How statements run, and how values become columns: instants as whole milliseconds UTC, documents as JSON.
//
// `cached:` compiles a statement once for each connection. Compiling takes longer than most of these queries run.
//
// Use `cached:` for constant SQL only. A connection keeps each text until it closes, so SQL that contains data would
// grow without bound. Pass data as arguments, or use `sql:`. These functions read all rows before they return, so that
// the same statement can run again in the same transaction.

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

extension Database {
    /// Inserts a row, or updates the row with the same key. Column names come from types, never from data, so the
    /// number of cached statements is bounded.
    func upsert(
        _ row: [String: (any DatabaseValueConvertible)?], into table: String, key: [String] = []
    ) throws {
        let columns = row.keys.sorted()
        var sql =
            "INSERT INTO \(table) (\(columns.joined(separator: ", "))) "
            + "VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        if !key.isEmpty {
            let updates = columns.filter { !key.contains($0) }.map { "\($0) = excluded.\($0)" }
            sql += " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(updates.joined(separator: ", "))"
        }
        try execute(cached: sql, arguments: StatementArguments(columns.map { row[$0] ?? nil }))
    }
}

// MARK: - Records that are rows

/// A record whose coding keys are columns. Instants are milliseconds, and compound values are JSON.
package protocol StoredRow: Codable, FetchableRecord, EncodableRecord {}

extension StoredRow {
    /// GRDB's own strategy truncates to milliseconds, so an instant would move at each write.
    package static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
        .custom { $0.milliseconds }
    }

    package static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .custom { Int64.fromDatabaseValue($0).map(Date.init(milliseconds:)) }
    }

    package static func databaseJSONEncoder(for column: String) -> JSONEncoder { Stored.encoder }
    package static func databaseJSONDecoder(for column: String) -> JSONDecoder { Stored.decoder }

    /// Skips unreadable rows: one bad row must not stop a channel's loop or a page.
    static func readable(
        _ database: Database, cached constant: String, _ arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try Row.fetchAll(database, cached: constant, arguments: arguments).compactMap { try? Self(row: $0) }
    }

    /// `more`: columns that the record does not have. `absent`: a column of the record that SQLite fills, such as `id`.
    func upsert(
        into table: String, key: [String] = [], with more: [String: any DatabaseValueConvertible] = [:],
        without absent: String? = nil, _ database: Database
    ) throws {
        var row: [String: (any DatabaseValueConvertible)?] = try databaseDictionary.mapValues { $0 }
        if let absent { row.removeValue(forKey: absent) }
        try database.upsert(row.merging(more.mapValues { $0 }) { $1 }, into: table, key: key)
    }
}

// MARK: - How values become columns

extension Date {
    /// Milliseconds since 1970 in UTC, the form of every instant column. Clamped to the years 1 to 9999.
    var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        guard !value.isNaN else { return 0 }
        return Int64(min(max(value, -62_135_596_800_000), 253_402_300_799_000))
    }

    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

/// JSON documents in columns. Dates inside keep full precision, so a decoded state equals the encoded one.
enum Stored {
    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

    /// The same as text, for columns that SQL reads with its JSON functions.
    static func text(_ value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }

    static func decode<Value: Decodable>(_ type: Value.Type, text: String, what: String) throws -> Value {
        try decode(type, from: Data(text.utf8), what: what)
    }

    /// `what`: the name of the document, for the error message.
    /// - Throws: `StoreError` with `corrupt`.
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data, what: String) throws -> Value {
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw StoreError(
                code: .corrupt, message: "the stored \(what) cannot be read; another version may have written it")
        }
    }
}
