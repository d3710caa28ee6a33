// The notification service. Each channel has its own loop, so a slow receiver delays neither other channels nor checks.
// decide.swift decides what is sent. ChannelWorker.swift is the loop.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// One per process. The store's lock ensures that only one process delivers.
package final class Delivery: Sendable {
    let store: Store
    let transport: any MessageTransport
    let time: any MonitorClock
    /// For example `aasa-monitor/1.2.3 (+https://…)`.
    private let userAgent: String
    /// Random, from -1 to 1.
    let jitter: @Sendable () -> Double
    let logger: Logger
    private let work = Wakeup()
    private let state: Mutex<State>

    private struct State {
        var inputs: NotificationInputs
        /// Increases when inputs outside the store change. Each channel then reconciles in full.
        var revision: UInt64 = 1
        /// New destinations of channels that have moved, by name, until a reload replaces the configuration.
        var destinations: [String: String] = [:]
        var running: Set<String> = []
        var troubles: [String: ChannelRecord.Trouble] = [:]
        /// The number of attempts by channel and outcome.
        var counts: [String: [String: Int]] = [:]
        var limiter = RateLimiter()
        /// For each waiting loop: the end of the wait, and the work revision that ends it earlier.
        var waits: [String: (end: Date, revision: UInt64?)] = [:]

        /// - Returns: true if the set of channels in trouble changed.
        mutating func noteTrouble() -> Bool {
            guard inputs.troubled != Set(troubles.keys) else { return false }
            inputs.troubled = Set(troubles.keys)
            revision += 1
            return true
        }
    }

    package init(
        store: Store, routing: Routing, transport: any MessageTransport, time: any MonitorClock, userAgent: String,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: -1...1) }, logger: Logger
    ) {
        self.store = store
        self.transport = transport
        self.time = time
        self.userAgent = userAgent
        self.jitter = jitter
        self.logger = logger
        state = Mutex(State(inputs: NotificationInputs(routing: routing, intervalFactor: time.intervalFactor)))
    }

    /// Runs until the task is cancelled. The next process sends a message under way again, with the same key.
    package func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let revision = work.revision
                for name in takeIdleChannels() {
                    group.addTask {
                        await ChannelWorker(delivery: self, name: name).run()
                        self.state.withLock { state in
                            state.running.remove(name)
                            state.waits[name] = nil
                        }
                        // A reload may have added the channel again while its loop was ending.
                        self.work.signal()
                    }
                }
                await work.wait(past: revision)
            }
        }
    }

    /// Loads the troubles of all channels, forgets removed channels, and ends holds: somebody may have fixed the cause.
    /// Call it once before the first global evaluation: otherwise a dead channel would count as repaired.
    package func prepare() async throws {
        for channel in inputs.routing.channels { _ = try await store.endHold(channel: channel.name, now: time.now()) }
        let records = try await store.channelRecords()
        for record in records where configured(record.name) == nil { try await forget(record) }
        state.withLock { state in
            for record in records where state.inputs.routing.channel(named: record.name) != nil {
                state.troubles[record.name] = record.trouble
            }
            _ = state.noteTrouble()
        }
    }

    /// Wakes the loops. Call it after each commit that changed an incident.
    package func wake() { work.signal() }

    /// Makes all loops reconcile in full, after a change that gives no incident a change number.
    package func reconsider() {
        state.withLock { $0.revision += 1 }
        work.signal()
    }

    /// Replaces the configuration. Ends holds that no receiver asked for, because a new URL or key may fix the trouble.
    package func replace(routing: Routing) async throws {
        let names = state.withLock { state in
            state.inputs.routing = routing
            state.destinations = [:]
            let names = routing.channels.map(\.name)
            state.troubles = state.troubles.filter { names.contains($0.key) }
            _ = state.noteTrouble()
            return names
        }
        // Reconcile after the holds end: an earlier reconcile would still find the refusals.
        defer { reconsider() }
        for name in names { _ = try await store.endHold(channel: name, now: time.now()) }
    }

    package func set(silences: Silences) {
        let isNews = state.withLock { state in
            guard state.inputs.silences != silences else { return false }
            state.inputs.silences = silences
            state.revision += 1
            return true
        }
        if isNews { work.signal() }
    }

    package func set(global evaluatedAt: Date) { state.withLock { $0.inputs.globalEvaluatedAt = evaluatedAt } }

    /// The channels in trouble, sorted by name.
    package func troubles() -> [FailingChannel] {
        state.withLock { state in
            state.troubles.sorted { $0.key < $1.key }.map { name, trouble in
                FailingChannel(
                    name: name, isDisabled: trouble.state == .disabled, since: trouble.since,
                    words: trouble.error ?? "its last attempts failed")
            }
        }
    }

    /// The number of attempts since the start, by channel and outcome.
    package func counts() -> [DeliveryCount] {
        state.withLock { state in
            state.counts.flatMap { channel, outcomes in
                outcomes.map { DeliveryCount(channel: channel, outcome: $0.key, attempts: $0.value) }
            }
            .sorted { ($0.channel, $0.outcome) < ($1.channel, $1.outcome) }
        }
    }

    /// When a loop has work next, for a clock that waits for the loops; the distant past while a loop is busy.
    package var due: Date {
        let revision = work.revision
        return state.withLock { state in
            state.inputs.routing.channels.map { channel in
                guard let wait = state.waits[channel.name], wait.revision ?? revision == revision else {
                    return .distantPast
                }
                return wait.end
            }
            .min() ?? .distantFuture
        }
    }

    // MARK: - For the loops

    /// Records that a loop waits. `past`: new work beyond this revision ends the wait; nil: nothing does.
    func note(wait end: Date, past revision: UInt64?, of name: String) {
        state.withLock { $0.waits[name] = (end, revision) }
    }

    /// Sleeps for the whole duration. A clock that waits for the loops may go on meanwhile.
    func pause(for duration: Duration, channel: String) async throws {
        let end = time.now() + duration / .seconds(1)
        note(wait: end, past: nil, of: channel)
        try await time.sleep(until: end)
    }

    var inputs: NotificationInputs { state.withLock(\.inputs) }
    var revision: UInt64 { state.withLock(\.revision) }
    var workRevision: UInt64 { work.revision }

    func waitForWork(past revision: UInt64) async { await work.wait(past: revision) }

    /// The channel with the destination in the configuration; nil if it was removed.
    func configured(_ name: String) -> Channel? { inputs.routing.channel(named: name) }

    /// Deletes what a channel knows, because its destination changed or it was removed. Logs the incidents that stay
    /// open at the old destination, with the keys for a pager. At a new destination the channel starts over.
    func forget(_ former: ChannelRecord) async throws {
        let open = try await store.unendedNotifications(channel: former.name).map(\.incident)
        try await store.transact(channel: former.name) { try $0.forget() }
        guard !open.isEmpty else { return }
        // A chat has nothing to resolve.
        let kind = ChannelKind(rawValue: former.type)
        let isPager = kind?.takesAcknowledgements ?? false
        let keyName = kind == .opsgenie ? "alias" : "dedup_key"
        let named = open.prefix(10).map { incident in
            let key = isPager ? ", \(keyName) \(MessageIdentity.pagerKey(of: incident))" : ""
            return "\(incident.subjectName) \(incident.kind.rawValue) (\(incident.id.prefix(12))\(key))"
        }
        let more = open.count > named.count ? ["and \(open.count - named.count) more"] : []
        logger.log(
            level: isPager ? .warning : .notice,
            "incidents stay open at the channel's former address\(isPager ? "; resolve them there" : "")",
            metadata: [
                "channel": "\(former.name.displayable)", "incidents": .stringConvertible(open.count),
                "open": "\((named + more).joined(separator: "; "))",
            ])
    }

    /// The channel with its current destination; nil if the configuration no longer has it.
    func channel(named name: String) -> Channel? {
        state.withLock { state in
            var channel = state.inputs.routing.channel(named: name)
            if let moved = state.destinations[name] { channel?.destination = moved }
            return channel
        }
    }

    /// Updates the trouble of a channel, unless it was removed meanwhile. If the set of channels in trouble changes,
    /// other channels may have to be notified.
    func keep(_ record: ChannelRecord) {
        let isNews = state.withLock { state in
            let isConfigured = state.inputs.routing.channel(named: record.name) != nil
            state.troubles[record.name] = isConfigured ? record.trouble : nil
            return state.noteTrouble()
        }
        if isNews { work.signal() }
    }

    func count(_ outcome: Outcome, channel: String) {
        state.withLock { $0.counts[channel, default: [:]][outcome.label, default: 0] += 1 }
    }

    /// When the rate limits of a channel allow the next message.
    func nextTurn(of channel: Channel) -> Date { state.withLock { $0.limiter.next(channel) } }

    /// Makes one attempt to send a message. Counts it for the rate limits.
    func post(_ body: Data, key: String, to channel: Channel) async throws -> TransportAnswer {
        let request = try channel.format.request(
            body: body, messageKey: key, timestamp: time.systemTime(), userAgent: userAgent, channel: channel)
        state.withLock { $0.limiter.spend(channel, at: time.now()) }
        return try await transport.post(request)
    }

    /// Remembers the new destination of a channel, until a reload.
    func move(_ channel: Channel, to destination: String) {
        let isNew = state.withLock { state in
            defer { state.destinations[channel.name] = destination }
            return state.destinations[channel.name] != destination
        }
        guard isNew else { return }
        logger.warning(
            "the channel has moved; sending to the new address; set it in the configuration",
            metadata: ["channel": "\(channel.name)", "destination": "\(destination.displayable)"])
    }

    private func takeIdleChannels() -> [String] {
        state.withLock { state in
            let idle = state.inputs.routing.channels.map(\.name).filter { !state.running.contains($0) }
            state.running.formUnion(idle)
            return idle
        }
    }
}

/// The number of a channel's attempts with one outcome.
package struct DeliveryCount: Equatable, Sendable {
    package let channel: String
    /// One of `delivered`, `transient`, `throttled`, `message_refused`, `channel_refused`.
    package let outcome: String
    package let attempts: Int
}
