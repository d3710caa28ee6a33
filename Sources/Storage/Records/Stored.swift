// How values become columns: instants as whole milliseconds UTC, documents as JSON.

import Foundation

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

extension Duration {
    var timeInterval: TimeInterval { self / .seconds(1) }
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
