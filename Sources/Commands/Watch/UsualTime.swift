import Evidence
import Foundation

/// How long Apple's CDN took for earlier changes of the same domain.
struct UsualTime: Equatable, Sendable {
    /// In seconds.
    let median: TimeInterval
    let shortest: TimeInterval
    let longest: TimeInterval
    let changes: Int

    /// - Returns: nil where there is no earlier change.
    init?(_ seconds: [TimeInterval]) {
        let sorted = seconds.sorted()
        guard let shortest = sorted.first, let longest = sorted.last else { return nil }
        median = sorted.medianOfSorted
        self.shortest = shortest
        self.longest = longest
        changes = sorted.count
    }

    /// `usually 6 h here, between 2 h and 26 h (5 changes)`
    var words: String {
        let one = "usually \(median.inWords) here"
        if changes == 1 { return "the last change took \(median.inWords) here" }
        return "\(one), between \(shortest.inWords) and \(longest.inWords) (\(changes) changes)"
    }
}
