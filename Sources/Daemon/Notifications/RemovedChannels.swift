// A channel that the configuration no longer names has no address and no key any more, so that it cannot receive the end of
// what it was notified of. A pager would keep it open; the log says what, so that a person can end it there.

import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage

struct RemovedChannels {
    let store: Store
    let logger: Logger

    /// So many incidents are named in one line.
    private static let mostNamed = 10

    /// Logs one warning for each channel that the store knows, that is not among `configured`, and that knows incidents as
    /// firing.
    func warn(configured: Set<String>) async throws {
        for record in try await store.channelRecords() where !configured.contains(record.name) {
            let incidents = try await store.unendedNotifications(channel: record.name).map(\.incident)
            guard !incidents.isEmpty else { continue }
            let isPager = record.type == ChannelKind.pagerduty.rawValue
            let named = incidents.prefix(Self.mostNamed).map { incident in
                let key = isPager ? " dedup_key \(MessageIdentity.key(ofIncident: incident.id))" : ""
                return "\(incident.id) (\(incident.subjectName) \(incident.kind.rawValue))\(key)"
            }
            let more = incidents.count > named.count ? ["and \(incidents.count - named.count) more"] : []
            logger.warning(
                "removed channel does not receive the end of these incidents; end them there by hand",
                metadata: [
                    "channel": "\(record.name.displayable)", "incidents": "\(incidents.count)",
                    "open": "\((named + more).joined(separator: "; "))",
                ])
        }
    }
}
