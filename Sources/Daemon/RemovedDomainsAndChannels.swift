// What a changed configuration leaves behind in the store: domains that are no longer watched, and what channels know whose messages
// go elsewhere.

import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage

package struct RemovedDomainCleanup: Sendable {
    private let store: Store
    private let time: any MonitorClock
    private let logger: Logger

    package init(store: Store, time: any MonitorClock, logger: Logger) {
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
            let changes = try await store.commit(evaluation)
            hasChanged = hasChanged || changes
            try await store.forget(domain)
            logger.notice(
                "domain removed: no longer in the configuration",
                metadata: [
                    "domain": "\(domain)",
                    "resolved": .stringConvertible(evaluation.changes.count { $0.transition == .resolved }),
                ])
        }
        return hasChanged
    }
}

/// Channels that the store knows and whose messages go to another place now, or to none: their former address and key are gone with
/// the process that had them.
struct FormerChannels {
    let store: Store
    let delivery: Delivery
    let logger: Logger

    /// Before the loops begin: says in the log what stays open at a former place, and withdraws what nobody will send. What a removed
    /// channel knows stays: it may come back.
    /// - Returns: what people were not told yet.
    func settle(_ routing: Routing) async throws -> [LeftOpen] {
        var news: [LeftOpen] = []
        let destinations = try await delivery.destinations()
        for record in try await store.channelRecords() {
            let channel = routing.channel(named: record.name)
            let destination = try await channel.asyncMap(delivery.destinationHash)
            if channel == nil { try await delivery.retire(record) }
            // Another channel may send to the same place, under whatever name.
            guard destination != record.destination, !destinations.contains(record.destination) else { continue }
            let open = try await store.unendedNotifications(channel: record.name).map(\.incident)
                .filter { $0.state != .resolved }
            let left = LeftOpen(channel: record.name, type: record.type, incidents: open)
            left.log(to: logger)
            if !open.isEmpty, left.isPager, try await store.toldOpen(at: record.name) != left.mark { news.append(left) }
        }
        return news
    }

    /// Tells people of it through another channel, once.
    func tell(_ news: [LeftOpen], _ routing: Routing, by notifier: DirectNotifier, wall: Date) async {
        for left in news where await left.isTold(by: notifier, routing, now: wall) {
            try? await store.note(toldOpen: left.mark, at: left.channel)
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Other>(_ body: (Wrapped) async throws -> Other) async rethrows -> Other? {
        switch self {
        case .some(let value): try await body(value)
        case nil: nil
        }
    }
}
