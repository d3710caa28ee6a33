// Results that depend only on contents are not computed again at each check: an unchanged file is linted and compared
// once. Dropping an entry changes no result, so the callers stay pure.

import Facts

/// A bounded cache; the oldest entry is dropped first. If more keys rotate than it holds, every lookup misses, so small
/// results need room for as many contents as there may be domains.
final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State: Sendable {
        var values: [Key: Value] = [:]
        var order: [Key] = []
        /// The index in `order` of the oldest cached key.
        var oldest = 0
        var weight = 0
    }

    private let capacity: Int
    private let weight: @Sendable (Value) -> Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: the weight of all values together.
    ///   - weight: of one value, at least 1.
    init(capacity: Int, weight: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        self.capacity = capacity
        self.weight = weight
    }

    /// The cached value of a key, or the result of `make`. Two callers may compute it at the same time; both results
    /// are equal.
    func value(for key: Key, make: () -> Value) -> Value {
        if let known = state.withLock({ $0.values[key] }) { return known }
        let value = make()
        state.withLock { state in
            guard state.values.updateValue(value, forKey: key) == nil else { return }
            state.order.append(key)
            state.weight += weight(value)
            while state.weight > capacity, let old = state.values.removeValue(forKey: state.order[state.oldest]) {
                state.weight -= weight(old)
                state.oldest += 1
            }
            // Removes the dropped part once it is the larger part.
            if state.oldest > state.order.count / 2 {
                state.order.removeFirst(state.oldest)
                state.oldest = 0
            }
        }
        return value
    }
}
