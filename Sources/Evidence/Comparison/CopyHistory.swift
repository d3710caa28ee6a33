// What the origin served at earlier checks. Staleness is derived from it.

import Foundation

/// A period of checks during which the origin served one content.
package struct OriginPeriod: Codable, Equatable, Sendable {
    /// By meaning, not by bytes.
    package var meaning: ContentHash
    /// The last bytes seen with that meaning.
    package var content: ContentHash
    package var firstSeen: Date
    package var lastSeen: Date
    /// The first check that saw another content; nil for the current one.
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

/// The end of a period in which Apple's copy was right.
package struct LastRight: Equatable, Sendable {
    /// What the CDN served then, by meaning.
    package var copy: ContentHash?
    /// `at`: the first check that found it wrong. `after`: the last that found it right.
    package var divergedAt: OriginChange

    package init(copy: ContentHash?, divergedAt: OriginChange) {
        self.copy = copy
        self.divergedAt = divergedAt
    }
}

/// The contents that the origin was seen to serve, this check included, oldest first.
package struct CopyHistory: Equatable, Sendable {
    package var periods: [OriginPeriod]
    /// Whether earlier checks were recorded. A one-shot check has no history and may fall back to Last-Modified.
    package var isKept: Bool
    /// Since when each check has found a file at the origin; nil if this one is the first to find it, or finds none.
    package var servingSince: Date?
    /// When the origin was first asked; nil if by this check.
    package var firstAskedAt: Date?
    /// How long Apple's CDN took for earlier changes; nil if too little is known.
    package var usual: UsualPropagation?
    /// Whether a file of the origin, or Apple's copy, ever opened links.
    package var hadLinks: Bool
    /// When Apple's copy was last right for long; nil if it never was, or still is.
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

    /// No history: a one-shot check.
    package static let none = CopyHistory(periods: [], isKept: false)

    /// The latest period of a content that the origin no longer serves.
    package func superseded(_ meaning: ContentHash) -> OriginPeriod? {
        periods.last { $0.meaning == meaning && $0.supersededAt != nil }
    }

    /// Since when no check here has got the file, if this one does not; nil if not known to be longer than now.
    var outOfSightSince: Date? { periods.last?.lastSeen ?? firstAskedAt }

    /// The same history by a clock that is `shift` seconds ahead.
    package func shifted(by shift: TimeInterval) -> CopyHistory {
        var shifted = self
        for index in shifted.periods.indices {
            shifted.periods[index].firstSeen += shift
            shifted.periods[index].lastSeen += shift
            shifted.periods[index].supersededAt? += shift
        }
        shifted.servingSince? += shift
        shifted.firstAskedAt? += shift
        shifted.lastRight?.divergedAt.at += shift
        shifted.lastRight?.divergedAt.after? += shift
        return shifted
    }
}

/// How long Apple's CDN takes for a change of one domain, from what earlier changes took.
package struct UsualPropagation: Codable, Equatable, Sendable {
    /// Seconds.
    package var median: Int
    /// Nine of ten changes took no longer.
    package var percentile90: Int

    package init(median: Int, percentile90: Int) {
        self.median = median
        self.percentile90 = percentile90
    }

    /// nil for fewer than five changes.
    package init?(_ seconds: [Int]) {
        guard seconds.count >= 5 else { return nil }
        let sorted = seconds.sorted()
        median = Int(sorted.map(Double.init).medianOfSorted)
        percentile90 = sorted[(sorted.count * 9 + 9) / 10 - 1]
    }
}

extension [Double] {
    /// The middle element, or the mean of the two in the middle. The array must be sorted and not empty.
    package var medianOfSorted: Double { (self[(count - 1) / 2] + self[count / 2]) / 2 }
}
