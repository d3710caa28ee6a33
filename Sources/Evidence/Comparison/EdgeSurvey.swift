// What each edge of the CDN serves, and which of it is old.

import Facts
import Foundation

struct EdgeSurvey {
    /// What an edge that speaks of the file says.
    enum Copy: Hashable {
        case file(ContentHash)
        /// Something that is no such file.
        case noFile
        case missing
    }

    /// The edges that speak of the file, in the resolver's order.
    let speaking: [(look: EdgeLook, copy: Copy)]
    let silent: [EdgeLook]

    init(_ readings: Readings) {
        let looks = readings.cdn == nil ? [] : readings.observation.full?.edges ?? []
        silent = looks.filter { !$0.retrieval.speaksOfFile }
        speaking = looks.filter(\.retrieval.speaksOfFile).map { look in
            switch readings.served(by: look.retrieval) {
            case .file(let meaning, _): (look, .file(meaning))
            case .page, .noFile, .partial: (look, .noFile)
            // An answer of another status speaks of the file where Apple says why there is none.
            case .redirect, .status, .clientCertificate, .failed: (look, .missing)
            }
        }
    }

    /// The edges that were asked, whatever they said: what counts of edges are counted against.
    var asked: Int { speaking.count + silent.count }

    var isEmpty: Bool { speaking.isEmpty && silent.isEmpty }

    /// Whether those that speak of the file disagree.
    var isMixed: Bool { Set(speaking.map(\.copy)).count > 1 }

    /// - Parameters:
    ///   - current: what the origin serves at any of its addresses.
    ///   - isOld: whether the origin is known to have served a content before.
    /// - Returns: how many edges serve what.
    func tally(current: Set<ContentHash>, isOld: (ContentHash) -> Bool) -> EdgeTally {
        var tally = EdgeTally(asked: asked, unreachable: silent.count)
        for (_, copy) in speaking {
            switch copy {
            case .file(let meaning) where current.contains(meaning): tally.inSync += 1
            case .file(let meaning) where isOld(meaning): tally.old += 1
            case .file, .noFile: tally.other += 1
            case .missing: tally.missing += 1
            }
        }
        return tally
    }
}

extension Readings {
    /// The answers that say what Apple's CDN has: that of each edge, or the one that speaks for all.
    var copies: [Retrieval] {
        let edges = EdgeSurvey(self).speaking.map(\.look.retrieval)
        return edges.isEmpty ? [cdn].compactMap(\.self).filter(\.speaksOfFile) : edges
    }

    /// Whether Apple's CDN serves a file anywhere.
    var isServedByCDN: Bool { copies.contains { file(of: $0) != nil } }

    /// The contents that the origin serves, by their meaning: at the address that the request by name met, and at every
    /// other. An origin that alternates makes no copy old; that its addresses differ is a finding of its own.
    package var currentMeanings: Set<ContentHash> {
        let looks = (observation.full?.addresses ?? []).map { file(of: $0.retrieval) }
        return Set(([originFile] + looks).compactMap { $0 }.filter(\.namesService).compactMap(\.meaning))
    }
}

/// How many of the CDN's edges serve what.
package struct EdgeTally: Codable, Equatable, Sendable {
    /// Edges that were asked: the sum of all others.
    package var asked: Int
    /// They serve what the origin serves, at any of its addresses, in meaning.
    package var inSync: Int
    /// They serve what the origin served before.
    package var old: Int
    /// They have no copy, with or without Apple's reason.
    package var missing = 0
    /// They serve something else, or it is not known what the origin serves.
    package var other = 0
    /// They gave no answer about the file.
    package var unreachable: Int

    package init(asked: Int, inSync: Int = 0, old: Int = 0, unreachable: Int = 0) {
        self.asked = asked
        self.inSync = inSync
        self.old = old
        self.unreachable = unreachable
    }

    private enum CodingKeys: String, CodingKey {
        case asked
        case inSync = "in_sync"
        case old, missing, other, unreachable
    }
}
