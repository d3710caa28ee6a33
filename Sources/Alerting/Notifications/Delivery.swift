// The service that notifies: one loop a channel, so that a receiver that hangs delays no other, and none ever delays a check.
// Why a message is sent is in decide.swift; what one does is in ChannelWorker.swift.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// One for a process: the store's lock says so.
package final class Delivery: Sendable {
    let store: Store
    let transport: any MessageTransport
    let time: any MonitorClock
    /// As `aasa-monitor/1.2.3 (+https://…)`.
    private let userAgent: String
    /// From -1 to 1.
    let jitter: @Sendable () -> Double
    let logger: Logger
    private let work = Wakeup()
    private let state: Mutex<State>

    private struct State {
        var inputs: NotificationInputs
        /// Raised when something changes that the store does not hold: each channel then reconciles all that is open.
        var revision: UInt64 = 1
        /// Channels that have moved, by name, until the configuration names the new place.
        var destinations: [String: String] = [:]
        var running: Set<String> = []
        var troubles: [String: ChannelRecord.Trouble] = [:]
        /// How many attempts ended how, by the channel's name.
        var counts: [String: [String: Int]] = [:]
        var limiter = RateLimiter()
        /// Of each loop that waits: until when, unless there is work past a revision.
        var waits: [String: (end: Date, revision: UInt64?)] = [:]

        /// - Returns: whether other channels take no messages than before.
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

    /// Notifies until the task is cancelled. A message under way then is sent again by the next process, with the same key.
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
                        // The channel may have come back while its loop was ending.
                        self.work.signal()
                    }
                }
                await work.wait(past: revision)
            }
        }
    }

    /// Reads how the channels stood before the start, forgets those that are gone, and ends holds of our own: somebody may have
    /// repaired what was wrong. Once, before all domains are evaluated together first: a dead channel would else count as repaired.
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

    /// Wakes the loops: after each commit that changed an incident.
    package func wake() { work.signal() }

    /// Has the loops ask again about all that is open: something changed that no change of an incident shows.
    package func reconsider() {
        state.withLock { $0.revision += 1 }
        work.signal()
    }

    /// Takes another configuration. A changed URL or key may be what a channel in trouble was waiting for, so that holds of
    /// our own end.
    package func replace(routing: Routing) async throws {
        let names = state.withLock { state in
            state.inputs.routing = routing
            state.destinations = [:]
            let names = routing.channels.map(\.name)
            state.troubles = state.troubles.filter { names.contains($0.key) }
            _ = state.noteTrouble()
            return names
        }
        // Behind the holds: a full reconcile before would still meet the refusals that they lift.
        defer { reconsider() }
        for name in names { _ = try await store.endHold(channel: name, now: time.now()) }
    }

    /// Takes the silences and maintenance windows.
    package func set(silences: Silences) {
        let isNews = state.withLock { state in
            guard state.inputs.silences != silences else { return false }
            state.inputs.silences = silences
            state.revision += 1
            return true
        }
        if isNews { work.signal() }
    }

    /// Takes note of a global evaluation: when it was.
    package func set(global evaluatedAt: Date) { state.withLock { $0.inputs.globalEvaluatedAt = evaluatedAt } }

    /// The channels that do not take messages as they should, by name.
    package func troubles() -> [FailingChannel] {
        state.withLock { state in
            state.troubles.sorted { $0.key < $1.key }.map { name, trouble in
                FailingChannel(
                    name: name, isDisabled: trouble.state == .disabled, since: trouble.since,
                    words: trouble.error ?? "its last attempts failed")
            }
        }
    }

    /// How many attempts ended how, since the start, by channel.
    package func counts() -> [DeliveryCount] {
        state.withLock { state in
            state.counts.flatMap { channel, outcomes in
                outcomes.map { DeliveryCount(channel: channel, outcome: $0.key, attempts: $0.value) }
            }
            .sorted { ($0.channel, $0.outcome) < ($1.channel, $1.outcome) }
        }
    }

    /// When there is next something to do, for a clock that waits for it; what is under way is long due.
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

    /// Takes note that a loop waits. `past`: unless there is work past that revision; nil where it does not look for work.
    func note(wait end: Date, past revision: UInt64?, of name: String) {
        state.withLock { $0.waits[name] = (end, revision) }
    }

    /// Sleeps, whatever comes meanwhile. Nothing of the channel is under way for a clock that waits for it.
    func pause(for duration: Duration, channel: String) async throws {
        let end = time.now() + duration / .seconds(1)
        note(wait: end, past: nil, of: channel)
        try await time.sleep(until: end)
    }

    var inputs: NotificationInputs { state.withLock(\.inputs) }
    var revision: UInt64 { state.withLock(\.revision) }
    var workRevision: UInt64 { work.revision }

    func waitForWork(past revision: UInt64) async { await work.wait(past: revision) }

    /// As the configuration names it, wherever it has moved to; nil where it no longer does.
    func configured(_ name: String) -> Channel? { inputs.routing.channel(named: name) }

    /// Forgets what a channel knows of a place that its messages go to no more, and says in the log what stays open there: nobody
    /// has the key to it. Elsewhere the channel begins anew.
    func forget(_ former: ChannelRecord) async throws {
        let open = try await store.unendedNotifications(channel: former.name).map(\.incident)
        try await store.transact(channel: former.name) { try $0.forget() }
        guard !open.isEmpty else { return }
        // In a chat there is nothing to close.
        let isPager = former.type == ChannelKind.pagerduty.rawValue
        let named = open.prefix(10).map { incident in
            let key = isPager ? ", dedup_key \(MessageIdentity.pagerKey(of: incident))" : ""
            return "\(incident.subjectName) \(incident.kind.rawValue) (\(incident.id.prefix(12))\(key))"
        }
        let more = open.count > named.count ? ["and \(open.count - named.count) more"] : []
        logger.log(
            level: isPager ? .warning : .notice,
            "these incidents stay open at the channel's former address\(isPager ? "; resolve them there" : "")",
            metadata: [
                "channel": "\(former.name.displayable)", "incidents": .stringConvertible(open.count),
                "open": "\((named + more).joined(separator: "; "))",
            ])
    }

    /// nil where the configuration no longer names it.
    func channel(named name: String) -> Channel? {
        state.withLock { state in
            var channel = state.inputs.routing.channel(named: name)
            if let moved = state.destinations[name] { channel?.destination = moved }
            return channel
        }
    }

    /// Remembers how a channel stands; of one that went while its last answer was on its way, nothing. Where it begins to take no
    /// messages, or takes them again, others may have to be notified.
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

    /// When the limits of a channel's service allow the next message.
    func nextTurn(of channel: Channel) -> Date { state.withLock { $0.limiter.next(channel) } }

    /// Makes one attempt to send a message, and counts it towards the limits.
    func post(_ body: Data, key: String, to channel: Channel) async throws -> TransportAnswer {
        let request = try channel.request(
            body: body, messageKey: key, timestamp: time.systemTime(), userAgent: userAgent)
        state.withLock { $0.limiter.spend(channel, at: time.now()) }
        return try await transport.post(request)
    }

    /// Takes note that a channel has moved, until the configuration says the same.
    func move(_ channel: Channel, to destination: String) {
        let isNew = state.withLock { state in
            defer { state.destinations[channel.name] = destination }
            return state.destinations[channel.name] != destination
        }
        guard isNew else { return }
        logger.warning(
            "the channel has moved; messages follow it; name the new place in the configuration",
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

/// Attempts of one channel that ended one way.
package struct DeliveryCount: Equatable, Sendable {
    package let channel: String
    /// A fixed word: `delivered`, `transient`, `throttled`, `message_refused`, `channel_refused`.
    package let outcome: String
    package let attempts: Int
}
