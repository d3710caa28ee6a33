// One life of the process: the daemon's real parts with a real store, wired as `MonitorDaemon` does it. Only the
// network and the clock are simulated. Only this folder knows how the product is built.

import Alerting
import Daemon
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Storage

struct SimulatedProcess: Sendable {
    let life: Int
    let time: ProcessTime
    let startedAt: Date
    let trouble: MachineTrouble
    let store: Store
    private let delivery: Delivery
    private let steps: DeliverySteps
    private let global: GlobalEvaluator
    private var watchers: [Int: DomainWatcher] = [:]
    private let silences: SilenceRefresher
    private let network: any SimulatedNetwork

    private static let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

    /// Starts the process: opens the store, anchors the clock, loads the silences, ends incidents of removed domains.
    /// - Throws: `StoreError` if the store is in trouble. The simulation starts such a process again later.
    init(
        life: Int, path: String, setup: SimulatedSetup, clock: SimulatedClock, trouble: MachineTrouble,
        network: any SimulatedNetwork, jitter: @escaping @Sendable () -> Double
    ) async throws {
        self.life = life
        self.trouble = trouble
        self.network = network
        let time = ProcessTime(clock: clock) { [trouble] duration in
            guard !trouble.isDead else { throw CancellationError() }
            try await network.pass(duration)
            guard !trouble.isDead else { throw CancellationError() }
        }
        self.time = time
        let store = try Store(
            path: path, access: .monitor, now: { time.now() }, lockTimeout: .zero, obstacle: trouble.obstacle)
        self.store = store
        do {
            if let last = try await store.lastInstant() { time.anchor(notBefore: last) }
            startedAt = time.now()
            delivery = Delivery(
                store: store, routing: try setup.routing(),
                transport: SimulatedTransport(network: network, trouble: trouble), time: time,
                userAgent: "aasa-monitor/simulated", jitter: jitter, logger: Self.logger)
            steps = DeliverySteps(delivery)
            silences = SilenceRefresher(
                store: store, delivery: delivery, windows: setup.windows, time: time)
            let canaries = SimulatedCanaries(network: network, trouble: trouble)
            global = GlobalEvaluator(
                try setup.globalConfiguration(canaries, time: time), store: store, delivery: delivery,
                refusal: { nil }, time: time, logger: Self.logger)
            watchers = try makeWatchers(setup)
            try await silences.refresh()
            try await delivery.prepare()
            try await endRemovedDomains(setup)
            try await global.prepare()
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Loads another configuration in the same steps as `Reload`, in the same order. What the store does not take waits
    /// for the next reload or start.
    mutating func reload(to setup: SimulatedSetup) async throws {
        let canaries = SimulatedCanaries(network: network, trouble: trouble)
        try? await delivery.replace(routing: try setup.routing())
        silences.replace(windows: setup.windows)
        await global.replace(try setup.globalConfiguration(canaries, time: time))
        try? await endRemovedDomains(setup)
        watchers = try makeWatchers(setup)
        delivery.wake()
    }

    private func endRemovedDomains(_ setup: SimulatedSetup) async throws {
        try await store.endDomains(
            except: Set(try setup.watchedDomains().map(\.1.domain)), time: time, logger: Self.logger)
    }

    private func makeWatchers(_ setup: SimulatedSetup) throws -> [Int: DomainWatcher] {
        let view = SimulatedGlobalView(global: global, network: network)
        let watchers = try setup.watchedDomains().map { site, watched in
            (
                site,
                DomainWatcher(
                    watched,
                    .init(
                        probe: SimulatedCheck(site: site, network: network), store: store, global: view,
                        delivery: delivery, time: time, logger: Self.logger))
            )
        }
        return Dictionary(watchers) { first, _ in first }
    }
}

// What the simulation asks the process to do.
extension SimulatedProcess {
    enum Next {
        case now
        case at(Date?)
    }

    /// The initial state of a site that has nothing in the store.
    func firstState(_ site: Int) async throws -> DomainState {
        try await store.firstState(of: try SimulatedSetup.domain(of: site))
    }

    /// One check from probe to commit. Returns the state after it, or the same state if nothing could be stored.
    func check(_ site: Int, _ state: DomainState) async throws -> DomainState? {
        try await watchers[site]?.check(state)
    }

    /// How long a site's loop sleeps before its next check.
    func wait(before site: Int, _ state: DomainState?) -> Duration? {
        watchers[site]?.schedule.delay(after: state, now: time.now())
    }

    /// One turn of a channel's loop.
    func step(_ channel: String) async throws -> Next {
        switch try await steps.step(channel) {
        case .now: .now
        case .at(let due): .at(due)
        }
    }

    func refreshSilences() async throws { try await silences.refresh() }

    /// As the daemon does when its `Housekeeping` sees that the wall clock was set.
    func noticeClock() async throws {
        try await silences.refresh()
        delivery.reconsider()
    }

    /// An evaluation of all sites.
    func evaluateGlobal() async { await global.evaluate() }

    /// Somebody acknowledges an incident.
    func acknowledge(_ incident: String) async throws -> Bool {
        let answer = try await store.acknowledge(
            named: incident, Acknowledgement(by: "simulation", reason: "looking", at: time.now()))
        if case .done = answer { return true }
        return false
    }
}

/// The product's only access to the simulated world.
protocol SimulatedNetwork: Sendable {
    func result(site: Int, depth: Depth, now: Date) async throws -> Observation
    func post(_ request: MessageRequest) async throws -> TransportAnswer
    /// Whether the reference hosts answer.
    func reachesCanaries() async throws -> Bool
    /// The product has decided whether it trusts its own network.
    func note(_ network: LocalNetwork, of domain: Domain) async
    /// Lets time pass, together with everything that happens meanwhile.
    func pass(_ duration: Duration) async throws
}

struct SimulatedCheck: DomainProbing {
    let site: Int
    let network: any SimulatedNetwork

    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        try await network.result(site: site, depth: depth, now: now)
    }
}

struct SimulatedCanaries: ConnectivityProbing {
    let network: any SimulatedNetwork
    let trouble: MachineTrouble

    func reachesAny(of hosts: [String]) async throws -> Bool {
        guard !trouble.isDead else { throw CancellationError() }
        let isReached = try await network.reachesCanaries()
        guard !trouble.isDead else { throw CancellationError() }
        return isReached
    }
}

/// The product's view of all sites; the audit learns how it evaluated its network.
struct SimulatedGlobalView: GlobalView {
    let global: GlobalEvaluator
    let network: any SimulatedNetwork

    func note(_ state: DomainState) async { await global.note(state) }

    func network(after observation: Observation, known: DomainState) async -> LocalNetwork {
        let local = await global.network(after: observation, known: known)
        await network.note(local, of: observation.domain)
        return local
    }
}

struct SimulatedTransport: MessageTransport {
    let network: any SimulatedNetwork
    let trouble: MachineTrouble

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        guard !trouble.isDead else { throw CancellationError() }
        let answer = try await network.post(request)
        guard !trouble.isDead else { throw CancellationError() }
        return answer
    }
}
