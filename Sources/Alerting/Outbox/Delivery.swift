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
        /// How long a message waits for others of its kind to share one with. Zero: each goes by itself.
        package var groupWait: Duration

        package init(
            userAgent: String, groupWait: Duration = .zero, wallClock: @escaping @Sendable () -> Date = { Date() },
            jitter: @escaping @Sendable () -> Double = { Double.random(in: -1...1) }
        ) {
            self.userAgent = userAgent
            self.groupWait = groupWait
            self.wallClock = wallClock
            self.jitter = jitter
        }
    }

    private struct State {
        var channels: [String: Channel]
        var running: Set<String> = []
        var tally: [DeliveryCount.Key: Int] = [:]
        var health: [String: ChannelHealth] = [:]
        var troubles: [String: ChannelTrouble] = [:]
        var naps: [String: Nap] = [:]
        var groupWait: Duration
        var isRunning = false
        var pacer = Pacer()
        /// What is to be done once the store lets it.
        var mustForgetGone = false
        var mustEndHolds = false
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
        state = Mutex(State(channels: Self.byName(channels), groupWait: settings.groupWait))
    }

    /// Delivers until the task is cancelled, then returns. A message under way at that moment stays in the outbox. Trouble of
    /// the store is logged and outlived.
    package func run() async throws {
        state.withLock { $0.isRunning = true }
        do { try await beginInTime() } catch is CancellationError { return }
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

    /// Reads which channels were in trouble before the start. `run` does it too; whoever asks for `troubles` earlier than
    /// that calls it first, or would take a dead channel for a repaired one.
    package func recall() async throws {
        let known = try await store.channelTroubles()
        state.withLock { state in
            // One that went while nobody was running may come back by a reload, and is another channel then.
            let present = known.filter { state.channels[$0.name] != nil }
            state.troubles = Dictionary(present.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// The channels that do not take messages as they should, by name; those of them that the settings know.
    package func troubles() -> [ChannelTrouble] {
        state.withLock { state in
            state.troubles.values.filter { state.channels[$0.name] != nil }.sorted { $0.name < $1.name }
        }
    }

    /// Makes good what the former process could not: its leases, its holds, and channels that went with it.
    func begin() async throws {
        try await store.releaseLeases(except: owner)
        try await store.endOwnHolds()
        try await recall()
        // Channels may have gone while nobody was running; their messages would wait for ever.
        nameChannels()
        try await makeGood()
    }

    /// Begins once the store lets it: after a crash on a full disk there may be leases to end and no room for that.
    /// - Throws: `CancellationError`.
    private func beginInTime() async throws {
        while true {
            do {
                return try await begin()
            } catch {
                try Task.checkCancellation()
                logger.error("the delivery cannot begin yet; trying again", metadata: ["error": "\(error)"])
                try await time.sleep(for: ChannelLoop.storePause)
            }
        }
    }

    /// Says that there may be something new to send: after each commit that had messages.
    package func wake() { work.ring() }

    /// The same after another process has written to the store. It may have queued what was given up when its channel was
    /// removed, and nobody would claim that.
    package func wakeAfterOutsideWrite() async {
        state.withLock { $0.mustForgetGone = true }
        await catchUp()
        work.ring()
    }

    /// Does what the store did not take before, where there is anything.
    package func catchUp() async {
        guard state.withLock({ $0.mustForgetGone || $0.mustEndHolds }) else { return }
        do {
            try await makeGood()
            work.ring()
        } catch {
            logger.debug("channels cannot be brought up to date yet", metadata: ["error": "\(error)"])
        }
    }

    /// Takes another set of channels, as after a reload. The queue of a channel that is gone is dropped. Where the store
    /// takes no writes the channels are in force all the same, and `catchUp` does the rest.
    /// `groupWait`: as in the settings; nil: as before.
    package func replace(channels: [Channel], groupWait: Duration? = nil) async throws {
        state.withLock { state in
            state.channels = Self.byName(channels)
            if let groupWait { state.groupWait = groupWait }
            // One that comes back under the same name is another channel.
            state.troubles = state.troubles.filter { state.channels[$0.key] != nil }
            state.health = state.health.filter { state.channels[$0.key] != nil }
            // A changed URL or key may be just what a refused channel was waiting for.
            state.mustEndHolds = true
        }
        nameChannels()
        defer { work.ring() }
        try await makeGood()
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

    /// The channels of the running configuration, by their names.
    package var present: [Channel] { state.withLock { $0.channels.values.sorted { $0.name < $1.name } } }

    // MARK: - For the loops

    /// What the loops ask of a claim.
    func rules(for channel: Channel) -> ClaimRules {
        let isPager = channel.kind.keepsIncidents
        let wait = state.withLock(\.groupWait)
        return ClaimRules(
            groupWait: isPager || wait <= .zero ? nil : wait,
            tellsUnsaidEnds: !isPager, mostQueued: isPager ? nil : ClaimRules.mostQueued,
            digestKey: MessageIdentity.key(ofMessages:))
    }

    /// When the pace of a channel, and of what it shares with others, allows the next message.
    func nextTurn(of channel: Channel) -> Date { state.withLock { $0.pacer.next(channel) } }

    func begins(_ nap: Nap, of channel: String) { state.withLock { $0.naps[channel] = nap } }

    func endsNap(of channel: String) { state.withLock { $0.naps[channel] = nil } }

    /// When the first loop wakes by itself, if all of them have nothing to do until then; nil while one is at work. A
    /// clock that is moved by hand may only be moved at rest.
    var rest: Rest? {
        let now = time.now()
        let rings = work.rings
        return state.withLock { state in
            guard state.isRunning else { return Rest(next: nil) }
            guard state.channels.keys.allSatisfy({ state.naps[$0]?.isUndisturbed(at: now, rings: rings) == true })
            else { return nil }
            return Rest(next: state.naps.values.compactMap(\.due).min())
        }
    }

    func trouble(of channel: String) -> ChannelTrouble? { state.withLock { $0.troubles[channel] } }

    /// Of a channel that went while its last answer was on its way nothing is kept.
    func keep(_ trouble: ChannelTrouble?, of channel: String) {
        state.withLock { $0.troubles[channel] = $0.channels[channel] == nil ? nil : trouble }
    }

    var workRings: UInt64 { work.rings }

    func waitForWork(past rings: UInt64) async { await work.wait(past: rings) }

    func channel(named name: String) -> Channel? { state.withLock { $0.channels[name] } }

    /// Sends, and counts it towards the pace.
    func post(_ request: MessageRequest, channel: Channel) async throws -> TransportAnswer {
        state.withLock { $0.pacer.spend(channel, at: time.now()) }
        return try await transport.post(request)
    }

    func request(body: Data, messageKey: String, channel: Channel) throws -> MessageRequest {
        try channel.request(
            body: body, messageKey: messageKey, timestamp: settings.wallClock(), userAgent: settings.userAgent)
    }

    /// Makes the call that follows a delivered message, where there is one. Its failure costs nobody a message.
    func follow(_ facts: AlertFacts, reference: String?, channel: Channel) async {
        let format = channel.format
        guard let call = try? format.followUp(facts, reference: reference, channel: channel) else { return }
        let now = settings.wallClock()
        let request = channel.request(call, timestamp: now, userAgent: settings.userAgent)
        guard let answer = try? await post(request, channel: channel), format.judge(answer, now: now) != .delivered
        else {
            return
        }
        logger.info(
            "an earlier message could not be brought up to date",
            metadata: [
                "channel": "\(channel.name)", "status": "\(answer.status.map(String.init) ?? "none")",
                "error": "\(Self.words(answer, channel: channel) ?? "")",
            ])
    }

    /// Takes note that a channel has moved, until the settings say the same.
    func move(_ channel: Channel, to destination: String) {
        let isNew = state.withLock { state in
            guard state.channels[channel.name]?.destination != destination else { return false }
            state.channels[channel.name]?.destination = destination
            return true
        }
        if isNew {
            logger.warning(
                "the channel has moved; messages follow it, and its settings should name the new place",
                metadata: ["channel": "\(channel.name)", "destination": "\(destination.displayable)"])
        }
    }

    /// The channels that a service-wide wish to wait is meant for.
    func channels(like channel: Channel) -> [String] {
        state.withLock { $0.channels.values.filter { $0.kind == channel.kind }.map(\.name).sorted() }
    }

    func record(_ outcome: Outcome, channel: String) {
        state.withLock { state in
            state.tally[DeliveryCount.Key(channel: channel, outcome: outcome.label), default: 0] += 1
            guard state.channels[channel] != nil else { return }
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

    /// Before anything is written: nobody is owed anything by the names of before, though the store takes no writes.
    private func nameChannels() {
        state.withLock { state in
            store.name(channels: Set(state.channels.keys))
            state.mustForgetGone = true
        }
    }

    private func makeGood() async throws {
        try await settle(\.mustForgetGone) { try await self.forgetGone() }
        try await settle(\.mustEndHolds) { try await self.store.endOwnHolds() }
    }

    /// Does what is due; where that fails, it stays due. What becomes due meanwhile is done next time.
    private func settle(
        _ due: any WritableKeyPath<State, Bool> & Sendable, _ work: () async throws -> Void
    ) async throws {
        let isDue = state.withLock { state in
            defer { state[keyPath: due] = false }
            return state[keyPath: due]
        }
        guard isDue else { return }
        do { try await work() } catch {
            state.withLock { $0[keyPath: due] = true }
            throw error
        }
    }

    private func forgetGone() async throws {
        let gone = try await store.forgetGoneChannels(now: time.now())
        for notice in RemovedChannel.all(of: gone.unended) {
            logger.warning(RemovedChannel.words, metadata: notice.metadata)
        }
        if gone.dropped > 0 {
            logger.warning("dropped the messages of removed channels", metadata: ["messages": "\(gone.dropped)"])
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
