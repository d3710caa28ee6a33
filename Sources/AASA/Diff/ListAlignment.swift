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
