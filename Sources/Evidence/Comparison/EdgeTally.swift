/// How many of the CDN's edges serve what.
package struct EdgeTally: Codable, Equatable, Sendable {
    /// Edges that were asked: the sum of all others.
    package var asked: Int
    /// They serve what the origin serves, at any of its addresses, in meaning.
    package var inSync: Int
    /// They serve what the origin served before.
    package var old: Int
    /// They have no copy, with or without Apple's reason.
    package var missing: Int
    /// They serve something else, or it is not known what the origin serves.
    package var other: Int
    /// They gave no answer about the file.
    package var unreachable: Int

    package init(
        asked: Int, inSync: Int = 0, old: Int = 0, missing: Int = 0, other: Int = 0, unreachable: Int = 0
    ) {
        self.asked = asked
        self.inSync = inSync
        self.old = old
        self.missing = missing
        self.other = other
        self.unreachable = unreachable
    }

    private enum CodingKeys: String, CodingKey {
        case asked
        case inSync = "in_sync"
        case old, missing, other, unreachable
    }
}
