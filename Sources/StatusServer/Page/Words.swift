// Texts of the pages.

import Evidence
import Foundation

extension String {
    /// What to do, one step each. A sentence that explains a step stays with it.
    var steps: [String] {
        var steps: [String] = []
        for sentence in sentences {
            let first = String(sentence.prefix { $0 != " " })
            if let last = steps.last, Self.explaining.contains(first) {
                steps[steps.count - 1] = "\(last) \(sentence)"
            } else {
                steps.append(sentence)
            }
        }
        return steps
    }

    /// A step begins with a verb. These words begin an explanation.
    private static let explaining: Set<String> = [
        "A", "An", "The", "It", "Its", "They", "This", "That", "These", "Each", "Apple", "Apple's", "Phones", "Devices",
        "Checks", "Edges", "Browsers", "Protections", "Another", "All", "Some", "Not", "Which", "Whether", "Without",
    ]
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
        // In a form, a plus means a space.
        return (components.string ?? path).replacing("+", with: "%2B")
    }
}
