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
