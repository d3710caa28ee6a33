// What the store keeps of observations: the newest full check of each domain, and bodies.

import Evidence
import Facts
import Foundation
import GRDB
import Monitoring

extension Store {
    /// The newest full check of a domain, with its bodies that the store still has; nil before the first full check.
    package func lastFullCheck(of domain: Domain) async throws -> Observation? {
        try await read { database in
            let data = try Data.fetchOne(
                database, cached: "SELECT facts FROM last_full_check WHERE domain = ?", arguments: [domain.name])
            guard let data else { return nil }
            var observation = try Stored.decode(Observation.self, from: data, what: "full check of \(domain)")
            let copies = [observation.origin, observation.cdn.retrieval].compactMap(\.self)
            for copy in copies + (observation.full?.copies ?? []) {
                guard let hash = copy.answer?.body.hash, observation.contents[hash] == nil else { continue }
                observation.contents[hash] = try Self.body(hash, database)
            }
            return observation
        }
    }

    /// A body by its hash; nil if it was too large to store or retention removed it.
    package func body(_ hash: ContentHash) async throws -> Data? { try await read { try Self.body(hash, $0) } }

    private static func body(_ hash: ContentHash, _ database: Database) throws -> Data? {
        try Data.fetchOne(database, cached: "SELECT bytes FROM body WHERE sha256 = ?", arguments: [hash.hex])
    }

    /// `full`: the encoded full check; nil for a light check.
    static func keep(
        _ full: Data?, _ bodies: [(hash: ContentHash, bytes: Data)], of observation: Observation, _ database: Database
    ) throws {
        if let full {
            try database.execute(
                cached: """
                    INSERT INTO last_full_check (domain, facts) VALUES (?, ?)
                    ON CONFLICT (domain) DO UPDATE SET facts = excluded.facts
                    """, arguments: [observation.domain.name, full])
        }
        for (hash, bytes) in bodies {
            try database.execute(
                cached: keeping,
                arguments: [hash.hex, observation.domain.name, observation.checkedAt.milliseconds, bytes])
        }
    }

    /// Writes `seen_at` at most once a day, to save writes.
    private static let keeping = """
        INSERT INTO body (sha256, domain, seen_at, bytes) VALUES (?, ?, ?, ?)
        ON CONFLICT (sha256) DO UPDATE SET seen_at = excluded.seen_at WHERE seen_at <= excluded.seen_at - 86400000
        """
}

// MARK: - Limits of a stored observation
// A full check has dozens of answers. A site that fills each of them must not fill the disk.

extension Observation {
    /// Limits for bodies other than those of the origin and the CDN: their number, and their bytes together.
    static let maximumOtherBodies = 16
    static let maximumOtherBytes = 1_048_576

    /// The observation without bodies. Retrievals of the full check lose headers and certificates that nobody reads.
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
            // The body of a page is never stored, so its hash would refer to nothing.
            if case .answered(var answer) = full.pages[index].retrieval.outcome {
                answer.body.hash = nil
                full.pages[index].retrieval.outcome = .answered(answer)
            }
        }
        facts.full = full
        return facts
    }

    /// The bodies to store: those of the origin and the CDN, then others up to the limits.
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
            // Keep the headers that findings depend on, even if many others come before them.
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
        // The retrieval of the origin by name keeps the whole chain.
        guard var leaf = connection?.tls?.chain.first else { return }
        leaf.names = Array(leaf.names.prefix(8))
        connection?.tls?.chain = [leaf]
    }
}
