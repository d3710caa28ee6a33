// The monitor's parts over a real store, wired as in the daemon. Sites and receivers are in this process and answer at once:
// only the monitor's own work is measured.

import Alerting
import Daemon
import Evidence
import Facts
import Foundation
import Logging
import MonitorConfiguration
import Monitoring
import Storage
import Synchronization
import TestSupport

final class StoreParts: Sendable {
    private static let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }

    let sites = FakeSites()
    let clock = SteppedClock()
    private let domains: [Domain]
    private let interval: TimeInterval
    private let store: Store
    private let delivery: Delivery
    private let watchers: [DomainWatcher]
    private let states: Mutex<[DomainState]>
    /// The number of the next domain to check.
    private let next = Atomic<Int>(0)
    private let sending: Task<Void, Never>

    /// Opens a new store. All domains are routed to all channels; `interval` is in seconds.
    init(path: String, domains names: [String], channels: [String], interval: Int) async throws {
        let (sites, clock) = (self.sites, self.clock)
        let domains = try names.map { try Domain($0) }
        let store = try Store(path: path, access: .monitor, now: { clock.now() })
        let alerts = AlertSettings()
        let checks = CheckSettings(interval: .seconds(interval))
        let watched = domains.map { WatchedDomain(domain: $0, checks: checks) }
        let routing = Routing(
            channels: channels.map { Channel(name: $0, kind: .webhook, url: "https://\($0).test/in") },
            domains: watched,
            cdnBaseURL: "https://cdn.test/a/v1", groupWait: alerts.groupWait, groupInterval: alerts.groupInterval,
            instance: "bench")
        let delivery = Delivery(
            store: store, routing: routing, transport: sites, time: clock,
            userAgent: "aasa-monitor-bench", logger: Self.logger)
        watchers = watched.map { watched in
            DomainWatcher(
                watched,
                .init(probe: sites, store: store, global: nil, delivery: delivery, time: clock, logger: Self.logger))
        }
        var states: [DomainState] = []
        for domain in domains { states.append(try await store.firstState(of: domain)) }
        (self.domains, self.interval, self.store, self.delivery) = (domains, Double(interval), store, delivery)
        self.states = Mutex(states)
        sending = Task { await delivery.run() }
    }

    /// Checks each domain once, spread over one simulated interval, `writers` domains at once.
    func round(writers: Int) async throws {
        next.store(0, ordering: .relaxed)
        try await withThrowingTaskGroup { group in
            for _ in 0..<writers { group.addTask { [self] in try await work() } }
            try await group.waitForAll()
        }
    }

    private func work() async throws {
        while true {
            let number = next.add(1, ordering: .relaxed).oldValue
            guard number < domains.count else { return }
            let state = states.withLock { $0[number] }
            let after = try await watchers[number].check(state)
            guard after.lastCheckedAt != state.lastCheckedAt else { throw BenchFault("a check could not be stored") }
            states.withLock { $0[number] = after }
            clock.advance(by: interval / Double(domains.count))
            if number % 13 == 0 { evaluateGlobal() }
        }
    }

    /// Advances the clock until nothing is sent for 20 minutes of its time, at most by 90 minutes.
    func settle() async throws {
        var quiet = 0
        var sent = sites.messages
        for _ in 0..<5400 where quiet < 1200 {
            clock.advance(by: 1)
            evaluateGlobal()
            try await Task.sleep(for: .milliseconds(4))
            quiet = sites.messages == sent ? quiet + 1 : 0
            sent = sites.messages
        }
    }

    /// Reports a global evaluation: messages about a check wait for the next one.
    private func evaluateGlobal() { delivery.set(global: clock.now()) }

    func close() async throws {
        sending.cancel()
        await sending.value
        try store.close()
    }
}

/// A clock that the benchmark moves: hours of checks pass in seconds.
final class SteppedClock: MonitorClock {
    private let instant = Mutex(Date(timeIntervalSince1970: 1_795_244_400))

    func now() -> Date { instant.withLock(\.self) }

    func advance(by seconds: TimeInterval) { instant.withLock { $0 += seconds } }

    func sleep(for duration: Duration) async throws {
        let due = now() + duration / .seconds(1)
        while now() < due { try await Task.sleep(for: .milliseconds(2)) }
    }
}

final class FakeSites: Sendable {
    private struct Key: Hashable {
        let domain: String
        let depth: Depth
        let isFailing: Bool
    }

    private struct State {
        var isFailing = false
        var observations: [Key: Observation] = [:]
        var checks = 0
    }

    private let state = Mutex(State())
    private let posted = Atomic<Int>(0)

    /// The number of sent messages.
    var messages: Int { posted.load(ordering: .relaxed) }

    /// From now on all origins answer 503, or the file again.
    func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

    private static func observation(_ key: Key) throws -> Observation {
        let file = Reply.file(ServedFile.text)
        let origin = key.isFailing ? Reply.status(503) : file
        guard key.depth == .full else { return try .of(key.domain, origin: origin, cdn: file) }
        let scene = Scene.calm(origin).edges([Reply](repeating: file, count: 8))
        return try .of(key.domain, origin: origin, cdn: file, scene: scene)
    }
}

extension FakeSites: DomainProbing {
    /// Successive checks take different times.
    func observe(
        _ domain: Domain, mode: AssociationMode, depth: Depth, hadFile: Bool, pages: [String], timeout: Duration?,
        compared: (origin: ContentHash, copy: ContentHash)?, now: Date
    ) async throws -> Observation {
        let (known, key, number) = state.withLock { state in
            let key = Key(domain: domain.name, depth: depth, isFailing: state.isFailing)
            state.checks += 1
            return (state.observations[key], key, state.checks)
        }
        var observation = try known ?? Self.observation(key)
        if known == nil { state.withLock { $0.observations[key] = observation } }
        observation.checkedAt = now
        let time = 20 + Double(number % 17)
        observation.origin.connection?.timings = Timings(firstByte: time, total: time)
        return observation
    }
}

extension FakeSites: MessageTransport {
    func post(_ request: MessageRequest) async throws -> TransportAnswer {
        posted.add(1, ordering: .relaxed)
        return TransportAnswer(status: 200, body: Data("ok".utf8))
    }
}
