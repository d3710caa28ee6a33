/// How long Apple's CDN takes for a change of one domain, from what earlier changes took.
package struct UsualPropagation: Codable, Equatable, Sendable {
    /// In seconds.
    package var median: Int
    /// Nine of ten changes took no longer.
    package var ninth: Int

    package init(median: Int, ninth: Int) {
        self.median = median
        self.ninth = ninth
    }

    /// nil: of fewer than five changes nothing is usual.
    package init?(_ seconds: [Int]) {
        guard seconds.count >= 5 else { return nil }
        let sorted = seconds.sorted()
        median = Int(sorted.map(Double.init).medianOfSorted)
        ninth = sorted[(sorted.count * 9 + 9) / 10 - 1]
    }
}

extension [Double] {
    /// The middle, or the mean of the two in the middle. The array is sorted and not empty.
    package var medianOfSorted: Double { (self[(count - 1) / 2] + self[count / 2]) / 2 }
}
