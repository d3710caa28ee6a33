// Differences between any two JSON values, named by their place.

/// Compares values of two files. What each value means is worked out once, however deep it stands and however often it is
/// asked about.
struct ValueDiff {
    private let olds: [Int: Int32]
    private let news: [Int: Int32]

    init(_ old: JSONDocument, _ new: JSONDocument) {
        var meanings = MeaningNumbers()
        olds = meanings.numbers(of: old.root)
        news = meanings.numbers(of: new.root)
    }

    /// Whether a value of the older file and one of the newer one mean something else: exactly where their canonical forms
    /// are not the same.
    func differ(_ old: JSONNode?, _ new: JSONNode?) -> Bool {
        old.flatMap { olds[$0.range.lowerBound] } != new.flatMap { news[$0.range.lowerBound] }
    }

    struct Member {
        let key: String
        let old: JSONNode?
        let new: JSONNode?

        var name: ExactText { ExactText(key) }
    }

    /// The members of two objects by key, those that differ, in the order of the older one and then of the newer one.
    /// Where a key stands twice the last one counts.
    func members(_ old: JSONNode?, _ new: JSONNode?) -> [Member] {
        func index(_ node: JSONNode?) -> [ExactText: JSONNode] {
            Dictionary((node?.members ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }
        let (olds, news) = (index(old), index(new))
        let keys = ((old?.members ?? []) + (new?.members ?? [])).map(\.key).uniqued
        return keys.compactMap { key in
            let member = Member(key: key, old: olds[ExactText(key)], new: news[ExactText(key)])
            return differ(member.old, member.new) ? member : nil
        }
    }

    /// A JSON pointer that is written out where it is shown: a long key may stand above thousands of values.
    indirect enum Place {
        case text(String)
        case member(of: Place, String)
        case element(of: Place, Int)

        var pointer: String {
            switch self {
            case .text(let text): text
            case .member(let place, let key): "\(place.pointer)/\(key.escapedForPointer)"
            case .element(let place, let index): "\(place.pointer)/\(index)"
            }
        }
    }

    /// Objects are compared by key, lists of one length by place; all else is one change.
    func add(from old: JSONNode?, to new: JSONNode?, at place: Place, into changes: inout ChangeList) {
        switch (old, new) {
        case (nil, nil): return
        case (nil, let added?): changes.add(.added, Self.summary(place, Self.text(added)), at: place.pointer)
        case (let removed?, nil): changes.add(.removed, Self.summary(place, Self.text(removed)), at: place.pointer)
        case (let left?, let right?):
            guard differ(left, right) else { return }
            let before = changes.count
            if left.members != nil, right.members != nil {
                for member in members(left, right) {
                    add(from: member.old, to: member.new, at: .member(of: place, member.key), into: &changes)
                }
            } else if let olds = left.elements, let news = right.elements, olds.count == news.count {
                for (index, pair) in zip(olds, news).enumerated() {
                    add(from: pair.0, to: pair.1, at: .element(of: place, index), into: &changes)
                }
            }
            if changes.count > before { return }
            let texts = Self.text(left).flatMap { from in Self.text(right).map { "\(from) became \($0)" } }
            changes.add(.changed, Self.summary(place, texts ?? Self.outline(left, right)), at: place.pointer)
        }
    }

    private static func summary(_ place: Place, _ text: String?) -> String {
        let pointer = place.pointer
        return "the value at \(pointer.isEmpty ? "the root" : pointer)\(text.map { ": \($0)" } ?? "")"
    }

    /// Of values that are too long to be written out: how large they were and are, and how they begin.
    private static func outline(_ old: JSONNode, _ new: JSONNode) -> String {
        if let before = old.elements?.count, let after = new.elements?.count, before != after {
            return "\(before) element\(before == 1 ? "" : "s") became \(after)"
        }
        func shown(_ node: JSONNode) -> String {
            let text = node.written(limit: 80)
            return text.utf8.count > 80
                ? String(text.unicodeScalars.prefix(60)) + "… (\(node.range.count) bytes)" : text
        }
        return "\(shown(old)) became \(shown(new))"
    }

    /// The first place that differs, alone.
    func addFirst(from old: JSONNode, to new: JSONNode, into changes: inout ChangeList) {
        var all = ChangeList()
        add(from: old, to: new, at: .text(""), into: &all)
        if let first = all.listed.first { changes.add(first.kind, first.summary, at: first.pointer) }
    }

    /// A short value as it is written; nil for what takes more than a few words.
    static func text(_ node: JSONNode) -> String? {
        switch node.value {
        case .null, .bool: node.written
        case .number(let lexeme): lexeme.utf8.count <= 40 ? lexeme : nil
        case .string(let text): text.utf8.count <= 120 ? node.written : nil
        case .array, .object: nil
        }
    }
}

/// Numbers what values mean: two have one number exactly where they have one canonical form. Each value is looked at once.
struct MeaningNumbers {
    private var known: [Meaning: Int32] = [:]
    /// Values looked at, and members and elements put in order.
    private(set) var steps = 0

    /// Of a value whose parts are numbered.
    private enum Meaning: Hashable {
        case null
        case bool(Bool)
        case number(ExactText)
        case string(ExactText)
        case array([Int32])
        /// By key; those of one key in the order of the text, as in the canonical form.
        case object([Member])
    }

    fileprivate struct Member: Hashable {
        let key: ExactText
        let value: Int32
    }

    /// - Returns: for each value of a file its number, by the offset of its first byte.
    mutating func numbers(of root: JSONNode) -> [Int: Int32] {
        var result: [Int: Int32] = [:]
        _ = number(of: root, &result)
        return result
    }

    private mutating func number(of node: JSONNode, _ result: inout [Int: Int32]) -> Int32 {
        steps += 1
        let meaning: Meaning
        switch node.value {
        case .null: meaning = .null
        case .bool(let flag): meaning = .bool(flag)
        case .number(let lexeme): meaning = .number(ExactText(JSONNode.canonicalNumber(lexeme)))
        case .string(let text): meaning = .string(ExactText(text))
        case .array(let elements):
            var parts: [Int32] = []
            for element in elements { parts.append(number(of: element, &result)) }
            meaning = .array(parts)
        case .object(let members):
            var parts: [Member] = []
            for member in members { parts.append(Member(key: member.name, value: number(of: member.value, &result))) }
            meaning = .object(parts.sortedByKey)
        }
        let number = known[meaning] ?? Int32(known.count)
        known[meaning] = number
        result[node.range.lowerBound] = number
        return number
    }
}

extension [MeaningNumbers.Member] {
    fileprivate var sortedByKey: [Element] {
        guard count > 1 else { return self }
        return enumerated().sorted { left, right in
            left.element.key == right.element.key
                ? left.offset < right.offset
                : left.element.key.text.utf8.lexicographicallyPrecedes(right.element.key.text.utf8)
        }.map(\.element)
    }
}
