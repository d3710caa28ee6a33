// What of an observation must stay the same for two checks to count as one run. Left out is what differs between two
// answers of a server at rest: times, request ids, which of its addresses answered. Without that a row would be written
// at every check. What is left out is kept as the first check of the run saw it.

import Evidence
import Foundation

/// An observation, reduced to what says something about the site.
struct SteadyFacts: Equatable {
    private let facts: Observation

    init(_ observation: Observation) {
        var facts = observation
        facts.checkedAt = .distantPast
        facts.contents = [:]
        facts.origin = Self.steady(facts.origin)
        if case .asked(let retrieval) = facts.cdn { facts.cdn = .asked(Self.steady(retrieval)) }
        self.facts = facts
    }

    /// Headers that a check judges by. A list of the volatile ones would never be complete: servers add request ids,
    /// nonces and timings under names of their own.
    private static let telling: Set<String> = [
        "cache-control", "cf-mitigated", "content-encoding", "content-type", "last-modified", "location", "server",
        "www-authenticate", "x-robots-tag",
    ]

    private static func steady(_ retrieval: Retrieval) -> Retrieval {
        var steady = retrieval
        steady.connection?.timings = Timings(total: 0)
        steady.connection?.address = nil
        switch steady.outcome {
        case .answered(var answer):
            answer.headers = answer.headers.filter { telling.contains($0.name) || $0.name.hasPrefix("apple-") }
            // Compression and chunking vary between servers of one site; the decoded bytes are hashed.
            answer.body.wireBytes = 0
            if case .cutShort(let failure) = answer.body.end { answer.body.end = .cutShort(steadied(failure)) }
            steady.outcome = .answered(answer)
        case .failed(let failure):
            steady.outcome = .failed(steadied(failure))
        }
        return steady
    }

    /// libcurl's words hold milliseconds and byte counts.
    private static func steadied(_ failure: Failure) -> Failure {
        var steady = failure
        steady.detail = failure.detail.filter { !$0.isNumber }
        return steady
    }
}
