// The query of a request, read strictly: a misspelt filter must not look like an answer to what was meant.

import Evidence
import Foundation
import Hummingbird
import Monitoring
import Storage

/// Why a request cannot be answered, for who sent it; a 400.
struct QueryFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

struct APIQuery {
    private let values: [String: String]

    /// - Throws: `QueryFault` for a key that is unknown or given twice.
    init(_ request: Request, keys: Set<String>) throws {
        var values: [String: String] = [:]
        for (key, value) in request.uri.queryParameters {
            let (key, value) = (String(key), String(value))
            guard keys.contains(key) else {
                throw QueryFault(
                    "unknown parameter '\(key.displayable.shortened(to: 40))'; the parameters are \(keys.sorted().joined(separator: ", "))"
                )
            }
            guard values.updateValue(value, forKey: key) == nil else { throw QueryFault("'\(key)' is given twice") }
        }
        self.values = values
    }

    /// nil where it is absent or empty.
    func text(_ key: String) -> String? { values[key].flatMap { $0.isEmpty ? nil : $0 } }

    func limit(default standard: Int = 50, atMost: Int = 500) throws -> Int {
        guard let text = text("limit") else { return standard }
        guard let limit = Int(text), (1...atMost).contains(limit) else {
            throw QueryFault("'limit' is not a whole number from 1 to \(atMost)")
        }
        return limit
    }

    func choice<Word: RawRepresentable & CaseIterable>(_ key: String, _: Word.Type) throws -> Word?
    where Word.RawValue == String {
        guard let text = text(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            throw QueryFault("'\(key)' is none of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    func domain(_ key: String) throws -> Domain? {
        guard let text = text(key) else { return nil }
        do { return try Domain(text) } catch { throw QueryFault("'\(key)' is no domain") }
    }

    /// `team:growth`
    func label(_ key: String) throws -> (name: String, value: String)? {
        guard let text = text(key) else { return nil }
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw QueryFault("'\(key)' is not NAME:VALUE, such as team:growth")
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}
