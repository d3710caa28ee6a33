/// What one run of a contender cost.
struct Sample: Sendable {
    let name: String
    let fetches: Int
    /// Opened in the run.
    let connections: Int
    let wall: Duration
    let cpu: Duration

    var fetchesPerCPUSecond: Double { Double(fetches) / (cpu / .seconds(1)) }
    var fetchesPerSecond: Double { Double(fetches) / (wall / .seconds(1)) }
    var cpuMillisecondsPerFetch: Double { cpu / .milliseconds(1) / Double(fetches) }
}

/// The runs of one contender, by one of their numbers.
struct Spread {
    let median: Double
    let least: Double
    let greatest: Double

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
        least = sorted.first ?? .nan
        greatest = sorted.last ?? .nan
    }
}
