// The judgement over all domains together, wired: it knows how each domain stands, judges, commits, and says what is kept
// back. No rule is here; those are in `judgeFleet`.

import Alerting
import Evidence
import Foundation
import Logging
import Monitoring
import Storage

/// What the watch of one domain tells of it, and learns of all of them.
package protocol FleetView: Sendable {
    /// Takes note of how a domain stands after a check.
    func note(_ state: DomainState) async
    /// Whether what a look did not reach may well be there.
    func egress(after observation: Observation, known: DomainState) async -> Egress
    /// Judges now. What it keeps back is in force when this returns.
    func judge() async
}

package actor FleetJudge: FleetView {
    /// What it is given besides what it watches.
    package struct Parts: Sendable {
        let store: Store
        let silences: SilenceWatch
        let delivery: Delivery
        let lastResort: LastResort
        /// Why the configuration file is not the one in force; nil where it is.
        let refusal: @Sendable () -> RefusedConfiguration?
        let time: any Timekeeper
        let logger: Logger

        package init(
            store: Store, silences: SilenceWatch, delivery: Delivery, lastResort: LastResort,
            refusal: @escaping @Sendable () -> RefusedConfiguration?, time: any Timekeeper, logger: Logger
        ) {
            self.store = store
            self.silences = silences
            self.delivery = delivery
            self.lastResort = lastResort
            self.refusal = refusal
            self.time = time
            self.logger = logger
        }
    }

    /// What the configuration says; a reload brings another one.
    package struct Orders: Sendable {
        /// Of each watched domain.
        let intervals: [Domain: Duration]
        let routes: Routes
        let policy: FleetPolicy
        /// nil where no reference hosts are configured.
        let canaries: CanaryWatch?
        /// The watched domains in the order of all looks.
        let domains: [Domain]
        /// Between two judgements: domains that are checked every few seconds are judged faster.
        let pause: Duration

        package init(intervals: [Domain: Duration], routes: Routes, policy: FleetPolicy, canaries: CanaryWatch?) {
            self.intervals = intervals
            self.routes = routes
            self.policy = policy
            self.canaries = canaries
            domains = intervals.keys.sorted()
            let shortest = intervals.values.min() ?? FleetJudge.longestPause
            pause = max(min(FleetJudge.longestPause, shortest / 4), .milliseconds(50))
        }
    }

    private let parts: Parts
    private var orders: Orders
    private var glimpses: [Domain: DomainGlimpse] = [:]
    /// Of those that a reload added or changed.
    private var watchedSince: [Domain: Date] = [:]
    private var state = FleetState()
    private let startedAt: Date
    private var isDirty = true
    private var judgedAt = Date.distantPast
    private let trouble = ToldOnce()
    /// One judgement at a time: each begins with what the one before has committed.
    private var isJudging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private static let longestPause: Duration = .seconds(2)
    /// Judged this often though no check has ended: graces run out, and channels fail, by themselves.
    private static let idle: TimeInterval = 10

    package init(_ parts: Parts, _ orders: Orders) {
        self.parts = parts
        self.orders = orders
        startedAt = parts.time.now()
    }

    /// Takes up what the last process knew. Must have gone well before the first check: what a parent kept back then is
    /// kept back now.
    package func prepare() async throws {
        for summary in try await parts.store.domains() { glimpse(summary.state) }
        state = try await parts.store.fleetState() ?? FleetState()
        parts.silences.withhold(state.withholding)
        try await parts.lastResort.forget(whatIsOverIn: parts.store)
    }

    /// Takes another configuration, as after a reload.
    package func replace(_ orders: Orders) {
        let now = parts.time.now()
        for (domain, interval) in orders.intervals where self.orders.intervals[domain] != interval {
            watchedSince[domain] = now
        }
        watchedSince = watchedSince.filter { orders.intervals[$0.key] != nil }
        self.orders = orders
        glimpses = glimpses.filter { orders.intervals[$0.key] != nil }
        isDirty = true
    }

    /// Takes note of how a domain stands after a check.
    package func note(_ state: DomainState) {
        glimpse(state)
        isDirty = true
    }

    /// Whether what a look did not reach may well be there.
    package func egress(after observation: Observation, known: DomainState) async -> Egress {
        let now = parts.time.now()
        let interval = orders.intervals[observation.domain] ?? .seconds(60)
        let glimpse = DomainGlimpse(known, interval: interval).after(observation, at: now)
        guard glimpse.reach.isLost else { return .trusted }
        await orders.canaries?.ask()
        var look = await look()
        look.domains.removeAll { $0.domain == observation.domain }
        look.domains.append(glimpse)
        return EgressDoubt(look, now: parts.time.now()) == nil ? .trusted : .inDoubt
    }

    var pause: Duration { orders.pause }

    /// Judges where there is something new to judge by.
    func judgeIfDue() async {
        guard isDirty || abs(parts.time.now().timeIntervalSince(judgedAt)) >= Self.idle else { return }
        await judge()
    }

    /// Judges now. What it keeps back is in force when this returns.
    package func judge() async {
        while isJudging { await withCheckedContinuation { waiting.append($0) } }
        isJudging = true
        isDirty = false
        let now = parts.time.now()
        judgedAt = now
        let evaluation = judgeFleet(state, await look(), orders.policy, now: now)
        do {
            try await commit(
                state[.store] == nil ? parts.lastResort.remainder(of: evaluation) : evaluation, at: now)
            trouble.isOver()
        } catch {
            isDirty = true
            if trouble.isNews("away") {
                parts.logger.error(
                    "a judgement over all domains could not be stored", metadata: ["error": "\(error)"])
            }
            parts.lastResort.offer(evaluation, orders.routes, parts.silences.mutings)
        }
        isJudging = false
        if !waiting.isEmpty { waiting.removeFirst().resume() }
    }

    private func glimpse(_ state: DomainState) {
        guard let interval = orders.intervals[state.domain] else { return }
        glimpses[state.domain] = DomainGlimpse(state, interval: interval)
    }

    private func look() async -> FleetLook {
        let health = parts.store.health
        return FleetLook(
            domains: orders.domains.map { domain in
                let interval = orders.intervals[domain] ?? .zero
                var glimpse = glimpses[domain] ?? DomainGlimpse(DomainState(domain: domain), interval: interval)
                glimpse.interval = interval
                glimpse.watchedSince = watchedSince[domain] ?? .distantPast
                return glimpse
            },
            canaries: await orders.canaries?.round,
            channels: parts.delivery.troubles().map(FailingChannel.init(_:)),
            channelNames: Set(orders.routes.channels.map(\.name)),
            store: health.failingSince.map { StoreTrouble(since: $0, words: health.lastError?.message ?? "") },
            refusal: parts.refusal(), startedAt: startedAt)
    }

    private func commit(_ judged: FleetEvaluation, at now: Date) async throws {
        var evaluation = judged
        let end = try parts.lastResort.end(evaluation, orders.routes, parts.silences.mutings, now)
        if let incident = end?.incident {
            // Its numbers went on past the store: under them nothing more can be told.
            evaluation.state.ended.removeAll { $0.incident.id == incident.id }
            // It may have been pending in the store, where nobody knew that it was told.
            evaluation.dropped.removeAll { $0.id == incident.id }
            evaluation.state.begun = max(evaluation.state.begun, state.begun + 1)
        }
        var record = FleetRecord(
            state: evaluation.state, incidents: evaluation.incidents, dropped: evaluation.dropped)
        for news in evaluation.news {
            let (told, withheld) = parts.silences.mutings.split([news.event], labels: [:], at: now)
            record.outbox += try told.flatMap { try orders.routes.fleetDrafts(for: $0, of: news.cause) }
            record.withheld += withheld.map(\.incident.id)
            if news.event.isReawakening { record.reawakened.append(news.event.incident.id) }
        }
        for open in evaluation.state.open where state[open.cause] == nil {
            record.recalled.formUnion(open.cause.withholds)
        }
        let isWorthARow =
            !record.incidents.isEmpty || !record.dropped.isEmpty || evaluation.state.ended != state.ended
            || evaluation.state.withheldUntil != state.withheldUntil || evaluation.state.begun != state.begun
        if let end {
            record.incidents.append(end.incident)
            record.outbox += end.story
        }
        if isWorthARow || end != nil { try await parts.store.commit(record, now: now) }
        if end != nil { await parts.lastResort.settle() }
        // What is only said differently is not worth a write each time.
        state = evaluation.state
        parts.silences.withhold(state.withholding)
        report(evaluation)
        if !record.outbox.isEmpty { parts.delivery.wake() }
    }

    private func report(_ evaluation: FleetEvaluation) {
        for news in evaluation.news {
            let incident = news.event.incident
            parts.logger.notice(
                "\(news.event.type.rawValue): \(news.event.summary.displayable)",
                metadata: ["kind": "\(incident.kind.rawValue)", "incident": "\(incident.id)"])
        }
    }
}
