// What each edge of the CDN serves, and which edges serve an old file.

import Facts
import Foundation

struct EdgeSurvey {
    /// What an edge says about the file.
    enum Copy: Hashable {
        case file(ContentHash)
        /// Something that is not the file.
        case noFile
        case missing
    }

    /// The edges that say something about the file, in the order of the observation.
    let speaking: [(result: EdgeResult, copy: Copy)]
    let silent: [EdgeResult]

    init(_ readings: Readings) {
        let results = readings.cdn == nil ? [] : readings.observation.full?.edges ?? []
        silent = results.filter { !$0.retrieval.isAboutFile }
        speaking = results.filter(\.retrieval.isAboutFile).map { result in
            switch readings.served(by: result.retrieval) {
            case .file(let meaning, _): (result, .file(meaning))
            case .page, .noFile, .partial: (result, .noFile)
            // Such an answer says that there is no copy: 404, 410, or Apple's own reason.
            case .redirect, .status, .clientCertificate, .failed: (result, .missing)
            }
        }
    }

    /// All edges that were asked: the total of every count of edges.
    var asked: Int { speaking.count + silent.count }

    var isEmpty: Bool { speaking.isEmpty && silent.isEmpty }

    /// Whether the edges that say something about the file disagree.
    var isMixed: Bool { Set(speaking.map(\.copy)).count > 1 }

    /// - Parameters:
    ///   - current: what the origin serves at any of its addresses, or served last; empty if that is unknown.
    ///   - isOld: whether the origin is known to have served a content before.
    /// - Returns: how many edges serve what.
    func tally(current: Set<ContentHash>, isOld: (ContentHash) -> Bool) -> EdgeTally {
        var tally = EdgeTally(asked: asked, unreachable: silent.count)
        for (_, copy) in speaking {
            switch copy {
            case .file(let meaning) where current.contains(meaning): tally.inSync += 1
            case .file(let meaning) where isOld(meaning): tally.old += 1
            case .file where current.isEmpty: tally.unknown += 1
            case .file, .noFile: tally.other += 1
            case .missing: tally.missing += 1
            }
        }
        return tally
    }
}

extension Readings {
    /// The answers that say what Apple's CDN has: one per edge, or the one that represents all.
    var copies: [Retrieval] {
        let edges = EdgeSurvey(self).speaking.map(\.result.retrieval)
        return edges.isEmpty ? [cdn].compactMap(\.self).filter(\.isAboutFile) : edges
    }

    /// Whether Apple's CDN serves a file anywhere.
    var isServedByCDN: Bool { copies.contains { file(of: $0) != nil } }

    /// The contents that the origin serves, by meaning: at the address of the request by name, and at all others. An
    /// origin that alternates makes no copy old; differing addresses have their own finding.
    package var currentMeanings: Set<ContentHash> {
        let results = (observation.full?.addresses ?? []).map { file(of: $0.retrieval) }
        return Set(([originFile] + results).compactMap { $0 }.filter(\.namesService).compactMap(\.meaning))
    }
}

/// How many of the CDN's edges serve what.
package struct EdgeTally: Codable, Equatable, Sendable {
    /// Edges that were asked: the sum of all others.
    package var asked: Int
    /// Edges that serve what the origin serves at any of its addresses, by meaning; while it serves no file: what it served
    /// last.
    package var inSync: Int
    /// Edges that serve what the origin served before.
    package var old: Int
    /// Edges without a copy, with or without Apple's reason.
    package var missing = 0
    /// Edges that serve something else.
    package var other = 0
    /// Edges that serve a file, while it is unknown what the origin serves. They are not wrong.
    package var unknown = 0
    /// Edges that gave no answer about the file.
    package var unreachable: Int

    package init(asked: Int, inSync: Int = 0, old: Int = 0, unreachable: Int = 0) {
        self.asked = asked
        self.inSync = inSync
        self.old = old
        self.unreachable = unreachable
    }

    /// An older store has no `unknown`.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        asked = try values.decode(Int.self, forKey: .asked)
        inSync = try values.decode(Int.self, forKey: .inSync)
        old = try values.decode(Int.self, forKey: .old)
        missing = try values.decode(Int.self, forKey: .missing)
        other = try values.decode(Int.self, forKey: .other)
        unknown = try values.decodeIfPresent(Int.self, forKey: .unknown) ?? 0
        unreachable = try values.decode(Int.self, forKey: .unreachable)
    }

    private enum CodingKeys: String, CodingKey {
        case asked, inSync, old, missing, other, unknown, unreachable
    }
}
