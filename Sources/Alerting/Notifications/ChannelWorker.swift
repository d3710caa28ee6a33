// The life of one channel, in turns of four steps: reconcile what is true with what the channel knows, build the next message of
// what is pending, send it, apply the answer; or wait. Nobody has to remember to wake it for a particular reason: it follows the
// counter of incident changes like a log.
//
// What is decided: decide.swift, asked by NotificationPlanner.swift. What a message says: MessageBuilder.swift. What an answer
// means: DeliveryResult.swift.

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

actor ChannelWorker {
    let delivery: Delivery
    let name: String
    /// The revision of the inputs that all open incidents were last reconciled with; nil: reconcile them at the next turn.
    private var reconciled: UInt64?
    /// What a feed sent.
    private var feed: Feed?

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
            let revision = delivery.workRevision
            do {
                guard let next = try await turn() else { return }
                if case .at(let due) = next { await wait(until: due, past: revision) }
                failures.isOver()
            } catch {
                if Task.isCancelled { return }
                if failures.isNews("\(error)") {
                    delivery.logger.error(
                        "a step of the delivery failed; trying again",
                        metadata: ["channel": "\(name)", "error": "\(error)"])
                }
                try? await delivery.pause(for: Self.storePause, channel: name)
            }
        }
    }

    private func wait(until due: Date?, past revision: UInt64) async {
        let now = delivery.time.now()
        let due = min(max(due ?? .distantFuture, now + Self.shortestWait), now + Self.longestWait)
        delivery.note(wait: due, past: revision, of: name)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await self.delivery.time.sleep(until: due) }
            group.addTask { await self.delivery.waitForWork(past: revision) }
            await group.next()
            group.cancelAll()
        }
        try? await delivery.pause(for: Self.settling, channel: name)
    }

    /// Brings the channel's rows up to date, and sends one message where one is due.
    /// - Returns: nil where the configuration does not name the channel any more.
    func turn() async throws -> NextTurn? {
        guard let channel = delivery.channel(named: name), let configured = delivery.configured(name) else {
            if let record = try await delivery.store.inspect(channel: name, { try $0.record() }) {
                try await delivery.forget(record)
            }
            feed = nil
            return nil
        }
        let destination = configured.destinationHash
        let revision = delivery.revision
        let turn = ChannelTurn(delivery: delivery, channel: channel)
        if channel.kind.isFeed { return try await feedTurn(turn, destination) }
        var record = try await turn.reconcile(destination, isFull: reconciled != revision)
        reconciled = revision
        delivery.keep(record)
        let now = delivery.time.now()
        if let hold = record.hold, hold.until > now { return .at(try await nextDue(notBefore: hold.until)) }
        let free = delivery.nextTurn(of: channel)
        guard free <= now else { return .at(try await nextDue(notBefore: free)) }
        let (message, next) = try await turn.build(record)
        guard let message else { return next }
        let lifted = record.refusalsLiftedAt
        record = try await turn.send(message, record)
        delivery.keep(record)
        // Messages that were refused are decided anew.
        if record.refusalsLiftedAt != lifted { reconciled = nil }
        return next
    }

    /// A turn of a feed, which has no rows to reconcile.
    private func feedTurn(_ turn: ChannelTurn, _ destination: String) async throws -> NextTurn {
        let record = try await turn.begin(destination)
        delivery.keep(record)
        let known = feed.flatMap { $0.destination == destination ? $0 : nil } ?? Feed(destination: destination)
        let next = known.lastRound.map { $0 + ChannelTurn.shortestInterval } ?? .distantPast
        let free = max(record.hold?.until ?? .distantPast, next)
        if free > delivery.time.now() { return .at(free) }
        let sent = try await turn.push(record, known)
        feed = sent
        return .at(sent.due)
    }

    /// A held channel still asks about what falls due meanwhile: it only does not send.
    private func nextDue(notBefore instant: Date) async throws -> Date {
        let due = try await delivery.store.inspect(channel: name) { try $0.nextDue() }
        return min(due ?? instant, instant)
    }
}

/// One turn of a channel, in four steps: reconcile, build, send, apply.
struct ChannelTurn: Sendable {
    let delivery: Delivery
    let channel: Channel

    private func transact<Value: Sendable>(
        isDurable: Bool = false, _ body: @escaping @Sendable (NotificationPlanner) throws -> Value
    ) async throws -> Value {
        try await delivery.store.transact(channel: channel.name, isDurable: isDurable, planned(body))
    }

    /// The same for reading, from one snapshot.
    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (NotificationPlanner) throws -> Value
    ) async throws -> Value {
        try await delivery.store.inspect(channel: channel.name, planned(body))
    }

    private func planned<Value>(
        _ body: @escaping @Sendable (NotificationPlanner) throws -> Value
    ) -> @Sendable (ChannelTransaction) throws -> Value {
        let (inputs, channel, time) = (delivery.inputs, channel, delivery.time)
        return { store in
            try body(try NotificationPlanner(inputs, channel, store, now: time.now(), wall: time.systemTime()))
        }
    }

    // MARK: - Reconcile

    /// Incidents in one transaction.
    private static let page = 200

    /// Follows the counter of changes, and asks again about what is due; `isFull`: about all that is open, too.
    ///
    /// `destination`: where its messages go, hashed.
    /// - Returns: the channel as it stands.
    func reconcile(_ destination: String, isFull: Bool) async throws -> ChannelRecord {
        let record = try await begin(destination)
        if isFull { try await reconcileAll() }
        try await follow(record)
        try await askDue()
        return try await delivery.store.inspect(channel: channel.name) { try $0.record() } ?? record
    }

    /// A new channel begins with an empty row; one of another destination under a known name begins anew.
    func begin(_ destination: String) async throws -> ChannelRecord {
        let (name, type) = (channel.name, channel.kind.rawValue)
        let known = try await delivery.store.inspect(channel: name) { try $0.record() }
        if let known {
            if known.destination == destination { return known }
            try await delivery.forget(known)
        }
        let record = ChannelRecord(name: name, type: type, destination: destination)
        try await delivery.store.transact(channel: name) { try $0.save(record) }
        return record
    }

    private func follow(_ record: ChannelRecord) async throws {
        guard try await delivery.store.inspect(channel: channel.name, { try $0.latestChange() }) > record.cursor else {
            return
        }
        try await pages { planner in
            guard var record = try planner.store.record() else { return false }
            let changed = try planner.store.incidents(changedAfter: record.cursor, limit: Self.page)
            try planner.ask(changed)
            let latest = try planner.store.latestChange()
            // What cannot be read is left out; the loop must not stop at it.
            record.cursor = changed.last?.change ?? latest
            try planner.store.save(record)
            return record.cursor < latest
        }
    }

    /// Asks again about every incident that is not over, and about every row that waits for something.
    private func reconcileAll() async throws {
        for message in try await inspect({ try $0.store.unreadableMessages() }) {
            delivery.logger.error(
                "message discarded: it cannot be read; its incidents are decided anew",
                metadata: ["channel": "\(channel.name)", "message": "\(message)"])
            try await transact { try $0.store.discard(message) }
        }
        try await pages(byID: { planner, last in
            let open = try planner.store.unresolvedIncidents(after: last, limit: Self.page)
            try planner.ask(open)
            return open.last?.incident.id
        })
        try await pages(byID: { planner, last in
            let rows = try planner.store.openNotifications(after: last, limit: Self.page)
            try planner.ask(rows)
            return rows.last?.incidentID
        })
    }

    private func askDue() async throws {
        let now = delivery.time.now()
        guard let due = try await delivery.store.inspect(channel: channel.name, { try $0.nextDue() }), due <= now else {
            return
        }
        try await pages { planner in
            let rows = try planner.store.due(by: now, limit: Self.page)
            // Rows that cannot be read stay due, and must not be read for ever.
            return try planner.ask(rows) > 0 && rows.count == Self.page
        }
    }

    /// A transaction for each page. `body` returns whether another one follows.
    private func pages(_ body: @escaping @Sendable (NotificationPlanner) throws -> Bool) async throws {
        repeat { try Task.checkCancellation() } while try await transact(body)
    }

    /// The same by ids: `body` gets the last id of the page before, and returns that of its own; nil where there was none.
    private func pages(byID body: @escaping @Sendable (NotificationPlanner, String) throws -> String?) async throws {
        var last: String? = ""
        while let from = last {
            try Task.checkCancellation()
            last = try await transact { try body($0, from) }
        }
    }

    // MARK: - Build

    /// A parked message asks again after so long at the latest.
    private static let longestPark: TimeInterval = 60

    /// The next message: one that is under way and due again, or a new one of what is pending. It is stored before it leaves.
    ///
    /// - Returns: what to send, if anything, as it was before the attempt that begins now; and when to look again: at once also where
    /// something was given up or decided anew.
    func build(_ channelRecord: ChannelRecord) async throws -> (MessageRecord?, NextTurn) {
        try await transact(isDurable: true) { try Self.next(channelRecord, $0) }
    }

    private static func next(
        _ channelRecord: ChannelRecord, _ planner: NotificationPlanner
    ) throws -> (MessageRecord?, NextTurn) {
        let underWay = try underWay(channelRecord, planner)
        if underWay.hasAbandoned { return (nil, .now) }
        // One message that a receiver never takes must not hold up all others.
        let isStuck =
            channelRecord.trouble != nil && underWay.ready.count == 1
            && (underWay.ready.first?.attempts ?? 0) > ChannelHealth.degradedAfter
        var due: [Date?] = []
        if underWay.ready.isEmpty || isStuck {
            let (message, next) = try planner.buildNext()
            guard case .at(let until) = next else { return (message, next) }
            due = [underWay.due, until, try planner.store.nextDue()]
        }
        guard let message = underWay.ready.first else { return (nil, .at(due.compactMap(\.self).min())) }
        // It may have arrived: the process may end before the answer is read.
        var stored = message
        stored.isUnclear = true
        try planner.store.update(stored)
        return (message, .now)
    }

    /// The messages under way: which may go now, whether there was one that nobody needs any more, and when the next is due.
    private struct UnderWay {
        var ready: [MessageRecord] = []
        var hasAbandoned = false
        var due: Date?
    }

    private static func underWay(
        _ channelRecord: ChannelRecord, _ planner: NotificationPlanner
    ) throws -> UnderWay {
        let now = planner.now
        // While a channel is in trouble its hold alone sets the pace: the message that has waited longest is tried. What may have
        // arrived keeps its own.
        let isInTrouble = channelRecord.trouble != nil
        var result = UnderWay()
        func wait(until instant: Date) { result.due = min(result.due ?? instant, instant) }
        for var message in try planner.store.messages() {
            let keepsOwnPace = message.unanswered > 0 || message.recipient != nil
            guard isInTrouble && !keepsOwnPace || message.retryAt <= now else {
                wait(until: message.retryAt)
                continue
            }
            switch try planner.decision(on: message) {
            case .send: result.ready.append(message)
            case .wait(let until):
                message.retryAt = min(until ?? .distantFuture, now + longestPark)
                try planner.store.update(message)
                wait(until: message.retryAt)
            case .nothing, .undecided:
                try planner.abandon(message)
                result.hasAbandoned = true
            }
            if !isInTrouble, !result.ready.isEmpty { break }
        }
        return result
    }

    // MARK: - Send

    /// A refused certificate may be in the middle of a renewal; so many attempts are no accident.
    private static let certificateAttempts = 3

    /// - Returns: the channel as it stands afterwards.
    func send(_ message: MessageRecord, _ record: ChannelRecord) async throws -> ChannelRecord {
        let answer = try await delivery.post(message.body, key: message.key, to: channel.only(to: message.recipient))
        let (now, wall) = (delivery.time.now(), delivery.time.systemTime())
        if let place = channel.format.newDestination(in: answer), place != channel.destination {
            delivery.move(channel, to: place)
            return try await stored { store in
                try store.update(message)
                return try store.record() ?? record
            }
        }
        let outcome = judged(answer, message)
        delivery.count(outcome, channel: channel.name)
        let result = DeliveryResult(
            channel: channel, message: message, answer: answer, outcome: outcome, words: channel.words(of: answer),
            jitter: delivery.jitter())
        let inputs = delivery.inputs
        let (before, after, about) = try await stored { [channel] store in
            let planner = try NotificationPlanner(inputs, channel, store, now: now, wall: wall)
            let before = try store.record() ?? record
            let after = try result.apply(planner, to: before)
            let incidents = try message.members.prefix(LoggedSubjects.shown).compactMap {
                try store.incident($0.incidentID)?.incident
            }
            return (before, after, LoggedSubjects.metadata(incidents, of: message.members.count))
        }
        report(result, about, before, after)
        // Another channel may stand in for this one.
        if outcome == .permanentMessage { delivery.wake() }
        return after
    }

    private func judged(_ answer: TransportAnswer, _ message: MessageRecord) -> Outcome {
        if answer.fault?.kind == .certificate, answer.status == nil {
            return message.attempts >= Self.certificateAttempts ? .permanentChannel(gone: false) : .transient
        }
        return channel.format.judge(answer, now: delivery.time.systemTime())
    }

    // MARK: - Apply

    /// Writes the result down, and tries until that works: on a full disk a message that went out would else go out again and
    /// again.
    private func stored<Value: Sendable>(
        _ body: @escaping @Sendable (ChannelTransaction) throws -> Value
    ) async throws -> Value {
        let failures = LogDeduplicator()
        while true {
            do {
                return try await delivery.store.transact(channel: channel.name, body)
            } catch {
                guard !Task.isCancelled else { throw error }
                if failures.isNews("\(error)") {
                    delivery.logger.error(
                        "the result of a delivery cannot be stored; trying again",
                        metadata: ["channel": "\(channel.name)", "error": "\(error)"])
                }
                try await delivery.pause(for: ChannelWorker.storePause, channel: channel.name)
            }
        }
    }

    private func report(
        _ result: DeliveryResult, _ about: Logger.Metadata, _ before: ChannelRecord, _ after: ChannelRecord
    ) {
        let (message, outcome, words) = (result.message, result.outcome, result.words)
        var metadata: Logger.Metadata = [
            "channel": "\(channel.name)", "message_key": "\(message.key)", "kind": "\(message.kind.rawValue)",
            "reason": "\(message.reason.rawValue)", "attempt": .stringConvertible(message.attempts + 1),
        ]
        metadata.merge(about) { $1 }
        if let status = result.answer.status { metadata["status"] = .stringConvertible(status) }
        let level: Logger.Level
        let text: Logger.Message
        switch outcome {
        case .delivered: (level, text) = (.info, "delivered")
        case .throttled: (level, text) = (.warning, "the channel asked to wait")
        case .transient where result.isGivenUp:
            (level, text) = (.warning, "no answer came to any attempt; the receiver counts as knowing")
        case .transient: (level, text) = (.warning, "not delivered; trying again later")
        case .permanentMessage: (level, text) = (.error, "the receiver refused the message")
        case .permanentChannel:
            (level, text) = (
                before.refusals > 0 ? .debug : .warning, "the receiver refused the channel; its messages wait"
            )
        }
        if level >= .warning, let words { metadata["error"] = "\(words)" }
        // A mail that arrived may have been refused for some of its recipients.
        if outcome == .delivered, channel.kind == .email, let words { metadata["answer"] = "\(words)" }
        delivery.logger.log(level: level, text, metadata: metadata)
        guard before.trouble?.state != after.trouble?.state else { return }
        let about: Logger.Metadata = [
            "channel": "\(channel.name)", "since": "\((after.trouble ?? before.trouble)?.since ?? Date())",
            "next_attempt": "\(after.hold?.until ?? Date())",
        ]
        switch after.trouble?.state {
        case .degraded:
            delivery.logger.error("the channel is degraded; one message at a time is tried", metadata: about)
        case .disabled: delivery.logger.error("the channel is disabled; it is tried seldom", metadata: about)
        case nil: delivery.logger.notice("the channel takes messages again", metadata: about)
        }
    }
}

/// Which domains and incidents a line of the log is about.
enum LoggedSubjects {
    /// So many are named.
    static let shown = 3

    /// The first few of a message's incidents, and how many there are.
    /// `incidents`: the first ones; `shown` are enough. `count`: how many there are.
    static func metadata(_ incidents: [Incident], of count: Int) -> Logger.Metadata {
        func listed(_ names: [String]) -> [String] {
            var seen: Set<String> = []
            let first = names.filter { seen.insert($0).inserted }.prefix(shown)
            return first + (count > shown ? ["and \(count - shown) more"] : [])
        }
        let domains = incidents.allSatisfy { $0.domain == nil } ? [] : listed(incidents.map(\.subjectName))
        let pairs = [("domain", domains), ("incident", listed(incidents.map(\.id)))].filter { !$1.isEmpty }
        return Logger.Metadata(uniqueKeysWithValues: pairs.map { ($0, "\($1.joined(separator: ", "))") })
    }
}

/// The loops a step at a time, for those who hold the clock themselves: `Delivery.run` without its tasks and waits.
package final class DeliverySteps: Sendable {
    private let delivery: Delivery
    private let workers = Mutex<[String: ChannelWorker]>([:])

    package init(_ delivery: Delivery) { self.delivery = delivery }

    /// What one channel's loop does in one turn. Of one channel, one turn at a time.
    /// - Throws: what the loop would log and survive; the pause after it is the caller's.
    package func step(_ name: String) async throws -> NextTurn {
        let worker = workers.withLock { workers in
            let worker = workers[name] ?? ChannelWorker(delivery: delivery, name: name)
            workers[name] = worker
            return worker
        }
        return try await worker.turn() ?? .at(nil)
    }
}
