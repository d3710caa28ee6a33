/// Which elements of two lists correspond, where order counts. Time grows as n log n.
struct ListAlignment {
    struct Pair: Equatable {
        let old: Int
        let new: Int
    }

    /// Equal elements, each with one of the other list, in the order of the newer list.
    let pairs: [Pair]
    /// Those of the pairs that changed their order; as few as can be.
    let moved: [Pair]
    let removed: [Int]
    let added: [Int]

    init<Element: Hashable>(from old: [Element], to new: [Element]) {
        var places: [Element: [Int]] = [:]
        for index in old.indices.reversed() { places[old[index], default: []].append(index) }
        var pairs: [Pair] = []
        var added: [Int] = []
        var isPaired = Array(repeating: false, count: old.count)
        for index in new.indices {
            if let place = places[new[index]]?.popLast() {
                pairs.append(Pair(old: place, new: index))
                isPaired[place] = true
            } else {
                added.append(index)
            }
        }
        self.pairs = pairs
        self.added = added
        removed = old.indices.filter { !isPaired[$0] }
        let kept = Self.longestRise(pairs.map(\.old))
        moved = pairs.indices.filter { !kept.contains($0) }.map { pairs[$0] }
    }

    /// The places of a longest subsequence that rises.
    private static func longestRise(_ values: [Int]) -> Set<Int> {
        var ends: [Int] = []
        var previous = Array(repeating: -1, count: values.count)
        for index in values.indices {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < values[index] { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var kept: Set<Int> = []
        var current = ends.last ?? -1
        while current >= 0 {
            kept.insert(current)
            current = previous[current]
        }
        return kept
    }
}
