// `run --once`: the daemon's parts without their loops, for cron. What must wait, such as a second failed check or a reminder,
// waits in the store for the next run.

import Alerting
import Evidence
import Facts
import Foundation
import Glibc
import Logging
import MonitorConfiguration
import Monitoring
import StatusServer
import Storage
import UnixSignals

/// What one run came to.
package struct MonitorRound: Sendable {
    package let domains: Int
    package let failing: Int
    /// Checks that the store did not take.
    package let discarded: Int
    /// Notifications that wait in the store for the next run.
    package let pending: Int
}

extension MonitorDaemon {
    /// After the checks, so long at most for what is due soon and for the first tries of a receiver that does not answer.
    private static let deliveryTimeout: Duration = .seconds(30)
    /// The global evaluation counts only for what was committed a moment before.
    private static let settling: Duration = .milliseconds(300)

    /// Checks each domain once, sends what is due, and ends.
    /// - Throws: as `run`; `CancellationError` where a signal ended it before.
    package func runOnce() async throws -> MonitorRound {
        let watchdog = ShutdownWatchdog(logger: surroundings.logger) {
            LogSink.shared.flush(atMost: .milliseconds(200))
            _exit(128 + SIGINT)
        }
        return try await trapping(watchdog) { stops in
            try await opened { store, routing, storeTrouble, drivers in
                try await withThrowingTaskGroup(of: MonitorRound?.self) { group in
                    defer { group.cancelAll() }
                    group.addTask {
                        for await _ in stops { break }
                        return nil
                    }
                    group.addTask { try await round(store, routing, storeTrouble, drivers) }
                    guard let result = try await group.next() ?? nil else { throw CancellationError() }
                    return result
                }
            }
        }
    }

    private func round(
        _ store: Store, _ routing: Routing, _ storeTrouble: StoreTroubleNotifier, _ drivers: Drivers
    ) async throws -> MonitorRound {
        let logger = surroundings.logger
        logger.info(
            "checking \(configuration.domains.count.of("domain")) once",
            metadata: ["store": "\(surroundings.storePath)", "channels": .stringConvertible(routing.channels.count)])
        let feeds = routing.channels.filter(\.kind.isFeed).map(\.name)
        if !feeds.isEmpty {
            logger.warning(
                "Alertmanager resolves alerts that are not sent every few minutes: use 'run' without --once for it",
                metadata: ["channels": "\(feeds.joined(separator: ", "))"])
        }
        let parts = try await MonitorParts(configuration, surroundings, store, routing.withoutWait, drivers)
        await tellOfSetAside(store, storeTrouble, parts.time, isOnce: true)
        try await store.watch(configuration.domains, now: parts.time.now())
        try await store.noteRound(at: parts.time.now())
        let watchers = parts.factory.watchers(
            for: configuration.domains, of: configuration, driver: drivers.checks.present)
        let outcome = try await CheckRound(
            watchers: watchers,
            concurrency: max(DomainScheduler.places, 2 * configuration.network.maxConcurrent)
        ).run()
        // All incidents of the round are known now: what many domains share is notified first, and messages are grouped.
        try await parts.time.sleep(for: Self.settling)
        await parts.global.evaluate()
        await DeliverySteps(parts.delivery).sendAll(
            until: parts.time.now() + Self.deliveryTimeout.inSeconds)
        try Task.checkCancellation()
        let waiting = try await store.pendingNotifications(of: { routing.channel(named: $0) != nil })
        for channel in waiting where channel.count > 0 {
            logger.warning(
                "notifications pending: the next run sends them",
                metadata: ["channel": "\(channel.channel)", "count": "\(channel.count)"])
        }
        let pending = waiting.reduce(0) { $0 + $1.count }
        try await store.prune(now: parts.time.now(), keepObservations: configuration.store.keepObservations)
        if let heartbeat = configuration.heartbeat, outcome.discarded == 0 {
            await Heartbeat(
                live: parts.live, store: store, driver: drivers.alerts, userAgent: surroundings.userAgent,
                time: parts.time, logger: logger
            ).ping(heartbeat.url.reveal(), LogDeduplicator())
        }
        let sent = parts.delivery.counts().filter { $0.outcome == "delivered" }.reduce(0) { $0 + $1.attempts }
        logger.info(
            "done",
            metadata: [
                "domains": .stringConvertible(watchers.count), "failing": .stringConvertible(outcome.failing),
                "messages": .stringConvertible(sent),
                "pending": .stringConvertible(pending),
            ])
        return MonitorRound(
            domains: watchers.count, failing: outcome.failing, discarded: outcome.discarded, pending: pending)
    }
}

extension Routing {
    /// Nothing can join a message once all checks are done, so that nobody waits for it. Groups stay.
    fileprivate var withoutWait: Routing {
        var routing = self
        routing.groupWait = min(groupWait, .milliseconds(1))
        return routing
    }
}

/// One check of each domain, many at a time.
struct CheckRound: Sendable {
    let watchers: [DomainWatcher]
    /// Checks under way at once.
    let concurrency: Int

    struct Outcome: Sendable {
        var failing = 0
        /// Checks that the store did not take.
        var discarded = 0
    }

    /// - Throws: `CancellationError`. What was committed before stays.
    func run() async throws -> Outcome {
        try await withThrowingTaskGroup(of: DomainState?.self) { group in
            var outcome = Outcome()
            func note(_ state: DomainState?) {
                guard let state else { return outcome.discarded += 1 }
                if state.verdict?.level == .failing { outcome.failing += 1 }
            }
            for (index, watcher) in watchers.enumerated() {
                if index >= concurrency, let state = try await group.next() { note(state) }
                group.addTask { try await watcher.checkOnce() }
            }
            for try await state in group { note(state) }
            return outcome
        }
    }
}
