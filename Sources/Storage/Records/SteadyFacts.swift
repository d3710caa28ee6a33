// What of an observation must stay the same for two checks to count as one run. Left out is what differs between two
// answers of a server at rest: times, request ids, which of its addresses answered. Without that a row would be written
// at every check. What is left out is kept as the first check of the run saw it.

import Evidence
import Foundation

/// An observation, reduced to what says something about the site.
struct SteadyFacts: Equatable {
    private let facts: Observation
    private let full: SteadyLook?

    init(_ observation: Observation) {
        var facts = observation
        facts.checkedAt = .distantPast
        facts.contents = [:]
        facts.full = nil
        facts.origin = facts.origin.steady
        if case .asked(let retrieval) = facts.cdn { facts.cdn = .asked(retrieval.steadyCopy) }
        self.facts = facts
        full = observation.full.map(SteadyLook.init)
    }
}

/// What a full look saw, whatever the addresses that carried it: clouds and CDNs hand out others at each look-up, in
/// another order.
private struct SteadyLook: Equatable {
    let source: Resolution.Source
    let failure: Failure.Kind?
    let addresses: Set<Data>
    let agents: Set<Data>
    let rootCopy: Retrieval?
    let vantages: Set<Data>
    let edges: Set<Data>
    let pages: Set<Data>

    init(_ look: FullLook) {
        source = look.resolution.source
        failure = look.resolution.failure?.kind
        addresses = Self.distinct(look.addresses) {
            AddressLook(
                address: ResolvedAddress(address: $0.address.family == 6 ? "::" : "", scope: $0.address.scope),
                retrieval: $0.retrieval.steadyGist)
        }
        agents = Self.distinct(look.agents) { AgentLook(agent: $0.agent, retrieval: $0.retrieval.steadyGist) }
        rootCopy = look.rootCopy?.steadyGist
        vantages = Self.distinct(look.vantages) { VantageLook(name: $0.name, retrieval: $0.retrieval.steadyGist) }
        edges = Self.distinct(look.edges) { EdgeLook(address: "", retrieval: $0.retrieval.steadyCopy) }
        pages = Self.distinct(look.pages) {
            PageLook(url: $0.url, retrieval: $0.retrieval.steadyGist, appStore: $0.appStore)
        }
    }

    /// Equal looks give equal bytes: keys are sorted, and there is no date in them.
    private static func distinct<Look>(_ looks: [Look], _ reduced: (Look) -> some Encodable) -> Set<Data> {
        Set(looks.compactMap { try? Stored.encode(reduced($0)) })
    }
}

/// What a plain request met, told alike by looks of both depths.
struct PlainGist: Equatable {
    private let origin: Retrieval
    private let cdn: Retrieval?

    init(_ observation: Observation) {
        origin = observation.origin.steadyGist
        cdn = observation.cdn.retrieval?.steadyGist
    }
}

extension Retrieval {
    /// Headers that a check judges by. A list of the volatile ones would never be complete: servers add request ids,
    /// nonces and timings under names of their own.
    private static let telling: Set<String> = [
        "cache-control", "cf-mitigated", "content-encoding", "content-type", "last-modified", "location", "server",
        "www-authenticate", "x-robots-tag",
    ]

    fileprivate var steady: Retrieval {
        var steady = self
        steady.connection?.timings = Timings(total: 0)
        steady.connection?.address = nil
        switch steady.outcome {
        case .answered(var answer):
            answer.headers = answer.headers.filter { Self.telling.contains($0.name) || $0.name.hasPrefix("apple-") }
            // Compression and chunking vary between servers of one site; the decoded bytes are hashed.
            answer.body.wireBytes = 0
            if case .cutShort(let failure) = answer.body.end { answer.body.end = .cutShort(failure.steadied) }
            steady.outcome = .answered(answer)
        case .failed(let failure):
            steady.outcome = .failed(failure.steadied)
        }
        return steady
    }

    /// Edges are of several makes and ages, and a look meets any of them. Their headers are kept by edge; here counts
    /// what they say of the file.
    fileprivate var steadyCopy: Retrieval {
        var steady = steady
        steady.connection = nil
        if case .answered(var answer) = steady.outcome {
            answer.headers.removeAll { !$0.name.hasPrefix("apple-") && $0.name != "content-type" }
            steady.outcome = .answered(answer)
        }
        return steady
    }

    /// Status, redirects and file. The body of an error page holds what it likes.
    fileprivate var steadyGist: Retrieval {
        var steady = steadyCopy
        switch steady.outcome {
        case .answered(var answer):
            answer.headers = []
            if answer.status != 200 || answer.body.hash == nil {
                answer.body = Answer.Body(hash: nil, decodedBytes: 0, wireBytes: 0, end: .complete)
            }
            steady.outcome = .answered(answer)
        case .failed(let failure):
            steady.outcome = .failed(Failure(kind: failure.kind, phase: failure.phase, detail: ""))
        }
        return steady
    }
}

extension Failure {
    /// libcurl's words hold milliseconds and byte counts.
    fileprivate var steadied: Failure {
        var steady = self
        steady.detail = detail.filter { !$0.isNumber }
        return steady
    }
}
