// The life of one channel: follow what is true, write down what is pending, send, settle; or wait. Nobody has to remember to wake
// it for a particular reason: it follows the counter of incident changes like a log.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// When a loop has its next turn.
package enum NextTurn: Equatable, Sendable {
    /// Something was done; there may be more.
    case now
    /// Nothing is to be done before that instant, unless something changes; nil: nothing waits.
    case at(Date?)
}

final class ChannelLoop: Sendable {
    let delivery: Delivery
    let name: String
    /// The generation of the inputs at the last walk; nil: walk at the next turn.
    private let walked = Mutex<UInt64?>(nil)
    /// The channel as it was at the last turn: with the address and the key that its messages went to.
    private let latest = Mutex<(channel: Channel, destination: String)?>(nil)
    /// When a feed last sent all that is present.
    private let lastRound = Mutex<Date?>(nil)

    static let storePause = Duration.seconds(5)
    /// After a wakeup, so that what a burst of checks brings is taken together.
    private static let settling = Duration.milliseconds(100)
    static let shortestWait: TimeInterval = 0.01
    private static let longestWait: TimeInterval = 3600

    init(delivery: Delivery, name: String) {
        self.delivery = delivery
        self.name = name
    }

    /// Runs until the task is cancelled or the channel is removed.
    func run() async {
        let failures = LogDeduplicator()
        while !Task.isCancelled {
            // Read before looking for work: what is committed meanwhile raises it.
            let generation = delivery.workGeneration
            do {
                guard delivery.channel(named: name) != nil else { return try await end() }
                if case .at(let due) = try await turn() { await wait(until: due, past: generation) }
                failures.isOver()
            } catch {
                if Task.isCancelled { return }
                if failures.isNews("\(error)") {
                    delivery.logger.error(
                        "a step of the delivery failed; trying again",
                        metadata: ["channel": "\(name)", "error": "\(error)"])
                }
                try? await delivery.time.sleep(for: Self.storePause)
            }
        }
    }

    private func wait(until due: Date?, past generation: UInt64) async {
        let now = delivery.time.now()
        let due = min(max(due ?? .distantFuture, now + Self.shortestWait), now + Self.longestWait)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.delivery.time.sleep(until: due) }
            group.addTask { await self.delivery.waitForWork(past: generation) }
            await group.next()
            group.cancelAll()
        }
        try? await delivery.time.sleep(for: Self.settling)
    }

    /// The configuration does not name the channel any more: nothing of it waits.
    func end() async throws {
        try await delivery.store.retire(channel: name)
        if let former = latest.withLock(\.self) { try await leave(former.channel, former.destination) }
        latest.withLock { $0 = nil }
    }

    /// Tells the former place that it gets no more, unless another channel sends there. Nobody waits for that.
    private func leave(_ former: Channel, _ destination: String) async throws {
        guard try await !delivery.destinations().contains(destination) else { return }
        // Who still gets mail, gets no farewell.
        let staying = Set(delivery.configured(name)?.mail?.recipients ?? [])
        guard let former = former.without(recipients: staying) else { return }
        let open = try await delivery.store.unendedNotifications(channel: name)
        await delivery.takeLeave(
            LeaveTaking(delivery: delivery, channel: former, destination: destination, open: open))
    }

    /// Brings the channel's rows up to date, and sends one message where one is due.
    func turn() async throws -> NextTurn {
        guard let channel = delivery.channel(named: name), let configured = delivery.configured(name) else {
            return .at(nil)
        }
        let destination = try await delivery.destinationHash(of: configured)
        if let former = latest.withLock(\.self), former.destination != destination {
            try await leave(former.channel, former.destination)
        }
        latest.withLock { $0 = (channel, destination) }
        let generation = delivery.generation
        let reconciler = Reconciler(delivery: delivery, channel: channel, destination: destination)
        let isWalk = walked.withLock { $0 != generation }
        var record = try await reconciler.reconcile(isWalk: isWalk)
        walked.withLock { $0 = generation }
        delivery.keep(record)
        let now = delivery.time.now()
        if let hold = record.hold, hold.until > now { return .at(try await nextDue(notBefore: hold.until)) }
        if channel.kind.isFeed {
            let feed = Feed(delivery: delivery, channel: channel)
            let round = try await feed.send(record, lastRound: lastRound.withLock(\.self))
            lastRound.withLock { $0 = round }
            return .at(try await nextDue(notBefore: round + Feed.interval))
        }
        let turn = delivery.nextTurn(of: channel)
        guard turn <= now else { return .at(try await nextDue(notBefore: turn)) }
        let (outgoing, next) = try await Outgoing(delivery: delivery, channel: channel).next(record)
        guard let outgoing else { return next }
        let lifted = record.refusalsLiftedAt
        record = try await Sender(delivery: delivery, channel: channel, record: record).send(outgoing)
        delivery.keep(record)
        // Messages that were refused are decided anew.
        if record.refusalsLiftedAt != lifted { walked.withLock { $0 = nil } }
        return next
    }

    /// A held channel still asks about what falls due meanwhile: it only does not send.
    private func nextDue(notBefore instant: Date) async throws -> Date {
        let due = try await delivery.store.inspect(channel: name) { try $0.nextDue() }
        return min(due ?? instant, instant)
    }
}

/// The loops a step at a time, for those who hold the clock themselves: `Delivery.run` without its tasks and waits.
package final class DeliverySteps: Sendable {
    private let delivery: Delivery
    private let loops = Mutex<[String: ChannelLoop]>([:])

    package init(_ delivery: Delivery) { self.delivery = delivery }

    /// Sends what is due at each channel, and what falls due until that instant. The rest stays in the store, as does what
    /// could not be sent.
    package func sendAll(until limit: Date) async {
        await withDiscardingTaskGroup { group in
            for channel in delivery.inputs.routing.channels {
                group.addTask { await self.sendAll(to: channel.name, until: limit) }
            }
        }
    }

    private func sendAll(to name: String, until limit: Date) async {
        do {
            while !Task.isCancelled, delivery.time.now() <= limit {
                guard case .at(let due) = try await step(name) else { continue }
                guard let due, due <= limit else { return }
                try await delivery.time.sleep(until: max(due, delivery.time.now() + ChannelLoop.shortestWait))
            }
        } catch {
            if Task.isCancelled { return }
            delivery.logger.error(
                "a step of the delivery failed", metadata: ["channel": "\(name)", "error": "\(error)"])
        }
    }

    /// What one channel's loop does in one turn. Of one channel, one turn at a time.
    /// - Throws: what the loop would log and survive; the pause after it is the caller's.
    package func step(_ name: String) async throws -> NextTurn {
        let loop = loops.withLock { loops in
            let loop = loops[name] ?? ChannelLoop(delivery: delivery, name: name)
            loops[name] = loop
            return loop
        }
        guard delivery.channel(named: name) != nil else {
            try await loop.end()
            return .at(nil)
        }
        return try await loop.turn()
    }
}
