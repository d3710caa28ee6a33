// The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/
// OpenMetrics: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md

import Synchronization

/// Writes metrics, family by family. Callers choose names and labels; label values are escaped.
package struct Exposition: Equatable, Sendable {
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    package enum Format: Sendable { case text, openMetrics }

    private var bytes: [UInt8] = []
    /// The places of `_total` in HELP and TYPE lines. OpenMetrics leaves it out there.
    private var totals: [Range<Int>] = []

    package init(capacity: Int = 64 * 1024) { bytes.reserveCapacity(capacity) }

    package func bytes(as format: Format) -> [UInt8] {
        guard format == .openMetrics else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 8)
        var place = 0
        for total in totals {
            result += bytes[place..<total.lowerBound]
            place = total.upperBound
        }
        return result + bytes[place...] + Array("# EOF\n".utf8)
    }

    /// A family with its samples. `help`: one sentence without a final period.
    package mutating func family(
        _ name: String, _ kind: Kind, _ help: String, _ samples: some Sequence<(Labels, Double)>
    ) {
        family(name, kind, help)
        for (labels, value) in samples { sample(name, labels, value) }
    }

    /// Begins a family. Its samples must follow.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        for (word, rest) in [("HELP", help), ("TYPE", kind.rawValue)] {
            bytes.append(contentsOf: "# \(word) \(name)".utf8)
            if kind == .counter, name.hasSuffix(Self.total) {
                totals.append(bytes.count - Self.total.utf8.count..<bytes.count)
            }
            bytes.append(contentsOf: " \(rest)\n".utf8)
        }
    }

    private static let total = "_total"

    /// Adds a sample to the latest family.
    mutating func sample(_ name: String, _ labels: Labels = Labels(), _ value: Double) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(contentsOf: labels.text)
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: Self.text(value).utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Whole numbers have no fraction.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    /// The bound of a bucket. OpenMetrics requires `1.0`. Both formats use it: a series must have one name.
    static func bound(_ value: Double) -> String { value.isFinite ? "\(value)" : text(value) }
}

/// The labels of a sample, escaped once and reused.
package struct Labels: Hashable, Comparable, Sendable {
    private var inner: [UInt8] = []

    package init(_ pairs: KeyValuePairs<String, String> = [:]) {
        for (name, value) in pairs { append(name, value) }
    }

    /// Sorted by name.
    package init(byName labels: [String: String]) {
        for (name, value) in labels.sorted(by: { $0.key < $1.key }) { append(name, value) }
    }

    /// The same name must not be on both sides.
    package static func + (left: Labels, right: Labels) -> Labels {
        var both = left
        if !left.inner.isEmpty, !right.inner.isEmpty { both.inner.append(UInt8(ascii: ",")) }
        both.inner += right.inner
        return both
    }

    package static func < (left: Labels, right: Labels) -> Bool { left.inner.lexicographicallyPrecedes(right.inner) }

    private mutating func append(_ name: String, _ value: String) {
        if !inner.isEmpty { inner.append(UInt8(ascii: ",")) }
        inner.append(contentsOf: name.utf8)
        inner.append(contentsOf: "=\"".utf8)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): inner.append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\""): inner.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\n"): inner.append(contentsOf: "\\n".utf8)
            default: inner.append(byte)
            }
        }
        inner.append(UInt8(ascii: "\""))
    }

    /// `{name="value"}`; empty without labels.
    fileprivate var text: [UInt8] {
        inner.isEmpty ? [] : [UInt8(ascii: "{")] + inner + [UInt8(ascii: "}")]
    }
}

// MARK: - Counters and histograms

/// Counts since the start of the process, one for each combination of labels seen.
package final class Counter: Sendable {
    private let counts: Mutex<[Labels: Int]>

    /// - Parameter known: label combinations that start at 0 before the first event: otherwise a rate misses that event.
    package init(_ known: [Labels] = []) {
        counts = Mutex(Dictionary(known.map { ($0, 0) }) { first, _ in first })
    }

    package func count(_ labels: Labels) { counts.withLock { $0[labels, default: 0] += 1 } }

    package func write(_ name: String, _ help: String, to text: inout Exposition) {
        let counts = counts.withLock { $0 }.sorted { $0.key < $1.key }
        text.family(name, .counter, help, counts.lazy.map { ($0.key, Double($0.value)) })
    }
}

/// A distribution since the start of the process, in buckets with fixed bounds.
package final class Histogram: Sendable {
    private struct State {
        /// One more than `bounds`; not cumulative.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    /// - Parameter bounds: the upper bounds of all buckets but the last one, ascending.
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
            text.sample(name + "_bucket", Labels(["le": Exposition.bound(bound)]), Double(total))
        }
        text.sample(name + "_sum", Labels(), sum)
        text.sample(name + "_count", Labels(), Double(total))
    }
}
