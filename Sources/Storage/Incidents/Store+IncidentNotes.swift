// What pages show of incidents beside the incidents: who acknowledged, who was notified, what was sent.

import Evidence
import Foundation
import GRDB
import Monitoring

/// An incident, and the channels that were notified of it.
package struct IncidentNote: Equatable, Sendable {
    package let record: IncidentRecord
    /// By name; each took at least one message.
    package let notified: [String]

    package init(record: IncidentRecord, notified: [String]) {
        self.record = record
        self.notified = notified
    }
}

extension Store {
    /// By id; those that the store does not hold are left out.
    package func incidentNotes(_ ids: [String]) async throws -> [String: IncidentNote] {
        guard !ids.isEmpty else { return [:] }
        let list = String(decoding: try JSONEncoder().encode(ids), as: UTF8.self)
        return try await read { database in
            let records = try IncidentRow.records(database, cached: Self.incidentsByID, [list])
            var notified: [String: [String]] = [:]
            for row in try Row.fetchAll(database, cached: Self.notifiedOf, arguments: [list]) {
                notified[row["incident_id"], default: []].append(row["channel"])
            }
            let notes = records.map {
                ($0.incident.id, IncidentNote(record: $0, notified: notified[$0.incident.id] ?? []))
            }
            return Dictionary(notes) { first, _ in first }
        }
    }

    static let incidentsByID = "\(IncidentRow.select) WHERE i.id IN (SELECT value FROM json_each(?))"
    static let notifiedOf = """
        SELECT n.incident_id, n.channel FROM json_each(?) wanted
        JOIN notification n INDEXED BY notification_of_incident ON n.incident_id = wanted.value
        WHERE n.notified_at IS NOT NULL ORDER BY n.channel
        """

    /// How many confirmed incidents are not resolved, those of the fleet included.
    package func openIncidentCount() async throws -> Int {
        try await read { try Int.fetchOne($0, cached: Self.openCount) ?? 0 }
    }

    static let openCount = """
        SELECT count(*) FROM incident INDEXED BY incident_unresolved
        WHERE version > 0 AND state <> 'resolved' AND kind <> 'change'
        """

    /// The size of the file, as far as it is known.
    package func size() async throws -> Int {
        try await read {
            let pages = try Int.fetchOne($0, cached: "PRAGMA page_count") ?? 0
            return pages * (try Int.fetchOne($0, cached: "PRAGMA page_size") ?? 4096)
        }
    }
}
