// Which IDs of a file come nearest to one that it does not have: most often a team or a letter differs.

/// An app ID that a file names, and how it differs from the one that was looked for.
package struct NearbyAppID: Hashable, Sendable {
    package let id: String
    /// A clause such as `another team`; nil where the two have nothing in common.
    package let difference: String?

    /// The nearest first; each once. At most `limit`.
    package static func all(_ ids: [String], near wanted: String, limit: Int = 5) -> [NearbyAppID] {
        let target = Parts(wanted)
        let judged = ids.uniqued.prefix(maximumJudged).map { id in (id: id, nearness: Nearness(Parts(id), target)) }
        return judged.enumerated().sorted {
            ($0.element.nearness.rank, $0.offset) < ($1.element.nearness.rank, $1.offset)
        }.prefix(limit).map { NearbyAppID(id: $0.element.id, difference: $0.element.nearness.words) }
    }

    /// Files of generators name thousands.
    private static let maximumJudged = 2_000

    private struct Parts {
        let prefix: String
        let bundle: String

        init(_ id: String) {
            prefix = String(id.unicodeScalars.prefix { $0 != "." })
            bundle = String(String.UnicodeScalarView(id.unicodeScalars.drop { $0 != "." }.dropFirst()))
        }
    }

    private struct Nearness {
        /// The smaller, the nearer.
        let rank: Int
        let words: String?

        init(_ one: Parts, _ other: Parts) {
            let isSameTeam = one.prefix == other.prefix
            let (bundle, wanted) = (one.bundle.lowercased(), other.bundle.lowercased())
            switch (isSameTeam, bundle == wanted) {
            case (true, true): (rank, words) = (0, "upper and lower case differ")
            case (false, true) where one.prefix.lowercased() == other.prefix.lowercased():
                (rank, words) = (0, "upper and lower case differ")
            case (false, true):
                (rank, words) = (1, one.bundle == other.bundle ? "another team" : "another team, and another case")
            case (true, false):
                let distance = KeySuggestion.distance(Self.short(bundle), Self.short(wanted))
                (rank, words) = (2 + distance, distance <= 2 ? "spelled otherwise" : "another app of the team")
            case (false, false):
                (rank, words) = (1_000 + KeySuggestion.distance(Self.short(bundle), Self.short(wanted)), nil)
            }
        }

        private static func short(_ text: String) -> [UInt8] { Array(text.utf8.prefix(64)) }
    }
}
