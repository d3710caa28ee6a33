// What a changed configuration leaves behind in the store: domains that are no longer watched, and what removed channels know.

import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage

package struct RemovedDomainCleanup: Sendable {
    private let store: Store
    private let time: any Timekeeper
    private let logger: Logger

    package init(store: Store, time: any Timekeeper, logger: Logger) {
        self.store = store
        self.time = time
        self.logger = logger
    }

    /// Resolves the incidents of every stored domain that is not in `watched`, and forgets the domain.
    /// - Returns: whether an incident changed, so that the delivery must be woken.
    @discardableResult
    package func run(keeping watched: Set<Domain>) async throws -> Bool {
        var hasChanged = false
        for domain in try await store.domainNames() where !watched.contains(domain) {
            var state = try await store.state(of: domain)
            if state == nil { state = try await store.firstState(of: domain) }
            guard let state else { continue }
            let evaluation = retire(state, now: time.now())
            // The end is committed before the state goes: after a crash in between, nothing is left to resolve.
            let changes = try await store.commit(
                CheckRecord(
                    observation: nil, state: evaluation.state, changes: evaluation.changes,
                    dropped: evaluation.dropped))
            hasChanged = hasChanged || changes
            try await store.forget(domain)
            logger.notice(
                "domain removed: no longer in the configuration",
                metadata: ["domain": "\(domain)", "resolved": "\(evaluation.changes.count)"])
        }
        return hasChanged
    }
}

/// A channel that the configuration no longer names has no address and no key any more, so that it cannot receive the end of
/// what it was notified of. A pager would keep it open; the log says what, so that a person can end it there.
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
