// What the commands ask of a daemon: the same as of its store.

import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

extension RemoteMonitor {
    // MARK: - Acknowledgements

    func acknowledge(
        _ target: AcknowledgeTarget, _ acknowledgement: Acknowledgement
    ) async throws -> AcknowledgeTarget.Changed {
        let id = try await incident(meantBy: target)
        let body = OrderedJSON.object([
            ("by", .string(acknowledgement.by)), ("reason", .string(acknowledgement.reason)),
        ])
        return try changed(try await post("incidents/\(Self.segment(id))/ack", body))
    }

    func unacknowledge(_ target: AcknowledgeTarget) async throws -> AcknowledgeTarget.Changed {
        let id = try await incident(meantBy: target)
        return try changed(try await delete("incidents/\(Self.segment(id))/ack"))
    }

    private func changed(_ answer: Data) throws -> AcknowledgeTarget.Changed {
        let incident = try read(answer, APIAnswer.incident)
        return (incident.id, incident.about)
    }

    private func incident(meantBy target: AcknowledgeTarget) async throws -> String {
        guard Self.isID(target.text) else { throw CommandFailure(.usage, "no incident has this id") }
        return try await target.id { domain, limit in
            let data = try await get("incidents", [("domain", domain.name), ("state", "open"), ("limit", "\(limit)")])
            return try read(data, APIAnswer.incidents).map {
                AcknowledgeTarget.Candidate(
                    id: $0.id, line: "\($0.id.prefix(12))  \($0.about)", acknowledgedBy: $0.acknowledgedBy)
            }
        }
    }

    /// Nothing, `.` and `..` would name another resource.
    private static func isID(_ text: String) -> Bool { text.contains { $0 != "." } }

    // MARK: - Silences

    func add(_ request: SilenceRequest) async throws -> Silence {
        let scope = request.scope
        var members: [(String, OrderedJSON)] = [
            ("domains", .array(scope.domains.map { .string($0.description) })),
            ("labels", .object(scope.labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("until", .string(request.endsAt.rfc3339)), ("author", .string(request.author)),
            ("reason", .string(request.reason)),
        ]
        if let kinds = scope.kinds { members.append(("kinds", .array(kinds.map { .string($0.rawValue) }))) }
        return try read(try await post("silences", .object(members)), APIAnswer.silence)
    }

    func silences() async throws -> [Silence] { try read(try await get("silences"), APIAnswer.silences) }

    /// nil where there is none with this id.
    func endSilence(id: String) async throws -> Silence? {
        guard Self.isID(id) else { return nil }
        return try await Self.known {
            try read(try await delete("silences/\(Self.segment(id))"), APIAnswer.silence)
        }
    }

    // MARK: - What it knows

    /// `domains`: none: all. `withDocuments`: also what the API says of each, by name.
    func status(of domains: [Domain], withDocuments: Bool, now: Date) async throws -> StatusReading {
        let overview: Overview
        var documents: [String: Data] = [:]
        if domains.isEmpty {
            overview = try await self.overview(rows: try await allRows(now: now), now: now)
        } else {
            var rows: [OverviewRow] = []
            for domain in domains {
                let document = try await document(of: domain)
                rows.append(try read(document) { try APIAnswer.domain($0, now: now) })
                documents[domain.name] = document
            }
            overview = try await self.overview(rows: rows, now: now)
        }
        guard withDocuments else { return StatusReading(overview: overview, documents: []) }
        for row in overview.rows where documents[row.name] == nil {
            documents[row.name] = try await document(of: Domain(row.name))
        }
        let names = overview.rows.map(\.name).sorted()
        return StatusReading(overview: overview, documents: names.compactMap { documents[$0] })
    }

    private func allRows(now: Date) async throws -> [OverviewRow] {
        var rows: [OverviewRow] = []
        var cursor: String?
        repeat {
            let data = try await get("domains", [("limit", "500"), ("cursor", cursor)])
            let page = try read(data) { try APIAnswer.domains($0, now: now) }
            rows += page.rows
            cursor = page.next
        } while cursor != nil
        return rows
    }

    private func overview(rows: [OverviewRow], now: Date) async throws -> Overview {
        var fleet: [FleetLine] = []
        for kind in IncidentKind.allCases where kind.isOfFleet {
            let data = try await get("incidents", [("kind", kind.rawValue), ("state", "open"), ("limit", "500")])
            fleet += try read(data) { try APIAnswer.fleet($0, now: now) }
        }
        let pending = try read(try await get("deliveries", [("limit", "1")]), APIAnswer.deliveries).pending
        return Overview(rows: rows, fleet: fleet, pending: pending, time: PageTime(now: now))
    }

    /// `/api/v1/domains/{domain}`, as it comes.
    private func document(of domain: Domain) async throws -> Data {
        guard let document = try await Self.known({ try await get("domains/\(domain.name)") }) else {
            throw CommandFailure(.found, "\(domain) is not watched here")
        }
        return document
    }

    /// nil for an unknown domain.
    func history(of domain: Domain, limit: Int, now: Date) async throws -> DomainHistory? {
        try await Self.known {
            let document = try await get("domains/\(domain.name)/history", [("limit", "\(limit)")])
            return try read(document) { try DomainHistory(document: $0, now: now) }
        }
    }

    func deliveries(
        channel: String?, incident: String?, domain: Domain?, limit: Int
    ) async throws -> (deliveries: [DeliveryRecord], pending: [PendingCount]) {
        let data = try await get(
            "deliveries",
            [
                ("channel", channel), ("incident", incident), ("domain", domain?.name),
                ("limit", "\(min(limit, 500))"),
            ])
        return try read(data, APIAnswer.deliveries)
    }

    /// nil where there is none with this name, or several keys begin so.
    func message(named id: String) async throws -> MessageDocument? {
        try await Self.known { try read(try await get("deliveries/\(Self.segment(id))"), APIAnswer.message) }
    }

    /// Has a channel tried now; nil where none has this name.
    func retry(channel: String) async throws -> RetryDocument? {
        guard Self.isID(channel) else { return nil }
        return try await Self.known {
            try read(try await post("channels/\(Self.segment(channel))/retry", .object([])), APIAnswer.retry)
        }
    }
}
