// How much of an observation is stored. A full check has dozens of answers; a site that fills each of them must not
// fill the disk.

import Evidence
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
