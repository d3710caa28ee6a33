// What earlier checks saw the origin serve: the memory that staleness is judged by.

import Foundation

/// A stretch of checks during which the origin served one content.
package struct OriginPeriod: Codable, Equatable, Sendable {
    /// The content in meaning, not in bytes.
    package var meaning: ContentHash
    /// The bytes last seen with that meaning.
    package var content: ContentHash
    package var firstSeen: Date
    package var lastSeen: Date
    /// The first check that saw another content; nil for the present one.
    package var supersededAt: Date?

    package init(
        meaning: ContentHash, content: ContentHash, firstSeen: Date, lastSeen: Date, supersededAt: Date? = nil
    ) {
        self.meaning = meaning
        self.content = content
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.supersededAt = supersededAt
    }
}

/// The end of a time in which Apple's copy was right.
package struct LastRight: Equatable, Sendable {
    /// What the CDN served then, by meaning.
    package var copy: ContentHash?
    /// The first check that found it wrong, and the last that found it right.
    package var parted: OriginChange

    package init(copy: ContentHash?, parted: OriginChange) {
        self.copy = copy
        self.parted = parted
    }
}

/// The contents that the origin was seen to serve, this check included, oldest first.
package struct CopyHistory: Equatable, Sendable {
    package var periods: [OriginPeriod]
    /// Whether somebody kept a memory at all. A one-shot check has none and may fall back on Last-Modified.
    package var isKept: Bool
    /// Since when each check has found a file at the origin; nil: this one is the first to find it, or finds none.
    package var servingSince: Date?
    /// When the origin was first asked; nil: by this check.
    package var firstAskedAt: Date?
    /// How long Apple's CDN took for earlier changes; nil: too little is known.
    package var usual: UsualPropagation?
    /// Whether a file of the origin, or Apple's copy, was ever seen to open links.
    package var hadLinks: Bool
    /// When Apple's copy was last right, for long; nil: it never was, or still is.
    package var lastRight: LastRight?

    package init(
        periods: [OriginPeriod], isKept: Bool = true, servingSince: Date? = nil, firstAskedAt: Date? = nil,
        usual: UsualPropagation? = nil, hadLinks: Bool = false, lastRight: LastRight? = nil
    ) {
        self.lastRight = lastRight
        self.usual = usual
        self.hadLinks = hadLinks
        self.periods = periods
        self.isKept = isKept
        self.servingSince = servingSince
        self.firstAskedAt = firstAskedAt
    }

    /// No memory: a one-shot check.
    package static let none = CopyHistory(periods: [], isKept: false)

    /// The latest stretch in which the origin served a content that it no longer serves.
    package func superseded(_ meaning: ContentHash) -> OriginPeriod? {
        periods.last { $0.meaning == meaning && $0.supersededAt != nil }
    }

    /// Since when nobody here has got the file, where this check does not: nil: not known to be longer than now.
    var outOfSightSince: Date? { periods.last?.lastSeen ?? firstAskedAt }

    /// The same by a clock that is so many seconds ahead.
    package func shifted(by shift: TimeInterval) -> CopyHistory {
        var shifted = self
        for index in shifted.periods.indices {
            shifted.periods[index].firstSeen += shift
            shifted.periods[index].lastSeen += shift
            shifted.periods[index].supersededAt? += shift
        }
        shifted.servingSince? += shift
        shifted.firstAskedAt? += shift
        shifted.lastRight?.parted.at += shift
        shifted.lastRight?.parted.after? += shift
        return shifted
    }
}

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
