// What is kept back at present, and what is owed once it is not any more. Silences come and go through the store, which
// other processes write too, so it is looked at every few seconds; a look is one small query as long as nothing was
// withheld.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// Knows the silences and maintenance windows, and tells whoever knows less than the present once they end.
package final class SilenceWatch: Sendable {
    /// What the configuration says of a watched domain, as far as it decides who is told.
    package struct Recipient: Sendable {
        package let labels: [String: String]
        /// nil: all channels.
        package let channels: [String]?

        package init(labels: [String: String], channels: [String]?) {
            self.labels = labels
            self.channels = channels
        }
    }

    private struct State {
        var mutings: Mutings
        var recipients: [Domain: Recipient]
        var routes: Routes
        /// What the store says of earlier times may be long out of date: a domain is judged again before anybody is told.
        var startedAt: Date
        /// When the fleet's last parent was over, as it says and as it counts.
        var fleetEnd = (said: Date.distantPast, counted: Date.distantPast)

        /// Instants that lie ahead were read before the clock was set back: what is looked at from now on is later.
        mutating func meet(_ now: Date) {
            let said = mutings.fleet.endedAt ?? .distantPast
            if fleetEnd.said != said { fleetEnd = (said, said) }
            fleetEnd.counted = min(fleetEnd.counted, now)
            startedAt = min(startedAt, now)
        }
    }

    /// Between two looks: within this a silence that was asked for is heeded, and an end is noticed.
    private static let interval: Duration = .seconds(2)

    private let store: Store
    private let delivery: Delivery
    private let time: any Timekeeper
    private let logger: Logger
    private let state: Mutex<State>
    private let trouble = ToldOnce()

    package init(
        store: Store, routes: Routes, delivery: Delivery, time: any Timekeeper, logger: Logger,
        windows: [MaintenanceWindow], recipients: [Domain: Recipient]
    ) {
        self.store = store
        self.delivery = delivery
        self.time = time
        self.logger = logger
        state = Mutex(
            State(
                mutings: Mutings(windows: windows), recipients: recipients, routes: routes, startedAt: time.now()))
    }

    /// What is kept back, as of the last look.
    package var mutings: Mutings { state.withLock(\.mutings) }

    /// Keeps back, from now on, what incidents of the fleet explain.
    package func withhold(_ withholding: FleetWithholding) { state.withLock { $0.mutings.fleet = withholding } }

    /// Takes another configuration, as after a reload.
    package func replace(windows: [MaintenanceWindow], recipients: [Domain: Recipient], routes: Routes) {
        state.withLock { state in
            state.mutings.windows = windows
            state.recipients = recipients
            state.routes = routes
        }
    }

    /// Looks until the task is cancelled. `learn()` must have gone well once before the first check: what was silent
    /// before a restart is silent after it.
    package func run() async {
        while !Task.isCancelled {
            do {
                try await look()
                trouble.isOver()
            } catch is CancellationError {
                return
            } catch {
                if trouble.isNews("away") {
                    logger.error("the silences cannot be read; those known go on", metadata: ["error": "\(error)"])
                }
            }
            try? await time.sleep(for: Self.interval)
        }
    }

    /// Takes in what silences there are, and who has which incident in hand; it writes nothing.
    package func learn() async throws {
        let silences = try await store.silences(notOverAt: time.now())
        let acknowledged = try await store.acknowledgements()
        let (news, hands) = state.withLock { state in
            defer {
                state.mutings.silences = silences
                state.mutings.acknowledged = acknowledged
            }
            return (state.mutings.silences != silences, state.mutings.acknowledged != acknowledged)
        }
        // Pagers are told who has it; what the API wrote is no outside write that would be noticed.
        if hands { delivery.wake() }
        if news { logger.info("silences changed", metadata: ["active_or_to_come": "\(silences.count)"]) }
    }

    /// One look: takes in what silences there are, and makes good what was withheld and is not kept back any more.
    package func look() async throws {
        try await learn()
        for incident in try await store.withheldIncidents() {
            let now = time.now()
            let known = state.withLock { state in
                state.meet(now)
                return state
            }
            // A domain that is watched no longer has no labels; its incidents are over, and the ends are told.
            let recipient = incident.domain.flatMap { known.recipients[$0] }
            let muting = known.mutings.muting(
                domain: incident.domain, labels: recipient?.labels ?? [:], kind: incident.kind, at: now)
            // An end was given at once to those who know of the trouble; nobody else is owed anything.
            guard muting == nil || incident.state == .resolved else { continue }
            let owed = try await makeGood(incident, to: recipient, known, now)
            guard owed > 0 else { continue }
            logger.notice(
                "nothing keeps it back any more; telling what was withheld",
                metadata: [
                    "domain": "\(incident.subject)", "kind": "\(incident.kind.rawValue)", "incident": "\(incident.id)",
                    "messages": "\(owed)",
                ])
            delivery.wake()
        }
        let now = time.now()
        let known = state.withLock { state in
            state.meet(now)
            return state
        }
        try await Introduction(store: store, delivery: delivery, logger: logger, startedAt: known.startedAt)
            .look(known.routes, known.recipients, known.mutings, now: now)
    }

    private func makeGood(
        _ incident: Incident, to recipient: Recipient?, _ known: State, _ now: Date
    ) async throws -> Int {
        guard incident.domain != nil else {
            return try await store.makeGoodOfFleet(incidentID: incident.id) { incident, fleet in
                // Once it is over, those who know of it were told.
                guard incident.state != .resolved else { return [] }
                guard let open = fleet?.open.first(where: { $0.incident.id == incident.id }),
                    let event = open.present(at: now)
                else { return nil }
                func drafts(_ events: [Event?]) throws -> [OutboxDraft] {
                    try events.compactMap(\.self).flatMap { try known.routes.fleetDrafts(for: $0, of: open.cause) }
                }
                return try drafts([event, event.escalated(of: open)]).map(\.owedToWhoeverWasNotTold)
                    + drafts([open.present(at: now, isWorse: true)]).map(\.owedToWhoeverWasToldOfLess)
            }
        }
        // What many domains went through together says nothing of each of them now: each is looked at again first.
        let since = max(known.startedAt, known.fleetEnd.counted)
        let wasOfMany = incident.openedAt <= known.fleetEnd.said
        return try await store.makeGood(incidentID: incident.id) { incident, domain in
            // A look that lies ahead is one of before the clock was set back.
            let isFresh = domain?.lastCheckedAt.map { $0 >= since && $0 <= now } ?? false
            let isKnown = !wasOfMany || domain?.open[incident.kind]?.unknownSince == nil
            guard isFresh && isKnown || incident.state == .resolved else { return nil }
            guard let event = Event.present(incident, verdict: domain?.verdict, at: now) else { return nil }
            func drafts(_ events: [Event?]) throws -> [OutboxDraft] {
                try known.routes.drafts(
                    for: events.compactMap(\.self), domain: incident.domain, labels: recipient?.labels ?? [:],
                    channels: recipient == nil ? [] : recipient?.channels)
            }
            let worse = Event.present(incident, verdict: domain?.verdict, at: now, isWorse: true)
            return try drafts([event, event.escalated(of: domain?.open[incident.kind])]).map(\.owedToWhoeverWasNotTold)
                + drafts([worse]).map(\.owedToWhoeverWasToldOfLess)
        }
    }
}
