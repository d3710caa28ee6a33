// Work that depends on nothing but the contents is not done again at each check: an unchanged file is neither linted nor
// compared anew. Forgetting changes no result, so that the modules above stay pure.

import Synchronization

/// A memory of results by key, bounded; what was made first is forgotten first.
final class Recollection<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var values: [Key: Value] = [:]
        var order: [Key] = []
        var next = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    /// The value of a key, made by `make` where it is not remembered. Two callers may make it at the same time; both get
    /// the same.
    func value(for key: Key, make: () -> Value) -> Value {
        if let known = state.withLock({ $0.values[key] }) { return known }
        let value = make()
        state.withLock { state in
            guard state.values.updateValue(value, forKey: key) == nil else { return }
            if state.order.count < capacity {
                state.order.append(key)
            } else {
                state.values[state.order[state.next]] = nil
                state.order[state.next] = key
                state.next = (state.next + 1) % capacity
            }
        }
        return value
    }
}
