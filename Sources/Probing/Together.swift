/// Works on all items at once and returns the results in the items' order; what one of them takes holds up no other.
/// `limit`: how many at once; nil: all. What `work` throws is thrown, and the rest cancelled then.
func together<Item: Sendable, Result: Sendable>(
    _ items: [Item], limit: Int? = nil, _ work: @escaping @Sendable (Item) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        var results: [Result?] = Array(repeating: nil, count: items.count)
        var waiting = items.enumerated().makeIterator()
        func startNext() {
            guard let (index, item) = waiting.next() else { return }
            group.addTask { (index, try await work(item)) }
        }
        for _ in 0..<min(items.count, limit ?? items.count) { startNext() }
        for try await (index, result) in group {
            results[index] = result
            startNext()
        }
        return results.compactMap(\.self)
    }
}
