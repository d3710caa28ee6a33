// What the commands ask of a daemon: the same as of its store.

import Evidence
import Foundation
import Monitoring
import StatusServer
import Storage

extension RemoteMonitor {
    // MARK: - Acknowledgements

    /// `target`: the beginning of an id, or a domain that has one open incident.
    func acknowledge(
        _ target: String, _ acknowledgement: Acknowledgement
    ) async throws -> APIAnswer.NamedIncident {
        let id = try await incident(meantBy: target, isAcknowledged: nil)
        let body = OrderedJSON.object([
            ("by", .string(acknowledgement.by)), ("reason", .string(acknowledgement.reason)),
        ])
        return try read(try await post("incidents/\(Self.segment(id))/ack", body), APIAnswer.incident)
    }

    func unacknowledge(_ target: String) async throws -> APIAnswer.NamedIncident {
        let id = try await incident(meantBy: target, isAcknowledged: true)
        return try read(try await delete("incidents/\(Self.segment(id))/ack"), APIAnswer.incident)
    }

    /// `isAcknowledged`: nil where both can be meant.
    private func incident(meantBy target: String, isAcknowledged: Bool?) async throws -> String {
        guard Self.isID(target) else { throw CommandFailure(.usage, "no incident has this id") }
        // An id has no dot.
        guard target.contains("."), let domain = try? Domain(target) else { return target }
        let data = try await get("incidents", [("domain", domain.name), ("state", "open"), ("limit", "20")])
        let open = try read(data, APIAnswer.incidents)
        let meant = isAcknowledged == true ? open.filter { $0.acknowledgedBy != nil } : open
        if meant.count == 1, let only = meant.first { return only.id }
        guard meant.isEmpty else {
            let lines = meant.map { incident in
                "\n  \(incident.id.prefix(12))  \(incident.about)"
                    + (incident.acknowledgedBy.map { ", acknowledged by \($0.displayable)" } ?? "")
            }
            throw CommandFailure(
                .usage, "\(domain) has \(meant.count) open incidents; name one of them:" + lines.joined())
        }
        throw CommandFailure(
            .usage,
            open.isEmpty ? "\(domain) has no open incident" : "no open incident of \(domain) is acknowledged")
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
        do {
            return try read(try await delete("silences/\(Self.segment(id))"), APIAnswer.silence)
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            return nil
        }
    }

    // MARK: - What it knows

    /// `domains`: none: all.
    func overview(of domains: [Domain], now: Date) async throws -> Overview {
        var rows: [OverviewRow] = []
        if domains.isEmpty {
            var cursor: String?
            repeat {
                let data = try await get("domains", [("limit", "500"), ("cursor", cursor)])
                let page = try read(data) { try APIAnswer.domains($0, now: now) }
                rows += page.rows
                cursor = page.next
            } while cursor != nil
        }
        for domain in domains {
            rows.append(try read(try await document(of: domain)) { try APIAnswer.domain($0, now: now) })
        }
        var fleet: [FleetLine] = []
        for kind in IncidentKind.allCases where kind.isOfFleet {
            let data = try await get("incidents", [("kind", kind.rawValue), ("state", "open"), ("limit", "500")])
            fleet += try read(data) { try APIAnswer.fleet($0, now: now) }
        }
        let pending = try read(try await get("deliveries", [("limit", "1")]), APIAnswer.deliveries).pending
        return Overview(rows: rows, fleet: fleet, pending: pending, time: PageTime(now: now))
    }

    /// `/api/v1/domains/{domain}`, as it comes.
    func document(of domain: Domain) async throws -> Data {
        do {
            return try await get("domains/\(domain.name)")
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            throw CommandFailure(.found, "\(domain) is not watched here")
        }
    }

    /// `/api/v1/domains/{domain}/history`, as it comes.
    func history(of domain: Domain, limit: Int) async throws -> Data {
        do {
            return try await get("domains/\(domain.name)/history", [("limit", "\(limit)")])
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            throw CommandFailure(.found, "\(domain) is not watched here, or its first check has not ended")
        }
    }

    func deliveries(
        channel: String?, incident: String?, domain: Domain?, limit: Int
    ) async throws -> (entries: [DeliveryListing.Entry], pending: [PendingCount]) {
        let data = try await get(
            "deliveries",
            [
                ("channel", channel), ("incident", incident), ("domain", domain?.name),
                ("limit", "\(min(limit, 500))"),
            ])
        let (deliveries, pending) = try read(data, APIAnswer.deliveries)
        return (deliveries.map { DeliveryListing.Entry(record: $0.record, incident: $0.incident) }, pending)
    }

    /// nil where there is none with this name, or several keys begin so.
    func message(named id: String) async throws -> MessageDocument? {
        do {
            return try read(try await get("deliveries/\(Self.segment(id))"), APIAnswer.message)
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            return nil
        }
    }

    /// Has a channel tried now; nil where none has this name.
    func retry(channel: String) async throws -> RetryDocument? {
        guard Self.isID(channel) else { return nil }
        do {
            let answer = try await post("channels/\(Self.segment(channel))/retry", .object([]))
            return try read(answer, APIAnswer.retry)
        } catch let refusal as RemoteRefusal where refusal.status == 404 {
            return nil
        }
    }
}
