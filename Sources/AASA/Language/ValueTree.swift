/// The values of a variable, those with a common beginning together: `$(region)` has hundreds of two letters each.
struct ValueTree {
    struct Node {
        /// The nodes that follow, by what leads to them. Their numbers are greater than the node's own.
        var branches: [Branch] = []
        var isEnd = false
        fileprivate var numbers: [PatternElement: Int] = [:]
    }

    struct Branch {
        let element: PatternElement
        let node: Int
    }

    /// The root first.
    private(set) var nodes = [Node()]

    /// Where case does not count, values that differ in case alone become one.
    init(_ values: [[PatternElement]], isCaseSensitive: Bool) {
        for value in values {
            var current = 0
            for element in value {
                if !isCaseSensitive, case .scalar(let scalar) = element {
                    current = child(of: current, .scalar(scalar.folded))
                } else {
                    current = child(of: current, element)
                }
            }
            nodes[current].isEnd = true
        }
    }

    private mutating func child(of node: Int, _ element: PatternElement) -> Int {
        if let known = nodes[node].numbers[element] { return known }
        let number = nodes.count
        nodes.append(Node())
        nodes[node].numbers[element] = number
        nodes[node].branches.append(Branch(element: element, node: number))
        return number
    }
}
