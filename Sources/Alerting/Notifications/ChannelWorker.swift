// The loop of one channel. Each turn has four steps: reconcile the channel's rows with the incidents, build the next
// message, send it, apply the answer. Then the loop waits. It follows the change counter like a log, so nobody has to
// wake it for a particular reason.
//
// decide.swift decides, called by NotificationPlanner.swift. MessageBuilder.swift writes messages. DeliveryResult.swift
// applies answers.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage
import Synchronization

/// When a loop runs its next turn.
package enum NextTurn: Equatable, Sendable {
    /// Something was done, and there may be more.
    case now
    /// Nothing is due before this time, unless something changes; nil: nothing is scheduled.
    case at(Date?)
}

actor ChannelWorker {
    let delivery: Delivery
    let name: String
    /// The input revision of the last full reconcile; nil: the next turn reconciles in full.
    private var reconciled: UInt64?
    /// The alerts that were sent, if the channel is a feed.
    private var feed: Feed?

    static let storePause = Duration.seconds(5)
    /// A delay after a wakeup, so that one turn handles the changes of a burst of checks.
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
            // Read the revision before looking for work: a later commit raises it, and the wait ends.
            let revision = delivery.workRevision
            do {
                guard let next = try await turn() else { return }
                if case .at(let due) = next { await wait(until: due, past: revision) }
                failures.isOver()
            } catch {
                if Task.isCancelled { return }
                if failures.isNews("\(error)") {
                    delivery.logger.error(
                        "delivery step failed; retrying",
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

    /// Updates the channel's rows, and sends one message if one is due.
    /// - Returns: nil if the configuration no longer has the channel.
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
        // Messages that were refused must be decided again.
        if record.refusalsLiftedAt != lifted { reconciled = nil }
        return next
    }

    /// A turn of a feed, which has no `notification` rows.
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

    /// A hold stops only sending. The channel still asks `decide` about notifications that become due.
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

    /// Reads from one snapshot.
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

    /// Incidents per transaction.
    private static let page = 200

    /// Follows the change counter, and asks `decide` again about what is due; with `isFull`, about everything open.
    ///
    /// `destination`: the hash of the channel's destination.
    /// - Returns: the current record of the channel.
    func reconcile(_ destination: String, isFull: Bool) async throws -> ChannelRecord {
        let record = try await begin(destination)
        if isFull { try await reconcileAll() }
        try await follow(record)
        try await askDue()
        return try await delivery.store.inspect(channel: channel.name) { try $0.record() } ?? record
    }

    /// Inserts the row of a new channel. If the destination differs from the stored one, the channel starts over.
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
            // Unreadable incidents are left out. The cursor passes them, so that the loop does not stop.
            record.cursor = changed.last?.change ?? latest
            try planner.store.save(record)
            return record.cursor < latest
        }
    }

    /// Asks again about every unresolved incident, and about every open notification.
    private func reconcileAll() async throws {
        for message in try await inspect({ try $0.store.unreadableMessages() }) {
            delivery.logger.error(
                "message discarded: unreadable; deciding again about its incidents",
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
            // Unreadable rows stay due. Stop, instead of reading them again and again.
            return try planner.ask(rows) > 0 && rows.count == Self.page
        }
    }

    /// Runs one transaction per page. `body` returns whether there is another page.
    private func pages(_ body: @escaping @Sendable (NotificationPlanner) throws -> Bool) async throws {
        repeat { try Task.checkCancellation() } while try await transact(body)
    }

    /// Pages by id: `body` gets the last id of the previous page, and returns the last id of its own; nil: no rows.
    private func pages(byID body: @escaping @Sendable (NotificationPlanner, String) throws -> String?) async throws {
        var last: String? = ""
        while let from = last {
            try Task.checkCancellation()
            last = try await transact { try body($0, from) }
        }
    }

    // MARK: - Build

    /// In seconds. A message that waits asks `decide` again after this time at the latest.
    private static let longestPark: TimeInterval = 60

    /// The next message: one under way whose retry is due, or a new one. It is stored before it is sent.
    ///
    /// - Returns: the message, if any, as it was before this attempt; and when to look again. That is now if something
    /// was abandoned or decided again.
    func build(_ channelRecord: ChannelRecord) async throws -> (MessageRecord?, NextTurn) {
        try await transact(isDurable: true) { try Self.next(channelRecord, $0) }
    }

    private static func next(
        _ channelRecord: ChannelRecord, _ planner: NotificationPlanner
    ) throws -> (MessageRecord?, NextTurn) {
        let underWay = try underWay(channelRecord, planner)
        if underWay.hasAbandoned { return (nil, .now) }
        // One message that a receiver never accepts must not block all others.
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
        // Store the attempt as unclear: the process may end before the answer arrives.
        var stored = message
        stored.isUnclear = true
        try planner.store.update(stored)
        return (message, .now)
    }

    /// The messages under way: those that may be sent now, whether one was abandoned, and the next due time.
    private struct UnderWay {
        var ready: [MessageRecord] = []
        var hasAbandoned = false
        var due: Date?
    }

    private static func underWay(
        _ channelRecord: ChannelRecord, _ planner: NotificationPlanner
    ) throws -> UnderWay {
        let now = planner.now
        // While the channel is in trouble, its hold alone sets the schedule, and the oldest message is tried. Messages
        // that may have arrived keep their own schedule.
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

    /// A certificate may be refused during a renewal. After this many attempts it counts as a fault of the channel.
    private static let certificateAttempts = 3

    /// - Returns: the record of the channel after the attempt.
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
        // The fallback channel may have to send this message instead.
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

    /// Stores the result, and retries until that works. Otherwise a full disk would make the loop send the same message
    /// again and again.
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
                        "delivery result not stored; retrying",
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
        case .throttled: (level, text) = (.warning, "the receiver asked to wait")
        case .transient where result.isGivenUp:
            (level, text) = (.warning, "no attempt got an answer; the message counts as delivered")
        case .transient: (level, text) = (.warning, "not delivered; retrying later")
        case .permanentMessage: (level, text) = (.error, "the receiver refused the message")
        case .permanentChannel:
            (level, text) = (
                before.refusals > 0 ? .debug : .warning, "the receiver refused the channel; its messages stay pending"
            )
        }
        if level >= .warning, let words { metadata["error"] = "\(words)" }
        // The mail server may have refused some recipients of a delivered mail.
        if outcome == .delivered, channel.kind == .email, let words { metadata["answer"] = "\(words)" }
        delivery.logger.log(level: level, text, metadata: metadata)
        guard before.trouble?.state != after.trouble?.state else { return }
        let about: Logger.Metadata = [
            "channel": "\(channel.name)", "since": "\((after.trouble ?? before.trouble)?.since ?? Date())",
            "next_attempt": "\(after.hold?.until ?? Date())",
        ]
        switch after.trouble?.state {
        case .degraded:
            delivery.logger.error("channel degraded; trying one message at a time", metadata: about)
        case .disabled: delivery.logger.error("channel disabled; trying it rarely", metadata: about)
        case nil: delivery.logger.notice("the channel accepts messages again", metadata: about)
        }
    }
}

/// The domains and incidents of a log line.
enum LoggedSubjects {
    /// The number of names in one line.
    static let shown = 3

    /// The first incidents of a message, and their total.
    /// `incidents`: at least the first `shown` of them. `count`: the total.
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

/// Runs the loops one turn at a time, for a caller that controls the clock: `Delivery.run` without tasks and waits.
package final class DeliverySteps: Sendable {
    private let delivery: Delivery
    private let workers = Mutex<[String: ChannelWorker]>([:])

    package init(_ delivery: Delivery) { self.delivery = delivery }

    /// Runs one turn of a channel's loop. Never call it concurrently for the same channel.
    /// - Throws: errors that the loop would log before it pauses. The caller has to pause.
    package func step(_ name: String) async throws -> NextTurn {
        let worker = workers.withLock { workers in
            let worker = workers[name] ?? ChannelWorker(delivery: delivery, name: name)
            workers[name] = worker
            return worker
        }
        return try await worker.turn() ?? .at(nil)
    }
}
