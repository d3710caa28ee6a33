// Texts of the pages.

import Foundation

extension String {
    /// Cut behind each full stop that ends one.
    var sentences: [String] {
        replacing(/(?<end>[.!?]”?) (?<next>[A-Z“`])/) { "\($0.end)\n\($0.next)" }
            .split(separator: "\n").map(String.init)
    }

    /// To the first full stop that ends a sentence.
    var firstSentence: String {
        guard let end = firstRange(of: /\.(\s|$)/) else { return self }
        return String(self[..<end.lowerBound])
    }
}

extension [String] {
    /// `ops, pager and 2 more`.
    func listed(upTo limit: Int) -> String {
        prefix(limit).joined(separator: ", ") + (count > limit ? " and \(count - limit) more" : "")
    }
}
