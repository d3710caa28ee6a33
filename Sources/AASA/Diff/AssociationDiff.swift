// What differs in meaning between two files: services, apps, each app's rules in their order, variables, defaults, and
// whatever else, named by its place. Formatting is no difference.

public enum AssociationDiff {
    /// More changes than these are counted only.
    public static let maximumChanges = 50

    /// The changes from `old` to `new`; none exactly where both have the same canonical form.
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
                values.add(from: member.old, to: member.new, at: .text(place), into: &changes)
            }
        }
        // Differences that none of the above sees, such as a key that stands twice.
        if changes.count == 0 { values.addFirst(from: old.root, to: new.root, at: "", into: &changes) }
        return AssociationComparison(changes: changes.listed, total: changes.count)
    }

    private static func describe(_ name: String, _ node: JSONNode) -> String {
        let apps = name == "applinks" ? AppLinks(node).appIDs : node["apps"]?.strings ?? []
        let list = apps.prefix(3).joined(separator: ", ") + Quoted.more(apps.count, beyond: 3)
        return "service \(name)" + (apps.isEmpty ? "" : " with \(list)")
    }

    /// A service that reads only `apps`.
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
                values.add(from: member.old, to: member.new, at: .text(inner), into: &changes)
            }
        }
    }

    /// `pointer` tells where an app stands; in the newer file, or in the older one for what was removed.
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

/// What two files say differently.
public struct AssociationComparison: Sendable, Equatable {
    /// `AssociationDiff.maximumChanges` at most, in the order of the newer file.
    public let changes: [AssociationChange]
    /// How many there are in all.
    public let total: Int

    package init(changes: [AssociationChange], total: Int) {
        self.changes = changes
        self.total = total
    }

    /// Whether both mean the same.
    public var isEmpty: Bool { total == 0 }
}

/// One difference in meaning, from the older file to the newer one.
public struct AssociationChange: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable { case added, removed, changed, moved }

    public let kind: Kind
    /// One line for people.
    public let summary: String
    /// A JSON pointer into the newer file, or into the older one for what was removed.
    public let pointer: String
}

/// The first changes in full, and the number of all.
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

    /// Bytes; names and rules of the file may be as long as the file.
    private static let maximumText = 8192
}

/// Which elements of two lists correspond, where order counts. Time grows as n log n.
struct ListAlignment {
    struct Pair: Equatable {
        let old: Int
        let new: Int
    }

    /// Equal elements, each with one of the other list, in the order of the newer list.
    let pairs: [Pair]
    /// Those of the pairs that changed their order; as few as can be, unless one element stands dozens of times in both.
    let moved: [Pair]
    let removed: [Int]
    let added: [Int]
    /// The work done, for tests of the bound.
    let steps: Int

    init<Element: Hashable>(from old: [Element], to new: [Element]) {
        let order = CommonOrder(old, new)
        steps = order.steps
        var isKept = Array(repeating: false, count: old.count)
        for place in order.places where place >= 0 { isKept[place] = true }
        // What is left pairs off in order, whatever lies between.
        var left: [Element: [Int]] = [:]
        for index in old.indices.reversed() where !isKept[index] { left[old[index], default: []].append(index) }
        var pairs: [Pair] = []
        var moved: [Pair] = []
        var added: [Int] = []
        for (index, place) in order.places.enumerated() {
            if place >= 0 {
                pairs.append(Pair(old: place, new: index))
            } else if let place = left[new[index]]?.popLast() {
                isKept[place] = true
                pairs.append(Pair(old: place, new: index))
                moved.append(Pair(old: place, new: index))
            } else {
                added.append(index)
            }
        }
        self.pairs = pairs
        self.moved = moved
        self.added = added
        removed = old.indices.filter { !isKept[$0] }
    }
}

/// The longest common subsequence of two lists, by the places at which equal elements stand (Hunt and Szymanski): fast
/// where elements seldom repeat, as in lists of rules and of apps. Those that repeat often are paired by their rank.
struct CommonOrder {
    /// For each element of the newer list the place of its like in the older one, rising; -1 where it has none.
    private(set) var places: [Int]
    /// Pairs that were looked at, and how often the search for their place was halved.
    private(set) var steps = 0

    /// An element of the older list met with one of the newer.
    private struct Meeting {
        let old: Int
        let new: Int
        /// The meeting before it in the longest row that ends in it, or -1.
        let previous: Int
    }

    init<Element: Hashable>(_ old: [Element], _ new: [Element]) {
        places = Array(repeating: -1, count: new.count)
        let shorter = min(old.count, new.count)
        var start = 0
        while start < shorter, old[start] == new[start] {
            places[start] = start
            start += 1
        }
        var tail = 0
        while tail < shorter - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
            tail += 1
            places[new.count - tail] = old.count - tail
        }
        findRow(candidates(old, start..<old.count - tail, new, start..<new.count - tail), from: start)
    }

    /// For each element of the newer list those of the older one that it may meet, the last one first. Their number grows
    /// linearly with the lists.
    private func candidates<Element: Hashable>(
        _ old: [Element], _ olds: Range<Int>, _ new: [Element], _ news: Range<Int>
    ) -> [[Int]] {
        var oldPlaces: [Element: [Int]] = [:]
        for index in olds.reversed() { oldPlaces[old[index], default: []].append(index) }
        var newCounts: [Element: Int] = [:]
        for index in news { newCounts[new[index], default: 0] += 1 }
        var ranks: [Element: Int] = [:]
        return news.map { index in
            let all = oldPlaces[new[index]] ?? []
            let count = newCounts[new[index]] ?? 0
            if all.count * count <= 16 * (all.count + count) { return all }
            let rank = ranks[new[index], default: 0]
            ranks[new[index]] = rank + 1
            return rank < all.count ? [all[all.count - 1 - rank]] : []
        }
    }

    /// Finds the longest row of meetings that rises in both lists.
    private mutating func findRow(_ candidates: [[Int]], from start: Int) {
        var meetings: [Meeting] = []
        /// By length, the meeting at which a row so long ends soonest in the older list.
        var ends: [Int] = []
        for (offset, olds) in candidates.enumerated() {
            // From the last one on, so that no row meets one element twice.
            for old in olds {
                steps += 1
                var low = 0
                var high = ends.count
                while low < high {
                    steps += 1
                    let middle = (low + high) / 2
                    if meetings[ends[middle]].old < old { low = middle + 1 } else { high = middle }
                }
                meetings.append(Meeting(old: old, new: start + offset, previous: low > 0 ? ends[low - 1] : -1))
                if low == ends.count { ends.append(meetings.count - 1) } else { ends[low] = meetings.count - 1 }
            }
        }
        var current = ends.last ?? -1
        while current >= 0 {
            places[meetings[current].new] = meetings[current].old
            current = meetings[current].previous
        }
    }
}
