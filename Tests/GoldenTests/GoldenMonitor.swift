// A daemon's parts over a real store, wired as in `MonitorDaemon`, with a clock that stops between two instants. Only
// the network is simulated: the answers of sites, and the receivers.

import Alerting
import Evidence
import Foundation
import Logging
import MonitorConfiguration
import MonitorMetrics
import Monitoring
import Stage
import StatusServer
import Storage
import Synchronization

@testable import Daemon

let silent = Logger(label: "golden") { _ in SwiftLogNoOpLogHandler() }

final class GoldenMonitor {
    let state: StageState
    let scratch: ScratchStore
    let receivers = Receivers()
    let probe: StagedProbe
    let metrics: MetricsPage
    /// Each domain's state after its last check.
    private(set) var known: [Domain: DomainState] = [:]
    private(set) var configuration: ConfigurationFile
    /// The instants at which something happens.
    private let instants: [Date]
    private let time: HandTime
    private let delivery: Delivery
    private let steps: DeliverySteps
    private let global: GlobalEvaluator
    private let silences: SilenceRefresher

    var store: Store { scratch.store }

    init(_ state: StageState) async throws {
        self.state = state
        let checks = state.checks ?? state.sites.flatMap { $0.checks(until: state.end) }
        instants = Set(checks + state.actions.map(\.at)).sorted()
        time = HandTime(instants[0])
        configuration = try Self.configuration(state, isRemoved: false)
        scratch = try ScratchStore(time)
        probe = StagedProbe(state)
        delivery = Delivery(
            store: scratch.store, routing: Routing(configuration), transport: receivers, time: time,
            userAgent: "aasa-monitor/1.2.3", jitter: { 0 }, logger: silent)
        steps = DeliverySteps(delivery)
        silences = SilenceRefresher(store: scratch.store, delivery: delivery, windows: [], time: time)
        global = GlobalEvaluator(
            configuration.stagedGlobal(probe, time), store: scratch.store, delivery: delivery, refusal: { nil },
            time: time, logger: silent)
        metrics = MetricsPage(
            metrics: MetricsRegistry(), store: scratch.store, delivery: delivery,
            live: LiveConfiguration(configuration), version: "1.2.3")
        try await delivery.prepare()
        try await global.prepare()
        try await store.note(wallAhead: StageTime.ahead)
    }

    private static func configuration(_ state: StageState, isRemoved: Bool) throws -> ConfigurationFile {
        let domains = (state.sites.map(\.name) + state.unchecked).map { name in
            guard name == StageState.domain else { return "  - \(name)\n" }
            let entry = state.entry.isEmpty ? "" : "    \(state.entry)\n"
            return isRemoved ? "" : "  - domain: \(name)\n    labels: {team: growth}\n\(entry)"
        }
        let text = """
            version: 1
            instance: monitor-1
            domains:
            \(domains.joined())
            alerts:
              channels:
                - {name: hook, type: webhook, url: "https://hook.test/in"}
                - {name: chat, type: slack, url: "https://chat.test/in"}
            server: {public_url: "https://status.test"}
            """
        return try ConfigurationLoader.parse(text, file: "monitor.yaml", environment: [:], now: StageState.now) { _ in
            ""
        }.0
    }

    /// Plays the state up to the moment when the surfaces are read.
    func play() async throws {
        try await watch()
        for instant in instants {
            try await deliver(until: instant)
            time.go(to: instant)
            for action in state.actions where action.at == instant { try await act(action.action) }
            for domain in configuration.domains { try await check(domain) }
            await global.evaluate()
            guard instant < state.end else { continue }
            // A message waits for a global evaluation after the check.
            time.go(to: instant + 1)
            await global.evaluate()
        }
        try await deliver(until: state.end)
        time.go(to: StageState.now)
    }

    private func watch() async throws {
        try await store.watch(configuration.domains)
    }

    private func check(_ watched: WatchedDomain) async throws {
        let domain = watched.domain
        guard !state.unchecked.contains(domain.name) else { return }
        let watcher = DomainWatcher(
            watched,
            .init(
                probe: probe, store: store, global: global, delivery: delivery, metrics: metrics.metrics, time: time,
                logger: silent))
        let before = if let state = known[domain] { state } else { try await store.firstState(of: domain) }
        known[domain] = try await watcher.check(before, depth: time.systemTime() == state.end ? .full : nil)
    }

    private func act(_ action: StageState.Action) async throws {
        switch action {
        case .acknowledge:
            let first = IncidentQuery(state: .open, order: .attention, limit: 1)
            guard let open = try await store.incidents(first).first else { return }
            let reason = "Waiting for Apple. Campaign moved to Monday."
            _ = try await store.acknowledge(
                named: open.incident.id, Acknowledgement(by: "eva", reason: reason, at: time.now()))
            delivery.reconsider()
        case .silence:
            _ = try await store.add(
                Silence(
                    scope: SilenceScope(domains: [try DomainPattern(StageState.domain)]), startsAt: time.systemTime(),
                    endsAt: StageState.now + 86400, author: "eva", reason: "launch on Monday"))
            try await silences.refresh()
        case .remove:
            configuration = try Self.configuration(state, isRemoved: true)
            try await delivery.replace(routing: Routing(configuration))
            await global.replace(configuration.stagedGlobal(probe, time))
            metrics.live.replace(with: configuration)
            metrics.metrics.set(StageState.domain, nil)
            try await store.endDomains(
                except: Set(configuration.domains.map(\.domain)), time: time, logger: silent)
            try await watch()
            delivery.wake()
        }
    }

    /// Sends everything that is due until an instant.
    private func deliver(until limit: Date) async throws {
        while true {
            var next: Date?
            for channel in configuration.alerts.channels.map(\.name) {
                while true {
                    guard case .at(let due) = try await steps.step(channel) else { continue }
                    next = [next, due].compactMap(\.self).min()
                    break
                }
            }
            guard let next, next + StageTime.ahead <= limit else { return }
            time.go(to: max(next + StageTime.ahead, time.systemTime() + 0.001))
        }
    }

    /// Serves the page and the API while `body` runs.
    func serving(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        let (delivery, metrics, global) = (delivery, metrics, global)
        let lateness =
            StageState.now.timeIntervalSince(state.end)
            - (configuration.domains.shortestInterval ?? configuration.defaults.interval) / .seconds(1)
        try await serve(
            store, configuration.domains, publicURL: configuration.server.publicURL,
            metrics: { try await metrics.exposition() },
            health: {
                MonitorHealth(
                    lateness: max(0, lateness), isNetworkSuspect: await global.isNetworkSuspect, channels: 2,
                    failingChannels: delivery.troubles())
            }, body)
    }
}

/// Serves a store at the moment that all states share.
func serve(
    _ store: Store, _ watched: [WatchedDomain], publicURL: String? = nil,
    metrics: @escaping @Sendable () async throws -> Exposition = { Exposition() },
    health: @escaping @Sendable () async -> MonitorHealth = { MonitorHealth(channels: 3) },
    _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let site = StatusSite(
        settings: StatusServerSettings(
            port: 0, access: AccessPolicy(publicURL: publicURL), version: "1.2.3", watched: watched,
            cdnBaseURL: "https://app-site-association.cdn-apple.com/a/v1"),
        store: store, timekeeper: StageTime(), logger: silent, metrics: metrics, health: health,
        onListening: { port.yield($0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await site.run() }
        group.addTask { for await port in ports { return try await body(port) } }
        try await group.next()
        group.cancelAll()
    }
}

extension ConfigurationFile {
    fileprivate func stagedGlobal(_ probe: StagedProbe, _ time: HandTime) -> GlobalEvaluator.Configuration {
        .init(
            domains: domains, channels: Set(alerts.channels.map(\.name)),
            canaries: ConnectivityWatch(
                hosts: ["reference.test"], probe: Canaries(probe: probe, time: time), time: time,
                interval: domains.shortestInterval ?? defaults.interval))
    }
}

/// Moves only by hand.
final class HandTime: MonitorClock {
    private let instant: Mutex<Date>

    init(_ start: Date) { instant = Mutex(start) }

    func now() -> Date { systemTime() - StageTime.ahead }
    func systemTime() -> Date { instant.withLock(\.self) }
    func sleep(for duration: Duration) async throws { go(to: systemTime() + duration / .seconds(1)) }
    func go(to next: Date) { instant.withLock { $0 = max($0, next) } }
}

/// A store in a folder that is removed with it.
final class ScratchStore: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "aasa-golden-\(UUID().uuidString)")
    let store: Store

    init(_ time: any MonitorClock) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        store = try Store(path: folder.appending(path: "monitor.db").path, access: .monitor, now: { time.now() })
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Probes with the answers of a state's sites.
final class StagedProbe: DomainProbing {
    let state: StageState
    private let latest = Mutex<[Domain: Observation]>([:])

    init(_ state: StageState) { self.state = state }

    /// What the last check of a domain saw, in wall-clock time, as in a check without a store.
    func last(_ domain: Domain) -> Observation? {
        var observation = latest.withLock { $0[domain] }
        observation?.checkedAt += StageTime.ahead
        return observation
    }

    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        guard let site = state.sites.first(where: { $0.name == domain.name }) else { throw CancellationError() }
        var observation = try site.observation(at: now + StageTime.ahead)
        if depth == .light { observation.full = nil }
        latest.withLock { $0[domain] = observation }
        return observation
    }
}

private struct Canaries: ConnectivityProbing {
    let probe: StagedProbe
    let time: HandTime

    func reachesAny(of hosts: [String]) async throws -> Bool { time.systemTime() < probe.state.isOfflineFrom }
}

/// Accepts every message.
final class Receivers: MessageTransport {
    private let requests = Mutex<[MessageRequest]>([])

    /// What one host got, in order.
    func got(_ host: String) -> [MessageRequest] {
        requests.withLock(\.self).filter { $0.url.hasPrefix("https://\(host)/") }
    }

    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        requests.withLock { $0.append(request) }
        return TransportAnswer(status: 200, body: Data("ok".utf8))
    }
}
