import Synchronization

/// Counts since the start of the process, one for each set of labels that was seen.
package final class Counter: Sendable {
    private let counts: Mutex<[Labels: Int]>

    /// - Parameter known: shown as 0 before they are first counted, so that a rate begins at the first event.
    package init(_ known: [Labels] = []) {
        counts = Mutex(Dictionary(known.map { ($0, 0) }) { first, _ in first })
    }

    package func count(_ labels: Labels) { counts.withLock { $0[labels, default: 0] += 1 } }

    package func write(_ name: String, _ help: String, to text: inout Exposition) {
        let counts = counts.withLock { $0 }.sorted { $0.key < $1.key }
        text.family(name, .counter, help, counts.lazy.map { ($0.key, Double($0.value)) })
    }
}
