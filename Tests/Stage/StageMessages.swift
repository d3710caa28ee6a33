// The notifications about the incidents of the stage, and their acknowledgements.

import Evidence
import Foundation
import Monitoring
import Storage

package enum StageMessages {
    package static func send(into store: Store, now: Date) async throws {
        let incidents = try await store.incidents(IncidentQuery(limit: 100)).map(\.incident)
            .sorted { ($1.openedAt, $0.id) < ($0.openedAt, $1.id) }
        for channel in ["hook", "ops", "pager"] {
            try await store.transact(channel: channel) { transaction in
                for incident in incidents {
                    guard let firedAt = incident.firedAt, channel != "pager" || incident.severity == .error else {
                        continue
                    }
                    var record = NotificationRecord(incidentID: incident.id)
                    record.notifiedAt = firedAt + 4
                    record.state = incident.state == .resolved ? .resolved : .firing
                    record.version = incident.version
                    try transaction.save(record, of: incident)
                    try transaction.log(
                        DeliveryRecord(
                            channel: channel, incidentID: incident.id, type: .firing, reason: .firing, version: 1,
                            key: "\(channel)-\(incident.id)", at: firedAt + 4, attempts: channel == "hook" ? 3 : 1,
                            outcome: .delivered, status: 200, error: nil))
                }
            }
        }
        if let stale = incidents.first(where: { $0.kind == .cdnStale && $0.state == .firing }) {
            _ = try await store.acknowledge(
                named: stale.id,
                Acknowledgement(
                    by: "eva", reason: "Waiting for Apple. Campaign moved to Monday.",
                    at: now - StageTime.ahead - 6 * 3600))
        }
        // For the fleet.
        if let failing = incidents.first(where: { $0.domain?.name == "ack.example" && $0.inhibitedBy == nil }) {
            _ = try await store.acknowledge(
                named: failing.id,
                Acknowledgement(by: "jun", reason: "ticket 4711", at: now - StageTime.ahead - 7 * 3600))
        }
        _ = try await store.add(
            Silence(
                scope: SilenceScope(domains: [try DomainPattern("silent.example")]), startsAt: now - 3600,
                endsAt: now + 7 * 3600, author: "eva", reason: "shutting down the shop"))
        _ = try await store.add(
            Silence(
                scope: SilenceScope(domains: [try DomainPattern("pay.market.example")]), startsAt: now - 3600,
                endsAt: now + 18.5 * 3600, author: "eva", reason: "renewal on Monday"))
    }
}
