// Texts of the pages.

import Foundation

extension String {
    /// To the first full stop that ends a sentence.
    var firstSentence: String {
        guard let end = firstRange(of: /\.(\s|$)/) else { return self }
        return String(self[..<end.lowerBound])
    }
}

extension String {
    /// The address of a page with what its query says; a value that is nil or empty is left out.
    static func address(_ path: String, _ query: KeyValuePairs<String, String?>) -> String {
        let items = query.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : URLQueryItem(name: name, value: $0) }
        }
        guard !items.isEmpty else { return path }
        var components = URLComponents()
        components.path = path
        components.queryItems = items
        // A form's plus is a blank.
        return (components.string ?? path).replacing("+", with: "%2B")
    }
}
