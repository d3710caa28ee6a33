// The network as the product meets it.

import Alerting
import Evidence
import Foundation
import Monitoring
import Storage
import TestSupport

extension Simulation: SimulatedNetwork {
    func look(site: Int, depth: Depth, now: Date) async throws -> Observation {
        let (origin, edges, sight) = sites[site].look(depth, loss: isOffline ? loss : nil)
        sights[site, default: []].append(sight)
        let name = sites[site].name
        guard depth == .full else { return try Observation.of(name, at: now, origin: origin, cdn: edges.first) }
        return try Observation.of(
            name, at: now, origin: origin, cdn: edges.first, scene: Scene().edges(edges))
    }

    func pass(_ duration: Duration) async throws {
        await pass(until: clock.passed + Int64(duration / .milliseconds(1)), life: process?.life)
        if violation != nil { throw CancellationError() }
    }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        guard let process, violation == nil else { throw CancellationError() }
        let channel = URLComponents(string: request.url)?.host?.replacingOccurrences(of: ".test", with: "") ?? ""
        guard let receiver = receivers[channel], let reading else { throw CancellationError() }
        var rows: [AuditedRow] = []
        checking {
            _ = try takeIn(reading)
            let leased = try reading.leased(channel: channel, owner: "life \(process.life)")
            guard !isPastTheStore(request, leased, process) else {
                figures.count("messages past the store")
                return try BodyAudit.examine(request.body, kind: receiver.kind, rows: [])
            }
            // What a failing write left claimed is free again once its lease runs out, and is not what is sent now.
            let first = leased.first { leased.count == 1 || receiver.kind == .pagerduty || $0.frozen == request.body }
            guard let first, first.frozen != nil else {
                throw Violation(
                    rule: .storedBeforeSent,
                    detail: "\(channel) is sent something that none of \(leased.count) claimed rows says")
            }
            let sent = leased.filter { row in
                row.row.id == first.row.id || first.row.digest != nil && row.row.digest == first.row.digest
            }
            if sent.count < leased.count { figures.count("claims left behind by a write that failed") }
            let id = request.headers.first { $0.name == "webhook-id" }?.value
            rows = sent.map(\.row)
            for row in rows {
                // A pager's key is no part of what is stored; the bytes of a digest lie in its first row.
                let stored = receiver.kind == .pagerduty ? request.body : first.frozen
                try audit.examine(row, among: rows, frozen: stored, life: process.life, body: request.body, id: id)
            }
            try BodyAudit.examine(request.body, kind: receiver.kind, rows: rows)
        }
        guard violation == nil else { throw CancellationError() }
        let reaction = receiver.react(&receiverDice, wall: clock.wall)
        // The process may end before the request leaves, and after the answer has come.
        let fate = isQuiet ? 1000 : machineDice.number(0...150)
        if fate == 0 {
            for row in rows { audit.noteLost(row) }
            crash()
            figures.count("machine: killed before a message left")
            throw CancellationError()
        }
        await pass(until: clock.passed + reaction.latency, life: process.life)
        figures.count("attempts")
        figures.count("attempts, receiver \(receiver.mood.rawValue)")
        let status = reaction.answer.status
        let isConfirmed = reaction.isAccepted && status.map { (200..<300).contains($0) } ?? false
        for row in rows {
            log.note(
                clock.passed,
                "\(channel) \(row.type.dropFirst(9)) \(row.incident.prefix(8)) number \(row.sequence): "
                    + "\(status.map(String.init) ?? "no answer")\(reaction.isAccepted ? ", accepted" : "")")
            audit.note(
                Audit.Attempt(
                    life: process.life, isAccepted: reaction.isAccepted, isConfirmed: isConfirmed,
                    isRefusal: [400, 413, 422].contains(status ?? 0), bytes: request.body),
                isRefused: reaction.isRefused, of: row)
        }
        if fate == 1 {
            crash()
            figures.count("machine: killed between answer and mark")
        }
        return reaction.answer
    }

    /// The news that the store takes no writes cannot be stored first.
    private func isPastTheStore(
        _ request: MessageRequest, _ leased: [(row: AuditedRow, frozen: Data?)], _ process: SimulatedProcess
    ) -> Bool {
        guard setup.hasFleet, process.store.health.isFailing else { return false }
        let isStored = leased.contains { $0.frozen == request.body || fleet.incidents[$0.row.incident] != nil }
        return !isStored && String(decoding: request.body, as: UTF8.self).contains("monitor.degraded")
    }
}
