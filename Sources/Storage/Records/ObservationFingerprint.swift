// What of an observation must stay the same for two checks to count as one run. Left out is what differs between two
// answers of an unchanged server: times, request ids, which of its addresses answered. Otherwise every check would
// write a row. What is left out is stored as the first check of the run saw it.

import Evidence
import Foundation

/// What a check writes of an observation, made before the transaction. No stored one is decoded to compare it: hashes are.
struct StoredFacts: Sendable {
    /// With the bodies.
    let observation: Observation
    private let storable: Observation
    let plain: ContentHash
    let steady: ContentHash

    init(_ observation: Observation) {
        self.observation = observation
        storable = observation.storable
        plain = ValueHash.of(PlainFingerprint(storable))
        steady = ValueHash.of(ObservationFingerprint(storable))
    }

    func encoded() throws -> Data { try Stored.encode(storable) }
}

/// An observation, reduced to what says something about the site.
private struct ObservationFingerprint: Encodable {
    private let facts: Observation
    private let full: FullFingerprint?

    init(_ observation: Observation) {
        var facts = observation
        facts.checkedAt = .distantPast
        facts.contents = [:]
        facts.full = nil
        facts.origin = facts.origin.steady
        if case .asked(let retrieval) = facts.cdn { facts.cdn = .asked(retrieval.steadyCopy) }
        self.facts = facts
        full = observation.full.map(FullFingerprint.init)
    }
}

/// What a full check saw, whatever addresses answered: clouds and CDNs return others at each look-up, in another order.
private struct FullFingerprint: Encodable {
    let source: Resolution.Source
    let failure: Failure.Kind?
    let addresses: [String]
    let agents: [String]
    let rootCopy: Retrieval?
    let vantages: [String]
    let edges: [String]
    let pages: [String]

    init(_ full: FullLook) {
        source = full.resolution.source
        failure = full.resolution.failure?.kind
        addresses = Self.distinct(full.addresses) {
            AddressLook(
                address: ResolvedAddress(address: $0.address.family == 6 ? "::" : "", scope: $0.address.scope),
                retrieval: $0.retrieval.steadySummary)
        }
        agents = Self.distinct(full.agents) { AgentLook(agent: $0.agent, retrieval: $0.retrieval.steadySummary) }
        rootCopy = full.rootCopy?.steadySummary
        vantages = Self.distinct(full.vantages) { VantageLook(name: $0.name, retrieval: $0.retrieval.steadySummary) }
        edges = Self.distinct(full.edges) { EdgeLook(address: "", retrieval: $0.retrieval.steadyCopy) }
        pages = Self.distinct(full.pages) {
            PageLook(url: $0.url, retrieval: $0.retrieval.steadySummary, appStore: $0.appStore)
        }
    }

    /// Their order and number say nothing.
    private static func distinct<Probe>(_ probes: [Probe], _ reduced: (Probe) -> some Encodable) -> [String] {
        Set(probes.map { ValueHash.of(reduced($0)).hex }).sorted()
    }
}

/// What the plain requests got: the same at both depths.
private struct PlainFingerprint: Encodable {
    private let origin: Retrieval
    private let cdn: Retrieval?

    init(_ observation: Observation) {
        origin = observation.origin.steadySummary
        cdn = observation.cdn.retrieval?.steadySummary
    }
}

extension Retrieval {
    fileprivate var steady: Retrieval {
        var steady = self
        steady.connection?.timings = Timings(total: 0)
        steady.connection?.address = nil
        switch steady.outcome {
        case .answered(var answer):
            // A list of the volatile ones would never be complete: servers add request ids, nonces and timings under names
            // of their own.
            answer.headers = answer.headers.filter {
                HeaderField.steadyNames.contains($0.name) || $0.name.hasPrefix("apple-")
            }
            // Compression and chunking vary between servers of one site; the decoded bytes are hashed.
            answer.body.wireBytes = 0
            if case .cutShort(let failure) = answer.body.end { answer.body.end = .cutShort(failure.steadied) }
            steady.outcome = .answered(answer)
        case .failed(let failure):
            steady.outcome = .failed(failure.steadied)
        }
        return steady
    }

    /// Edges differ in make and age, and a check meets any of them. Their headers are stored by edge; here counts
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
    fileprivate var steadySummary: Retrieval {
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
