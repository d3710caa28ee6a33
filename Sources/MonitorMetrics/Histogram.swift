import Synchronization

/// A distribution since the start of the process, in buckets with fixed bounds.
package final class Histogram: Sendable {
    private struct State {
        /// One more than there are bounds; not cumulative.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: the upper ones of all buckets but the last, ascending.
    package init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    package func observe(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock {
            $0.counts[bucket] += 1
            $0.sum += value
        }
    }

    package func write(_ name: String, _ help: String, to text: inout Exposition) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        text.family(name, .histogram, help)
        var total = 0
        for (bound, count) in zip(bounds + [.infinity], counts) {
            total += count
            text.sample(name + "_bucket", Labels(["le": Exposition.text(bound)]), Double(total))
        }
        text.sample(name + "_sum", Labels(), sum)
        text.sample(name + "_count", Labels(), Double(total))
    }
}
