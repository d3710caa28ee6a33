// Work that depends on nothing but the contents is not done again at each check: an unchanged file is neither linted nor
// compared anew. Forgetting changes no result, so that the modules above stay pure.

import Synchronization

/// A memory of results by key, bounded; what was made first is forgotten first. Where more keys come round than it holds,
/// nothing is ever found: small results are best kept for as many contents as there may be domains.
final class Recollection<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var values: [Key: Value] = [:]
        var order: [Key] = []
        /// The place in `order` of the oldest key that is remembered.
        var oldest = 0
        var weight = 0
    }

    private let capacity: Int
    private let weight: @Sendable (Value) -> Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: of all values together.
    ///   - weight: of one value, at least 1.
    init(capacity: Int, weight: @escaping @Sendable (Value) -> Int = { _ in 1 }) {
        self.capacity = capacity
        self.weight = weight
    }

    /// The value of a key, made by `make` where it is not remembered. Two callers may make it at the same time; both get
    /// the same.
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
            // The forgotten part goes when it is the greater part.
            if state.oldest > state.order.count / 2 {
                state.order.removeFirst(state.oldest)
                state.oldest = 0
            }
        }
        return value
    }
}
