// The headers of every poll of Apple's CDN that differ from the last of the same edge: nothing else documents how its
// caches behave.

import Evidence
import Foundation
import GRDB

extension Store {
    /// Beyond this the oldest go. `Via` names one of many caches behind the same edge, another at almost every poll, so that
    /// each set of headers has one row, and not one each time that it comes back.
    package static let maximumHeaderRunsPerDomain = 1000
    private static let maximumFields = 100
    private static let maximumValue = 2000

    /// The sets of headers that were met, the last met first. `edge`: nil for all edges.
    package func cdnHeaders(of domain: Domain, edge: String? = nil, limit: Int) async throws -> [CDNHeaderRun] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                cached: """
                    SELECT * FROM cdn_header WHERE domain = :domain AND (:edge IS NULL OR edge = :edge)
                    ORDER BY last_at DESC, id DESC LIMIT :limit
                    """, arguments: ["domain": domain.name, "edge": edge, "limit": max(0, limit)])
            return try rows.map { row in
                CDNHeaderRun(
                    edge: row["edge"], status: row["status"],
                    headers: try Stored.decode([HeaderField].self, from: row["headers"], what: "headers of \(domain)"),
                    firstAt: Date(milliseconds: row["first_at"]), lastAt: Date(milliseconds: row["last_at"]),
                    count: row["count"])
            }
        }
    }

    static func recordHeaders(of observation: Observation, _ database: Database) throws {
        let instant = observation.checkedAt.milliseconds
        for (edge, answer) in polls(observation) {
            let headers = answer.headers.prefix(maximumFields).map {
                HeaderField(name: $0.name.shortened(to: 100), value: $0.value.shortened(to: maximumValue))
            }
            let steady = CDNHeaderRun.steady(headers).hex
            try database.execute(
                cached: """
                    UPDATE cdn_header SET last_at = max(last_at, ?), count = count + 1
                    WHERE domain = ? AND edge = ? AND steady = ? AND status = ?
                    """, arguments: [instant, observation.domain.name, edge, steady, answer.status])
            if database.changesCount > 0 { continue }
            try database.execute(
                cached: """
                    INSERT INTO cdn_header (domain, edge, status, first_at, last_at, steady, headers)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    observation.domain.name, edge, answer.status, instant, instant, steady,
                    try Stored.encode(headers),
                ])
        }
    }

    /// Each edge that answered, once: the answer that represents the CDN is one of the edges of a full check.
    private static func polls(_ observation: Observation) -> [(edge: String, answer: Answer)] {
        var polls: [(edge: String, answer: Answer)] = []
        let plain = observation.cdn.retrieval.map { [EdgeLook(address: $0.edge, retrieval: $0)] } ?? []
        for probe in (observation.full?.edges ?? []) + plain {
            let edge = probe.address.isEmpty ? probe.retrieval.edge : probe.address
            guard let answer = probe.retrieval.answer, !polls.contains(where: { $0.edge == edge }) else { continue }
            polls.append((edge.shortened(to: 100), answer))
        }
        return polls
    }
}

extension Retrieval {
    /// The address that answered; empty behind a proxy, whose address it would be.
    fileprivate var edge: String { connection?.viaProxy == true ? "" : connection?.address ?? "" }
}
