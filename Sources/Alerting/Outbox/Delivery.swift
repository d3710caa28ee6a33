// Sending what the outbox holds: one loop a channel, so that a channel which hangs delays no other, and none of them ever
// delays a check. What one loop does is in ChannelLoop.swift.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// The service that delivers messages. One for a process: the store's lock says so.
package final class Delivery: Sendable {
    let store: Store
    let transport: any MessageTransport
    let time: any Timekeeper
    let settings: Settings
    let logger: Logger
    /// Names this process in leases.
    let owner: String
    private let work = Bell()
    private let state: Mutex<State>

    package struct Settings: Sendable {
        /// As `aasa-monitor/1.2.3 (+https://…)`.
        package var userAgent: String
        /// The wall clock for signatures. Receivers compare it with theirs, so it is never an accelerated one.
        package var wallClock: @Sendable () -> Date
        /// From -1 to 1.
        package var jitter: @Sendable () -> Double

        package init(
            userAgent: String, wallClock: @escaping @Sendable () -> Date = { Date() },
            jitter: @escaping @Sendable () -> Double = { Double.random(in: -1...1) }
        ) {
            self.userAgent = userAgent
            self.wallClock = wallClock
            self.jitter = jitter
        }
    }

    private struct State {
        var channels: [String: Channel]
        var running: Set<String> = []
        var tally: [DeliveryCount.Key: Int] = [:]
        var health: [String: ChannelHealth] = [:]
    }

    package init(
        store: Store, channels: [Channel], transport: any MessageTransport, time: any Timekeeper, settings: Settings,
        logger: Logger, owner: String = UUID().uuidString
    ) {
        self.store = store
        self.transport = transport
        self.time = time
        self.settings = settings
        self.logger = logger
        self.owner = owner
        state = Mutex(State(channels: Self.byName(channels)))
    }

    /// Delivers until the task is cancelled, then returns. A message under way at that moment stays in the outbox.
    /// - Throws: `StoreError` where the store cannot even be prepared; later trouble of the store is logged and outlived.
    package func run() async throws {
        try await store.releaseLeases(except: owner)
        try await store.endOwnHolds()
        // Channels may have gone while nobody was running; their messages would wait for ever.
        try await dropOrphans()
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                let rings = work.rings
                for name in takeIdleChannels() {
                    group.addTask {
                        await ChannelLoop(delivery: self, name: name).run()
                        self.state.withLock { _ = $0.running.remove(name) }
                        // Rung for the case that the channel came back while its loop was ending.
                        self.work.ring()
                    }
                }
                await work.wait(past: rings)
            }
        }
    }

    /// Says that there may be something new to send: after each commit that had messages.
    package func wake() { work.ring() }

    /// Takes another set of channels, as after a reload. The queue of a channel that is gone is dropped.
    package func replace(channels: [Channel]) async throws {
        state.withLock { $0.channels = Self.byName(channels) }
        try await dropOrphans()
        // A changed URL or key may be just what a refused channel was waiting for.
        try await store.endOwnHolds()
        work.ring()
    }

    /// How many attempts ended how, since the start, by channel.
    package func counts() -> [DeliveryCount] {
        state.withLock { state in
            state.tally.map { DeliveryCount(channel: $0.key.channel, outcome: $0.key.outcome, attempts: $0.value) }
                .sorted { ($0.channel, $0.outcome) < ($1.channel, $1.outcome) }
        }
    }

    /// How each channel fares that has been tried since the start.
    package func health() -> [String: ChannelHealth] { state.withLock(\.health) }

    /// Sends a marked test message past the outbox, once, and tells what came back.
    package func test(_ channel: Channel, facts: AlertFacts) async throws -> TestReport {
        let format = channel.format
        let body = try format.body(facts, minimal: false)
        let answer = try await transport.post(
            request(body: body, messageKey: "test-\(UUID().uuidString.lowercased())", channel: channel))
        let outcome = format.judge(answer, now: settings.wallClock())
        return TestReport(
            channel: channel.name, outcome: outcome, status: answer.status, words: Self.words(answer, channel: channel))
    }

    // MARK: - For the loops

    var workRings: UInt64 { work.rings }

    func waitForWork(past rings: UInt64) async { await work.wait(past: rings) }

    func channel(named name: String) -> Channel? { state.withLock { $0.channels[name] } }

    func request(body: Data, messageKey: String, channel: Channel) -> MessageRequest {
        let headers = channel.format.headers(
            messageKey: messageKey, timestamp: settings.wallClock(), body: body, channel: channel)
        return MessageRequest(url: channel.url, headers: headers, userAgent: settings.userAgent, body: body)
    }

    func record(_ outcome: Outcome, channel: String) {
        state.withLock { state in
            state.tally[DeliveryCount.Key(channel: channel, outcome: outcome.label), default: 0] += 1
            state.health[channel] = (state.health[channel] ?? ChannelHealth()).after(outcome, at: time.now())
        }
    }

    /// What came back, in words without secrets; nil where nothing was said.
    static func words(_ answer: TransportAnswer, channel: Channel) -> String? {
        var parts: [String] = []
        if let fault = answer.fault { parts.append(fault.detail) }
        // Only then: half a secret at the end of a cut text would not be recognised.
        if !answer.text.isEmpty { parts.append(answer.text) }
        guard !parts.isEmpty else { return nil }
        return channel.redacted(parts.joined(separator: ": ")).displayable.shortened(to: 300)
    }

    private func dropOrphans() async throws {
        let names = Set(state.withLock(\.channels).keys)
        let dropped = try await store.dropMessages(exceptChannels: names, now: time.now())
        if dropped > 0 {
            logger.warning("dropped the messages of removed channels", metadata: ["messages": "\(dropped)"])
        }
    }

    private func takeIdleChannels() -> [String] {
        state.withLock { state in
            let idle = state.channels.keys.filter { !state.running.contains($0) }.sorted()
            state.running.formUnion(idle)
            return idle
        }
    }

    private static func byName(_ channels: [Channel]) -> [String: Channel] {
        Dictionary(channels.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
