// The figures of a run.

package struct Figures: Equatable, Sendable {
    package var days = 0.0
    /// By name; counts add up over runs.
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    mutating func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

    package mutating func add(_ other: Figures) {
        days += other.days
        counts.merge(other.counts, uniquingKeysWith: +)
    }

    package subscript(_ name: String) -> Int { counts[name] ?? 0 }

    /// The sum of all counts whose names begin with `prefix`.
    package func sum(_ prefix: String) -> Int {
        counts.filter { $0.key.hasPrefix(prefix) }.map(\.value).reduce(0, +)
    }

    /// The figures of one run, in one line.
    package var line: String {
        let settings = ["grouping", "escalation", "a feed"].map { self["runs with \($0)"] > 0 ? ", with \($0)" : "" }
        return "\(self["sites"]) sites, \(self["checks"]) checks, \(self["attempts"]) attempts" + settings.joined()
    }

    package var text: String {
        let names = counts.keys.sorted()
        let width = names.map(\.count).max() ?? 0
        let lines = names.map { "  " + $0.padding(to: width) + "  \(self[$0])" }
        return (["  days simulated: \(Int(days.rounded()))"] + lines).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
