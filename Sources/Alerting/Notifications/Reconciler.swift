// Holds what is true against what a channel knows, and writes what is pending into the channel's rows. It sends nothing.

import Evidence
import Foundation
import Logging
import Monitoring
import Storage

struct Reconciler: Sendable {
    let delivery: Delivery
    let channel: Channel
    /// Where its messages go, hashed.
    let destination: String

    /// Incidents in one transaction.
    private static let page = 200

    /// Follows the counter of changes, asks again about what is due, and on a walk about all that is open.
    /// - Returns: the channel as it stands.
    func reconcile(isWalk: Bool) async throws -> ChannelRecord {
        let record = try await begin()
        if isWalk { try await walk() }
        try await follow(record)
        try await askDue()
        return try await delivery.store.inspect(channel: channel.name) { try $0.record() } ?? record
    }

    /// A new channel begins with an empty row; one of another destination under a known name begins anew.
    private func begin() async throws -> ChannelRecord {
        let (name, type) = (channel.name, channel.kind.rawValue)
        let known = try await delivery.store.inspect(channel: name) { try $0.record() }
        if let known, known.destination == destination { return known }
        let configured = Set(delivery.inputs.routing.channels.map(\.name))
        return try await delivery.store.transact(channel: name) { [destination] store in
            if known != nil { try store.forget() }
            // The same place under another name: what it knows, it knows.
            if let record = try store.adopt(destination, type: type, unless: configured) { return record }
            let record = ChannelRecord(name: name, type: type, destination: destination)
            try store.save(record)
            return record
        }
    }

    private func follow(_ record: ChannelRecord) async throws {
        guard try await delivery.store.inspect(channel: channel.name, { try $0.latestChange() }) > record.seen else {
            return
        }
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = try await transact { store, asker in
                guard var record = try store.record() else { return true }
                let changed = try store.incidents(changedAfter: record.seen, limit: Self.page)
                try asker.ask(changed, store)
                let latest = try store.latestChange()
                // What cannot be read is left out; the loop must not stop at it.
                record.seen = changed.last?.change ?? latest
                try store.save(record)
                return record.seen >= latest
            }
        }
    }

    /// Asks again about every incident that is not over, and about every row that waits for something.
    private func walk() async throws {
        try await pages { store, asker, last in
            let open = try store.unresolvedIncidents(after: last, limit: Self.page)
            try asker.ask(open, store)
            return open.last?.incident.id
        }
        try await pages { store, asker, last in
            let rows = try store.openNotifications(after: last, limit: Self.page)
            _ = try asker.ask(rows, store)
            return rows.last?.incidentID
        }
    }

    private func askDue() async throws {
        let now = delivery.time.now()
        guard let due = try await delivery.store.inspect(channel: channel.name, { try $0.nextDue() }), due <= now else {
            return
        }
        var isDone = false
        while !isDone {
            try Task.checkCancellation()
            isDone = try await transact { store, asker in
                let rows = try store.due(by: now, limit: Self.page)
                // Rows that cannot be read stay due, and must not be read for ever.
                return try asker.ask(rows, store) == 0 || rows.count < Self.page
            }
        }
    }

    /// `body` returns the last id of its page; nil where there was none.
    private func pages(
        _ body: @escaping @Sendable (ChannelTransaction, Asker, String) throws -> String?
    ) async throws {
        var last = ""
        while true {
            try Task.checkCancellation()
            let from = last
            guard let next = try await transact({ try body($0, $1, from) }) else { return }
            last = next
        }
    }

    private func transact<Value: Sendable>(
        _ body: @escaping @Sendable (ChannelTransaction, Asker) throws -> Value
    ) async throws -> Value {
        let (inputs, channel, time) = (delivery.inputs, channel, delivery.time)
        return try await delivery.store.transact(channel: channel.name) { store in
            try body(store, try Asker(inputs, channel, store, now: time.now(), wall: time.wall()))
        }
    }
}

/// Asks `decide` within one transaction, with all that it needs at hand.
struct Asker {
    let inputs: NotificationInputs
    let channel: Channel
    let now: Date
    let wall: Date
    private let suppressions: Suppressions
    private let refusalsLiftedAt: Date?

    init(
        _ inputs: NotificationInputs, _ channel: Channel, _ store: ChannelTransaction, now: Date, wall: Date
    ) throws {
        self.inputs = inputs
        self.channel = channel
        self.now = now
        self.wall = wall
        suppressions = try Suppressions(inputs, channel, store, now: now, wall: wall)
        refusalsLiftedAt = try store.record()?.refusalsLiftedAt
    }

    func decision(on record: IncidentRecord, _ known: NotificationRecord) throws -> Decision {
        decide(
            record, known, inputs.route(of: record.incident, to: channel), try suppressions.suppression(of: record),
            refusalsLiftedAt: refusalsLiftedAt, now: now)
    }

    /// Whether the channel would be notified of an incident, once it is confirmed.
    func isToBeNotified(of record: IncidentRecord) throws -> Bool {
        guard inputs.route(of: record.incident, to: channel).timing == .atOnce else { return false }
        return try suppressions.suppression(of: record)?.withholds != true
    }

    /// Writes down what is pending about each of these incidents, where that differs from what is written.
    func ask(_ records: [IncidentRecord], _ store: ChannelTransaction) throws {
        let rows = try store.notifications(records.map(\.incident.id))
        for record in records {
            try ask(record, rows[record.incident.id] ?? NotificationRecord(incidentID: record.incident.id), store)
        }
    }

    /// - Returns: how many of them could be read.
    func ask(_ rows: [NotificationRecord], _ store: ChannelTransaction) throws -> Int {
        var count = 0
        for row in rows {
            guard let record = try store.incident(row.incidentID) else { continue }
            try ask(record, row, store)
            count += 1
        }
        return count
    }

    /// A message under way speaks for its rows: it asks before each of its attempts.
    func ask(_ record: IncidentRecord, _ known: NotificationRecord, _ store: ChannelTransaction) throws {
        guard known.messageID == nil else { return }
        let next = try asked(record, known)
        if next != known { try store.save(next, of: record.incident) }
    }

    /// The row as it is after `decide` was asked.
    func asked(_ record: IncidentRecord, _ known: NotificationRecord) throws -> NotificationRecord {
        var known = known
        let suppression = try suppressions.suppression(of: record)
        let route = inputs.route(of: record.incident, to: channel)
        // A step of the escalation counts from when somebody could acknowledge. Old evidence keeps nobody from that.
        let isHeld = suppression?.withholds == true && route.isStep && record.incident.state != .resolved
        if known.isHeld, !isHeld { known.releasedAt = now }
        known.isHeld = isHeld
        return pending(
            decide(record, known, route, suppression, refusalsLiftedAt: refusalsLiftedAt, now: now), known)
    }

    /// The row with what a decision makes pending.
    func pending(_ decision: Decision, _ known: NotificationRecord) -> NotificationRecord {
        var next = known
        switch decision {
        // What was due stays due, and is not ready for now.
        case .undecided:
            next.reason = nil
            next.dueAt = nil
        case .wait(let until):
            next.reason = nil
            next.dueAt = until
        case .nothing:
            next.reason = nil
            next.pendingSince = nil
            next.dueAt = nil
        case .send(let reason):
            next.dueAt = nil
            next.pendingSince = known.pendingSince ?? now
            next.reason = reason
        }
        return next
    }
}
