// Differences between any two JSON values, named by their place.

enum ValueDiff {
    struct Member {
        let key: String
        let old: JSONNode?
        let new: JSONNode?
    }

    /// The members of two objects by key, those that differ, in the order of the older one and then of the newer one.
    /// Where a key stands twice the last one counts.
    static func members(_ old: JSONNode?, _ new: JSONNode?) -> [Member] {
        func index(_ node: JSONNode?) -> [[UInt8]: JSONNode] {
            Dictionary((node?.members ?? []).map { (Array($0.key.utf8), $0.value) }, uniquingKeysWith: { $1 })
        }
        let (olds, news) = (index(old), index(new))
        let keys = ((old?.members ?? []) + (new?.members ?? [])).map(\.key).uniqued
        return keys.compactMap { key in
            let bytes = Array(key.utf8)
            let member = Member(key: key, old: olds[bytes], new: news[bytes])
            return member.old?.canonicalForm == member.new?.canonicalForm ? nil : member
        }
    }

    /// Objects are compared by key, lists of one length by place; all else is one change.
    static func add(from old: JSONNode?, to new: JSONNode?, at place: String, into changes: inout ChangeList) {
        switch (old, new) {
        case (nil, nil): return
        case (nil, let added?):
            changes.add(.added, "the value at \(place)\(text(added).map { ": \($0)" } ?? "")", at: place)
        case (let removed?, nil):
            changes.add(.removed, "the value at \(place)\(text(removed).map { ": \($0)" } ?? "")", at: place)
        case (let left?, let right?):
            if left.canonicalForm == right.canonicalForm { return }
            let before = changes.count
            if left.members != nil, right.members != nil {
                for member in members(left, right) {
                    let inner = "\(place)/\(member.key.escapedForPointer)"
                    add(from: member.old, to: member.new, at: inner, into: &changes)
                }
            } else if let olds = left.elements, let news = right.elements, olds.count == news.count {
                for (index, pair) in zip(olds, news).enumerated() {
                    add(from: pair.0, to: pair.1, at: "\(place)/\(index)", into: &changes)
                }
            }
            if changes.count > before { return }
            var summary = "the value at \(place.isEmpty ? "the root" : place)"
            if let from = text(left), let to = text(right) { summary += ": \(from) became \(to)" }
            changes.add(.changed, summary, at: place)
        }
    }

    /// The first place that differs, alone.
    static func addFirst(from old: JSONNode, to new: JSONNode, into changes: inout ChangeList) {
        var all = ChangeList()
        add(from: old, to: new, at: "", into: &all)
        if let first = all.summedUp.first { changes.add(first.kind, first.summary, at: first.pointer) }
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
