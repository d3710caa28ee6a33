// Which rules can meet on a path at all, told by the literal text that their path patterns begin and end with: most rules
// of most files cannot. Says too much at times, never too little.

struct PathEnds {
    private var heads = TextTree()
    private var tails = TextTree()
    private let ends: [Ends?]

    private struct Ends {
        let head: [Unicode.Scalar]
        let tail: [Unicode.Scalar]
    }

    /// So much of an end is looked at.
    private static let maximumLength = 64

    /// Takes the languages of a list of rules, nil for a rule that never matches.
    init(_ keys: [RuleKey?]) {
        let encodings = Set(keys.compactMap { $0.flatMap { $0.path == nil ? nil : $0.isPercentEncoded } })
        // Of one URL, an encoded text and a decoded one differ from the first escape on, and an escape may begin before a
        // tail.
        let isMixed = encodings.count > 1
        ends = keys.map { key in
            key.map { key in
                let path = key.path ?? []
                let head = path.lazy.map(\.literal).prefix { $0 != nil && !(isMixed && $0 == "%") }
                let tail = path.lazy.reversed().map(\.literal).prefix { !isMixed && $0 != nil }
                return Ends(
                    // Folded, whether case counts or not.
                    head: head.prefix(Self.maximumLength).compactMap { $0?.folded },
                    tail: tail.prefix(Self.maximumLength).compactMap { $0?.folded })
            }
        }
        for (index, ends) in ends.enumerated() {
            guard let ends else { continue }
            heads.insert(ends.head, index)
            tails.insert(ends.tail, index)
        }
    }

    /// At most so many rules may have a path in common with it.
    func count(meeting index: Int) -> Int {
        ends[index].map { min(heads.count(meeting: $0.head), tails.count(meeting: $0.tail)) } ?? 0
    }

    /// The rules before one that may have a path in common with it, in order.
    func rules(meeting index: Int) -> [Int] {
        guard let ends = ends[index] else { return [] }
        let (byHead, byTail) = (heads.count(meeting: ends.head), tails.count(meeting: ends.tail))
        let meeting = byHead <= byTail ? heads.numbers(meeting: ends.head) : tails.numbers(meeting: ends.tail)
        return meeting.filter { $0 < index }.sorted()
    }
}

extension PatternElement {
    fileprivate var literal: Unicode.Scalar? {
        if case .scalar(let scalar) = self { scalar } else { nil }
    }
}

/// Numbered texts, by what they begin with.
private struct TextTree {
    private struct Node {
        var children: [Unicode.Scalar: Int] = [:]
        /// The texts that end here.
        var ending: [Int] = []
        /// Those, and all that go on.
        var all: [Int] = []
    }

    private var nodes = [Node()]

    mutating func insert(_ text: [Unicode.Scalar], _ number: Int) {
        var current = 0
        nodes[0].all.append(number)
        for scalar in text {
            if let next = nodes[current].children[scalar] {
                current = next
            } else {
                nodes[current].children[scalar] = nodes.count
                current = nodes.count
                nodes.append(Node())
            }
            nodes[current].all.append(number)
        }
        nodes[current].ending.append(number)
    }

    /// The texts that begin with this one, or this one with them.
    func numbers(meeting text: [Unicode.Scalar]) -> [Int] {
        let (path, last) = way(of: text)
        return path.flatMap { nodes[$0].ending } + nodes[last].all
    }

    func count(meeting text: [Unicode.Scalar]) -> Int {
        let (path, last) = way(of: text)
        return path.reduce(nodes[last].all.count) { $0 + nodes[$1].ending.count }
    }

    /// The nodes to the end of a text that is there, the last one apart.
    private func way(of text: [Unicode.Scalar]) -> (path: [Int], last: Int) {
        var path: [Int] = []
        var current = 0
        for scalar in text {
            guard let next = nodes[current].children[scalar] else { break }
            path.append(current)
            current = next
        }
        return (path, current)
    }
}
