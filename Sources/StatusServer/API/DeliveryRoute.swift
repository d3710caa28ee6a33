import Evidence
import Foundation
import Hummingbird
import Monitoring
import Storage

/// What was sent to whom, what is still to be sent, and a channel in trouble that is tried now.
struct DeliveryRoute: Sendable {
    let store: Store
    let timekeeper: any MonitorClock
    let gate: WriteGate
    let actions: MonitorActions
    /// Called after each change.
    let onWrite: @Sendable () async -> Void

    private struct Page: Encodable {
        let schema = "aasa-monitor/deliveries/v1"
        let deliveries: [Entry]
        let pending: [PendingCount]
        /// `cursor` of the next page.
        let next: Nullable<String>
    }

    /// A delivery, and what its incident is about as far as the store still knows.
    private struct Entry: Encodable {
        let delivery: DeliveryDocument
        let more: More

        struct More: Encodable {
            let domain: Nullable<String>
            let kind: Nullable<String>
            let version: Int
            let messageKey: String
        }

        func encode(to encoder: any Encoder) throws {
            try delivery.encode(to: encoder)
            try more.encode(to: encoder)
        }
    }

    /// Newest first.
    func list(_ request: Request) async throws -> Response {
        let query = try APIQuery(request, keys: ["limit", "cursor", "channel", "incident", "domain"])
        let limit = try query.limit(default: 100)
        let channel = query.text("channel")
        let records = try await store.deliveries(
            ofChannel: channel, incidentNamed: query.text("incident"), domain: try query.domain("domain"),
            after: try query.place(DeliveryPlace.init), limit: limit + 1)
        let named = try await store.named(Array(records.prefix(limit)))
        let time = PageTime(timekeeper)
        let pending = try await store.pendingNotifications(of: actions.hasChannel)
        let page = Page(
            deliveries: named.map {
                Entry(
                    delivery: DeliveryDocument($0, time: time),
                    more: Entry.More(
                        domain: Nullable($0.incident?.domain?.name), kind: Nullable($0.incident?.kind.rawValue),
                        version: $0.version, messageKey: $0.key))
            },
            pending: pending.filter { $0.count > 0 && $0.channel == channel ?? $0.channel }.map {
                PendingCount(
                    channel: $0.channel, count: $0.count, since: time.shown($0.since),
                    waits: $0.waits.map { PendingCount.Wait($0.reason, until: time.shown($0.until)) })
            }, next: Nullable(records.count > limit ? named.last.map { DeliveryPlace($0).text } : nil))
        return Response(json: try APIDocument.encoder.encode(page))
    }

    func one(_ id: String) async throws -> Response {
        let message = try await store.message(named: id)
        return Response(json: try MessageDocument(message, shown: PageTime(timekeeper).shown).json())
    }

    func retry(_ request: Request, channel: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        guard actions.hasChannel(channel),
            let answer = try await store.retry(channel: channel, now: timekeeper.now())
        else {
            return gate.fault("no channel has this name", .notFound)
        }
        await onWrite()
        return try gate.json(RetryDocument(answer.record, pending: answer.pending))
    }
}

/// One message whole: what it said, about which incidents, and each attempt to deliver it. Where it went stays out: a
/// channel's URL is a secret.
package struct MessageDocument: Codable, Sendable {
    package struct Member: Codable, Sendable {
        package let id: String
        package let kind: String
        package let domain: Nullable<String>
        package let state: String
        package let since: Date
        /// Of the incident in this message; null while the message is under way.
        package let version: Nullable<Int>
    }

    package struct Attempt: Codable, Sendable {
        package let at: Date
        package let outcome: String
        package let status: Nullable<Int>
        package let error: Nullable<String>
    }

    package let schema: String
    package let messageKey: String
    package let channel: String
    /// `delivered`, `refused`, `abandoned`, several of them where the parts of a digest had other ends, or `under way`.
    package let outcome: String
    package let type: Nullable<String>
    package let reason: Nullable<String>
    /// When it is tried next; null: it is settled.
    package let retryAt: Nullable<Date>
    /// Its numbers in the log.
    package let deliveries: [Int64]
    package let incidents: [Member]
    /// Oldest first.
    package let attempts: [Attempt]
    /// Null where it is not kept, as for a feed.
    package let text: Nullable<String>

    /// `shown`: a stored instant as people's clocks showed it.
    package init(_ message: SentMessage, shown: (Date) -> Date = { $0 }) {
        let first = message.deliveries.first
        schema = "aasa-monitor/message/v1"
        messageKey = message.key
        channel = message.channel
        outcome = Self.outcome(message)
        type = Nullable(first?.type.rawValue)
        reason = Nullable(first?.reason.rawValue)
        retryAt = Nullable(message.retryAt.map(shown))
        deliveries = message.deliveries.map(\.id)
        let versions = Dictionary(message.deliveries.map { ($0.incidentID, $0.version) }) { first, _ in first }
        incidents = message.incidents.map { incident in
            Member(
                id: incident.id, kind: incident.kind.rawValue, domain: Nullable(incident.domain?.name),
                state: incident.state.rawValue, since: shown(incident.since), version: Nullable(versions[incident.id]))
        }
        attempts = Self.attempts(message).map { attempt in
            Attempt(
                at: shown(attempt.at), outcome: attempt.outcome, status: Nullable(attempt.status),
                error: Nullable(attempt.error?.displayable))
        }
        text = Nullable(message.text)
    }

    /// One word for all of it; a part of a digest may have another end than the rest.
    private static func outcome(_ message: SentMessage) -> String {
        if message.retryAt != nil { return "under way" }
        var seen: Set<String> = []
        return message.deliveries.map(\.outcome.rawValue).filter { seen.insert($0).inserted }.joined(separator: ", ")
    }

    /// Of a message that has no attempts of its own, as of a feed, what the log says.
    private static func attempts(_ message: SentMessage) -> [DeliveryAttempt] {
        guard message.attempts.isEmpty else { return message.attempts }
        return message.deliveries.filter { $0.outcome != .abandoned }.map {
            DeliveryAttempt(at: $0.at, outcome: $0.outcome.rawValue, status: $0.status, error: $0.error)
        }
    }

    /// As the API answers it.
    package func json(isPretty: Bool = false) throws -> Data {
        let encoder = APIDocument.encoder
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return try encoder.encode(self)
    }
}

/// What a channel does after a retry.
package struct RetryDocument: Codable, Sendable {
    private var schema: String? = "aasa-monitor/retry/v1"
    package let channel: String
    /// Until then it sends nothing, as its receiver asked; null: it is tried now.
    package let heldUntil: Nullable<Date>
    /// Notifications that it still has to send.
    package let pending: Int

    package init(_ record: ChannelRecord, pending: Int) {
        channel = record.name
        heldUntil = Nullable(record.hold?.until)
        self.pending = pending
    }
}
