/// A place in the file: line and column from 1, columns in Unicode scalars.
struct SourcePosition: Hashable, Comparable, Sendable {
    static let start = SourcePosition(line: 1, column: 1)

    let line: Int
    let column: Int

    static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The parsed file: what Yams found, with positions, aliases followed, and each key once.
struct SourceNode {
    enum Content {
        /// `isPlain`: written without quotation marks, so that `5` is a number and `null` is nothing.
        case scalar(String, isPlain: Bool)
        case list([SourceNode])
        case mapping([Entry])
    }

    struct Entry {
        let key: String
        let position: SourcePosition
        let value: SourceNode
    }

    let content: Content
    let position: SourcePosition

    var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// What a message says was found.
    /// Where the text may be a secret, `isConcealed`, only its type is reported.
    func summary(isConcealed: Bool) -> String {
        switch content {
        case _ where isNull: "nothing"
        case .scalar(_, let isPlain) where isConcealed: isPlain ? "a plain value" : "a text"
        case .scalar(let text, let isPlain): (isPlain ? "" : "the text ") + Quotation.of(text)
        case .list where isConcealed: "a list"
        case .list(let items):
            "the list [" + items.prefix(3).map(\.outline).joined(separator: ", ") + (items.count > 3 ? ", …]" : "]")
        case .mapping(let entries):
            entries.isEmpty
                ? "an empty mapping"
                : "a mapping with the key\(entries.count == 1 ? "" : "s") "
                    + entries.prefix(3).map { Quotation.ofKey($0.key) }.joined(separator: ", ")
                    + (entries.count > 3 ? ", …" : "")
        }
    }

    private var outline: String {
        switch content {
        case .scalar(let text, _): String(Quotation.of(text).dropFirst().dropLast())
        case .list: "[…]"
        case .mapping: "{…}"
        }
    }
}
