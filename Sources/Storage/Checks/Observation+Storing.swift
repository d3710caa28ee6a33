// How much of an observation is stored. A full check has dozens of answers; a site that fills each of them must not
// fill the disk.

import Evidence
import Facts
import Foundation

extension Observation {
    /// Bodies beside those of the origin and the CDN, and their bytes together.
    static let maximumOtherBodies = 16
    static let maximumOtherBytes = 1_048_576

    /// The facts without bodies; the probes of a full check without what nobody reads of them.
    var storable: Observation {
        var facts = self
        facts.contents = [:]
        guard var full else { return facts }
        for index in full.addresses.indices { full.addresses[index].retrieval.trim() }
        for index in full.agents.indices { full.agents[index].retrieval.trim() }
        full.rootCopy?.trim()
        for index in full.vantages.indices { full.vantages[index].retrieval.trim() }
        for index in full.edges.indices { full.edges[index].retrieval.trim() }
        for index in full.pages.indices {
            full.pages[index].retrieval.trim()
            // A page's body is never kept, and its hash names nothing.
            if case .answered(var answer) = full.pages[index].retrieval.outcome {
                answer.body.hash = nil
                full.pages[index].retrieval.outcome = .answered(answer)
            }
        }
        facts.full = full
        return facts
    }

    /// The bodies to keep: those of the origin and the CDN, and of the others as many as there is room for.
    var storableBodies: [(hash: ContentHash, bytes: Data)] {
        var kept: [ContentHash] = [origin, cdn.retrieval].compactMap { $0?.answer?.body.hash }
        let plain = kept.count
        var room = Self.maximumOtherBytes
        for copy in full?.copies ?? [] {
            guard let hash = copy.answer?.body.hash, !kept.contains(hash), let size = contents[hash]?.count,
                size <= min(room, Store.maximumBodyBytes), kept.count < plain + Self.maximumOtherBodies
            else { continue }
            room -= size
            kept.append(hash)
        }
        var seen: Set<ContentHash> = []
        return kept.compactMap { hash in
            guard seen.insert(hash).inserted, let bytes = contents[hash], bytes.count <= Store.maximumBodyBytes else {
                return nil
            }
            return (hash, bytes)
        }
    }
}

extension Retrieval {
    private static let maximumHeaders = 24

    fileprivate mutating func trim() {
        if case .answered(var answer) = outcome {
            // What findings rest on stays, however many headers come before it.
            func isRead(_ field: HeaderField) -> Bool {
                HeaderField.readNames.contains(field.name) || field.name.hasPrefix("apple-")
            }
            var room = Self.maximumHeaders - answer.headers.count(where: isRead)
            let kept = answer.headers.filter { field in
                if isRead(field) { return true }
                room -= 1
                return room >= 0
            }
            answer.headers = kept.prefix(Self.maximumHeaders).map {
                HeaderField(name: $0.name.shortened(to: 80), value: $0.value.shortened(to: 500))
            }
            outcome = .answered(answer)
        }
        // The whole chain is stored for the request by name.
        guard var leaf = connection?.tls?.chain.first else { return }
        leaf.names = Array(leaf.names.prefix(8))
        connection?.tls?.chain = [leaf]
    }
}

// MARK: - What of an observation must stay the same for two checks to count as one run. Left out is what differs between two
// answers of an unchanged server: times, request ids, which of its addresses answered. Otherwise every check would
// write a row. What is left out is stored as the first check of the run saw it.

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
