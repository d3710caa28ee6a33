// One life of the process: the daemon's own parts over the real store, wired as `MonitorDaemon` does it. Only the network
// and the clock are the simulation's. This file and the two beside it are all that knows how the product is built.

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
    let steps: DeliverySteps
    let silences: SilenceWatch
    private(set) var watches: [Int: DomainWatch]
    /// nil: each site is judged by itself alone.
    let fleet: FleetJudge?
    private let delivery: Delivery
    private let view: SimulatedFleetView?
    private let network: any SimulatedNetwork

    private static let logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }

    /// Starts it: opens the store, learns the silences, ends what is watched no longer, takes over the outbox.
    /// - Throws: `StoreError` where the store is in trouble; a process that cannot start is started again later.
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
        startedAt = time.now()
        let store = try Store(
            path: path, access: .monitor, now: { time.now() }, lockPatience: .zero, obstacle: trouble.obstacle)
        let transport = SimulatedTransport(network: network, trouble: trouble)
        let delivery = Delivery(
            store: store, channels: try SimulatedSetup.makeChannels(), transport: transport, time: time,
            settings: Delivery.Settings(
                userAgent: "aasa-monitor/simulated", groupWait: setup.groupWait,
                wallClock: { Date(timeIntervalSince1970: Double(clock.wall) / 1000) }, jitter: jitter),
            logger: Self.logger, owner: "life \(life)")
        self.store = store
        self.delivery = delivery
        steps = DeliverySteps(delivery)
        let routes = try setup.routes()
        let silences = SilenceWatch(
            store: store, routes: routes, delivery: delivery, time: time, logger: Self.logger, windows: setup.windows,
            recipients: try setup.recipients())
        self.silences = silences
        // Best effort, and on a task of its own: nothing is sent past the store here.
        let lastResort = LastResort(
            message: DirectMessage(
                transport: transport, userAgent: "aasa-monitor/simulated", logger: Self.logger))
        let fleet = try setup.makeFleet(
            FleetJudge.Parts(
                store: store, silences: silences, delivery: delivery, lastResort: lastResort, refusal: { nil },
                time: time, logger: Self.logger), routes,
            SimulatedCanaries(network: network, trouble: trouble), time: time)
        self.fleet = fleet
        view = fleet.map { SimulatedFleetView(judge: $0, network: network) }
        watches = [:]
        watches = try makeWatches(setup, routes)
        do {
            try await silences.look()
            try await delivery.recall()
            try await retire(setup, routes)
            try await fleet?.prepare()
            try await steps.begin()
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Takes another configuration by the same steps as `Reload`, in their order. What the store does not take waits for the
    /// next reload or start.
    mutating func reload(to setup: SimulatedSetup) async throws {
        let routes = try setup.routes()
        try? await delivery.replace(channels: try SimulatedSetup.makeChannels(), groupWait: setup.groupWait)
        silences.replace(windows: setup.windows, recipients: try setup.recipients(), routes: routes)
        await fleet?.replace(
            try setup.fleetOrders(routes, SimulatedCanaries(network: network, trouble: trouble), time: time))
        try? await retire(setup, routes)
        watches = try makeWatches(setup, routes)
        delivery.wake()
    }

    private func retire(_ setup: SimulatedSetup, _ routes: Routes) async throws {
        try await Retirement(store: store, routes: routes, time: time, logger: Self.logger)
            .retireAll(except: Set(try setup.watchedDomains().map(\.1.domain)))
    }

    private func makeWatches(_ setup: SimulatedSetup, _ routes: Routes) throws -> [Int: DomainWatch] {
        let domains = try setup.watchedDomains()
        let orders = ConfigurationFile(domains: domains.map(\.1)).orders
        let watches = zip(domains.map(\.0), orders).map { site, order in
            (
                site,
                DomainWatch(
                    order: order, policy: setup.policy, probe: SimulatedLook(site: site, network: network),
                    store: store, routes: routes, silences: silences, fleet: view, delivery: delivery, time: time,
                    logger: Self.logger)
            )
        }
        return Dictionary(watches) { first, _ in first }
    }
}

// What the simulation asks of it.
extension SimulatedProcess {
    enum Next {
        case now
        case at(Date?)
    }

    /// What a site begins with that nothing is stored of.
    func firstState(_ site: Int) async throws -> DomainState {
        try await store.firstState(of: try SimulatedSetup.domain(of: site))
    }

    /// One check from the look to the commit; the state after it, or the same one where nothing could be stored.
    func check(_ site: Int, _ state: DomainState) async throws -> DomainState? {
        try await watches[site]?.check(state)
    }

    /// How long a site's loop sleeps before its next check.
    func wait(before site: Int, _ state: DomainState?) -> Duration? {
        watches[site]?.schedule.delay(after: state, now: time.now())
    }

    /// One turn of a channel's loop.
    func step(_ channel: String) async throws -> Next {
        switch try await steps.step(channel) {
        case .now: .now
        case .at(let due): .at(due)
        }
    }

    func lookAtSilences() async throws { try await silences.look() }

    /// A judgement over all sites.
    func judge() async { await view?.judge() }

    /// Somebody takes an incident in hand.
    func acknowledge(_ incident: String) async throws -> Bool {
        let answer = try await store.acknowledge(
            prefix: incident, Acknowledgement(by: "simulation", reason: "looking", at: time.now()))
        if case .done = answer { return true }
        return false
    }
}

/// What the product reaches the world through.
protocol SimulatedNetwork: Sendable {
    func look(site: Int, depth: Depth, now: Date) async throws -> Observation
    func post(_ request: MessageRequest) async throws -> TransportAnswer
    /// Whether the reference hosts answer.
    func reachesCanaries() async throws -> Bool
    /// A judgement over all sites begins or ends. The next one waits for it, and so would time.
    func noteJudging(_ isJudging: Bool) async
    /// The product trusted its own network, or did not.
    func noteEgress(_ egress: Egress, of domain: Domain) async
    /// Lets time pass, and with it whatever happens meanwhile.
    func pass(_ duration: Duration) async throws
}

struct SimulatedLook: DomainLook {
    let site: Int
    let network: any SimulatedNetwork

    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        try await network.look(site: site, depth: depth, now: now)
    }
}

struct SimulatedCanaries: CanaryLook {
    let network: any SimulatedNetwork
    let trouble: MachineTrouble

    func reachesAny(of hosts: [String]) async throws -> Bool {
        guard !trouble.isDead else { throw CancellationError() }
        let isReached = try await network.reachesCanaries()
        guard !trouble.isDead else { throw CancellationError() }
        return isReached
    }
}

/// The product's view of all sites; the audit is told what it made of the network.
struct SimulatedFleetView: FleetView {
    let judge: FleetJudge
    let network: any SimulatedNetwork

    func note(_ state: DomainState) async { await judge.note(state) }

    func egress(after observation: Observation, known: DomainState) async -> Egress {
        let egress = await judge.egress(after: observation, known: known)
        await network.noteEgress(egress, of: observation.domain)
        return egress
    }

    func judge() async {
        await network.noteJudging(true)
        await judge.judge()
        await network.noteJudging(false)
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
