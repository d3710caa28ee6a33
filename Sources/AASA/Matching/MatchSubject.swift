/// A URL taken apart once for many rules.
final class MatchSubject {
    /// One part of a URL, in both forms that patterns are compared with.
    final class Text {
        let exact: [Unicode.Scalar]
        lazy var folded = exact.map(\.folded)

        init(_ text: String) { exact = Array(text.unicodeScalars) }
    }

    /// The parts in one form, encoded or decoded.
    final class Parts {
        let path: Text
        let query: Text
        let fragment: Text
        /// The values of each item, by its exact name: by scalars, since two spellings of one accented letter are equal
        /// to `String`.
        private let items: [[Unicode.Scalar]: [Text]]
        private let missing = [Text("")]

        init(path: String, query: String, fragment: String, items: [(name: String, value: String)]) {
            self.path = Text(path)
            self.query = Text(query)
            self.fragment = Text(fragment)
            var values: [[Unicode.Scalar]: [Text]] = [:]
            for item in items { values[Array(item.name.unicodeScalars), default: []].append(Text(item.value)) }
            self.items = values
        }

        /// The values of an item; one empty value where it is missing.
        func values(of item: URLRule.Query.Item) -> [Text] {
            items.isEmpty ? missing : items[item.key] ?? missing
        }
    }

    let encoded: Parts
    /// What a rule with `percentEncoded` false is compared with: normalised first, decoded after.
    private(set) lazy var decoded = url.isPlain ? encoded : Parts(url, PercentCoding.decoding)
    private let url: MatchableURL

    init(_ url: MatchableURL) {
        self.url = url
        encoded = Parts(url) { $0 }
    }

    /// With another view of how to decode.
    init(_ url: MatchableURL, decoded: Parts) {
        self.url = url
        encoded = Parts(url) { $0 }
        self.decoded = decoded
    }
}

extension MatchSubject.Parts {
    fileprivate convenience init(_ url: MatchableURL, _ form: (String) -> String) {
        self.init(
            path: form(url.path), query: form(url.query), fragment: form(url.fragment),
            items: url.queryItems.map { (form(String($0.name)), form(String($0.value))) })
    }
}
