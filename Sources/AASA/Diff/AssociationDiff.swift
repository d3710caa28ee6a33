// The differences in meaning between two files: services, apps, each app's rules in order, variables, defaults, and any
// other value, by its JSON pointer. Formatting does not count.

/// Compares what two files mean. `BehaviourDiff` compares which URLs open which apps.
public enum AssociationDiff {
    /// Further changes are only counted.
    package static let maximumChanges = 50

    /// The changes from `old` to `new`. Empty if and only if both have the same meaning: key order, white space,
    /// escapes and the spelling of numbers do not count; the order of arrays does.
    public static func compare(_ old: JSONDocument, _ new: JSONDocument) -> AssociationComparison {
        let values = ValueDiff(old, new)
        if !values.differ(old.root, new.root) { return AssociationComparison(changes: [], total: 0) }
        guard old.root.members != nil, new.root.members != nil else {
            let whole = AssociationChange(kind: .changed, summary: "the whole file differs", pointer: "")
            return AssociationComparison(changes: [whole], total: 1)
        }
        var changes = ChangeList()
        for member in values.members(old.root, new.root) {
            let place = "/" + member.key.escapedForPointer
            switch (member.old, member.new) {
            case (let left?, let right?) where left.members != nil && right.members != nil:
                if member.name == "applinks" {
                    ApplinksDiff(values).add(from: AppLinks(left), to: AppLinks(right), into: &changes)
                } else {
                    serviceChanges(member.key, from: left, to: right, values, into: &changes)
                }
            case (nil, let added?) where added.members != nil:
                changes.add(.added, describe(member.key, added), at: place)
            case (let removed?, nil) where removed.members != nil:
                changes.add(.removed, describe(member.key, removed), at: place)
            default:
                values.add(from: member.old, to: member.new, at: place, into: &changes)
            }
        }
        // Differences that no case above finds, such as a duplicate key.
        if changes.count == 0 { values.addFirst(from: old.root, to: new.root, at: "", into: &changes) }
        return AssociationComparison(changes: changes.listed, total: changes.count)
    }

    private static func describe(_ name: String, _ node: JSONNode) -> String {
        let apps = name == "applinks" ? AppLinks(node).appIDs : node["apps"]?.strings ?? []
        let list = apps.prefix(3).joined(separator: ", ") + Quoted.more(apps.count, beyond: 3)
        return "service \(name)" + (apps.isEmpty ? "" : " with \(list)")
    }

    /// A service other than applinks, which reads only `apps`.
    private static func serviceChanges(
        _ name: String, from old: JSONNode, to new: JSONNode, _ values: ValueDiff, into changes: inout ChangeList
    ) {
        let place = "/" + name.escapedForPointer
        for member in values.members(old, new) {
            if member.name == "apps", let left = member.old?.elements, let right = member.new?.elements {
                appChanges(
                    name, from: left.compactMap(\.string).uniqued, to: right.compactMap(\.string).uniqued,
                    into: &changes
                ) { _ in place + "/apps" }
            } else {
                let inner = "\(place)/\(member.key.escapedForPointer)"
                values.add(from: member.old, to: member.new, at: inner, into: &changes)
            }
        }
    }

    /// `pointer`: the place of an app in the newer file, or in the older one if the app was removed.
    static func appChanges(
        _ service: String, from old: [String], to new: [String], into changes: inout ChangeList,
        pointer: (String) -> String, detail: (String) -> String = { _ in "" }
    ) {
        let alignment = ListAlignment(from: old.map(ExactText.init(_:)), to: new.map(ExactText.init(_:)))
        for index in alignment.added {
            changes.add(.added, "\(service): app \(new[index])\(detail(new[index]))", at: pointer(new[index]))
        }
        for index in alignment.removed {
            changes.add(.removed, "\(service): app \(old[index])\(detail(old[index]))", at: pointer(old[index]))
        }
        for pair in alignment.moved {
            changes.add(
                .moved, "\(service): app \(new[pair.new]), from place \(pair.old + 1) to place \(pair.new + 1)",
                at: pointer(new[pair.new]))
        }
    }
}

/// The differences in meaning between two files.
public struct AssociationComparison: Sendable, Equatable {
    /// At most 50 changes, in the order of the newer file.
    public let changes: [AssociationChange]
    /// The number of all changes.
    public let total: Int

    package init(changes: [AssociationChange], total: Int) {
        self.changes = changes
        self.total = total
    }

    /// Whether both files have the same meaning.
    public var isEmpty: Bool { total == 0 }
}

/// One difference in meaning, from the older file to the newer one.
public struct AssociationChange: Codable, Sendable, Equatable {
    public enum Kind: String, Codable, Sendable, CaseIterable { case added, removed, changed, moved }

    public let kind: Kind
    /// One line for people, such as `service applinks with ABCDE12345.com.example.app`.
    public let summary: String
    /// A JSON pointer (RFC 6901) into the newer file, or into the older one if the value was removed.
    public let pointer: String

    package init(kind: Kind, summary: String, pointer: String) {
        self.kind = kind
        self.summary = summary
        self.pointer = pointer
    }
}

/// The first changes in full, and the number of all changes.
struct ChangeList {
    private(set) var listed: [AssociationChange] = []
    private(set) var count = 0

    mutating func add(
        _ kind: AssociationChange.Kind, _ summary: @autoclosure () -> String, at pointer: @autoclosure () -> String
    ) {
        count += 1
        guard listed.count < AssociationDiff.maximumChanges else { return }
        listed.append(
            AssociationChange(
                kind: kind, summary: summary().cut(beyond: Self.maximumText),
                pointer: pointer().cut(beyond: Self.maximumText)))
    }

    /// In bytes. Names and rules can be as long as the file.
    private static let maximumText = 8192
}

/// Pairs the elements of two lists in which order counts.
struct ListAlignment {
    struct Pair: Equatable {
        let old: Int
        let new: Int
    }

    /// Pairs of equal elements, in the order of the newer list.
    let pairs: [Pair]
    /// The pairs that changed their order; as few as possible.
    let moved: [Pair]
    let removed: [Int]
    let added: [Int]

    /// Memory grows with the square of a reordered list's length. Moves in longer lists are not reported.
    static let maximumOrdered = 1_000

    init<Element: Hashable>(from olds: [Element], to news: [Element]) {
        // Numbers instead of elements: an element may be a long text, and is hashed only once here.
        var numbers: [Element: Int] = [:]
        func number(_ element: Element) -> Int {
            let number = numbers[element] ?? numbers.count
            numbers[element] = number
            return number
        }
        let (old, new) = (olds.map(number), news.map(number))
        // Elements of only one list cannot have moved, and would slow down the search.
        let shared = Set(old).intersection(new)
        let (olds, news) = (
            old.indices.filter { shared.contains(old[$0]) }, new.indices.filter { shared.contains(new[$0]) }
        )
        // In a longer list, each element counts as removed and added, and is paired below only by its value.
        var (gone, came) = (Set(olds), Set(news))
        let isOrdered = max(olds.count, news.count) <= Self.maximumOrdered
        if isOrdered {
            (gone, came) = ([], [])
            // From new to old, so that if two neighbors swap, the second one counts as moved: people move rules up.
            for change in olds.map({ old[$0] }).difference(from: news.map { new[$0] }) {
                switch change {
                case .remove(let offset, _, _): came.insert(news[offset])
                case .insert(let offset, _, _): gone.insert(olds[offset])
                }
            }
        }
        let kept = zip(olds.filter { !gone.contains($0) }, news.filter { !came.contains($0) })
        // Not `inferringMoves`, which omits duplicate elements.
        var left = Dictionary(grouping: gone.sorted(by: >)) { old[$0] }
        let moved = came.sorted().compactMap { index in
            left[new[index]]?.popLast().map { Pair(old: $0, new: index) }
        }
        pairs = (kept.map { Pair(old: $0, new: $1) } + moved).sorted { $0.new < $1.new }
        self.moved = isOrdered ? moved : []
        let paired = (old: Set(pairs.map(\.old)), new: Set(pairs.map(\.new)))
        removed = old.indices.filter { !paired.old.contains($0) }
        added = new.indices.filter { !paired.new.contains($0) }
    }
}

/// Compares values of two files. The meaning of each value is computed once, at any depth and for any number of calls.
struct ValueDiff {
    private let olds: [Int: Int32]
    private let news: [Int: Int32]

    init(_ old: JSONDocument, _ new: JSONDocument) {
        var meanings = MeaningNumbers()
        olds = meanings.numbers(of: old.root)
        news = meanings.numbers(of: new.root)
    }

    /// Whether values of the older and the newer file differ in meaning, that is, in their canonical forms.
    func differ(_ old: JSONNode?, _ new: JSONNode?) -> Bool {
        old.flatMap { olds[$0.range.lowerBound] } != new.flatMap { news[$0.range.lowerBound] }
    }

    struct Member {
        let key: String
        let old: JSONNode?
        let new: JSONNode?

        var name: ExactText { ExactText(key) }
    }

    /// The members of two objects that differ, by key: first the keys of the older object, then new ones. The last of
    /// duplicate keys counts.
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

    /// Compares objects by key, lists of equal length by index, other lists by added and removed elements.
    func add(
        from old: JSONNode?, to new: JSONNode?, at place: @autoclosure () -> String, into changes: inout ChangeList
    ) {
        switch (old, new) {
        case (nil, nil): return
        case (nil, let added?): changes.add(.added, Self.summary(place(), Self.shown(added)), at: place())
        case (let removed?, nil): changes.add(.removed, Self.summary(place(), Self.shown(removed)), at: place())
        case (let left?, let right?):
            guard differ(left, right) else { return }
            let before = changes.count
            if left.members != nil, right.members != nil {
                for member in members(left, right) {
                    add(
                        from: member.old, to: member.new, at: "\(place())/\(member.key.escapedForPointer)",
                        into: &changes)
                }
            } else if let olds = left.elements, let news = right.elements {
                addElements(from: olds, to: news, at: place(), into: &changes)
            }
            if changes.count > before { return }
            changes.add(.changed, Self.summary(place(), Self.outline(left, right)), at: place())
        }
    }

    private func addElements(
        from olds: [JSONNode], to news: [JSONNode], at place: @autoclosure () -> String, into changes: inout ChangeList
    ) {
        if olds.count == news.count {
            for (index, pair) in zip(olds, news).enumerated() {
                add(from: pair.0, to: pair.1, at: "\(place())/\(index)", into: &changes)
            }
            return
        }
        let alignment = ListAlignment(
            from: olds.map { self.olds[$0.range.lowerBound] }, to: news.map { self.news[$0.range.lowerBound] })
        for index in alignment.removed { add(from: olds[index], to: nil, at: "\(place())/\(index)", into: &changes) }
        for index in alignment.added { add(from: nil, to: news[index], at: "\(place())/\(index)", into: &changes) }
    }

    private static func summary(_ pointer: String, _ text: String) -> String {
        "the value at \(pointer.isEmpty ? "the root" : pointer): \(text)"
    }

    /// The value as written; for a long one, its beginning and its size.
    private static func shown(_ node: JSONNode) -> String {
        let text = node.written(limit: maximumShown)
        return text.utf8.count > maximumShown
            ? String(text.unicodeScalars.prefix(maximumShown / 2)) + "… (\(node.range.count) bytes)" : text
    }

    private static let maximumShown = 120

    /// Both values; for long ones with a common beginning, only the rest.
    private static func outline(_ old: JSONNode, _ new: JSONNode) -> String {
        let texts = [old, new].map { Array($0.written(limit: maximumRead).unicodeScalars) }
        let same = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
        guard same > maximumShown / 2, texts.contains(where: { $0.count > maximumShown }) else {
            return "\(shown(old)) became \(shown(new))"
        }
        func rest(_ text: [Unicode.Scalar]) -> String {
            let shown = text.dropFirst(same - 20)
            return "…" + String(String.UnicodeScalarView(shown.prefix(maximumShown / 2)))
                + (shown.count > maximumShown / 2 ? "…" : "")
        }
        return "\(rest(texts[0])) became \(rest(texts[1]))"
    }

    /// The bytes of each value that are compared. A later difference is not shown.
    private static let maximumRead = 4_096

    /// Adds only the first difference.
    func addFirst(from old: JSONNode?, to new: JSONNode?, at pointer: String, into changes: inout ChangeList) {
        var all = ChangeList()
        add(from: old, to: new, at: pointer, into: &all)
        if let first = all.listed.first { changes.add(first.kind, first.summary, at: first.pointer) }
    }

    /// A short value as written; nil for arrays, objects and long values.
    static func text(_ node: JSONNode) -> String? {
        switch node.value {
        case .null, .bool: node.written
        case .number(let lexeme): lexeme.utf8.count <= 40 ? lexeme : nil
        case .string(let text): text.utf8.count <= 120 ? node.written : nil
        case .array, .object: nil
        }
    }
}

/// Numbers the meanings of values: equal numbers mean equal canonical forms. Visits each value once.
struct MeaningNumbers {
    private var known: [Meaning: Int32] = [:]
    /// The number of values visited.
    private(set) var steps = 0

    /// The meaning of a value, with numbers for its parts.
    private enum Meaning: Hashable {
        case null
        case bool(Bool)
        case number(ExactText)
        case string(ExactText)
        case array([Int32])
        /// Sorted by key; duplicates stay in file order, as in the canonical form.
        case object([Member])
    }

    fileprivate struct Member: Hashable {
        let key: ExactText
        let value: Int32
    }

    /// - Returns: the number of each value of a file, by the offset of its first byte.
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
