import Evidence
import Foundation
import Hummingbird
import Monitoring
import Storage

/// What was sent to whom, what is still to be sent, and a channel in trouble that is tried now.
struct DeliveryRoute: Sendable {
    let store: Store
    let timekeeper: any Timekeeper
    let gate: WriteGate
    let actions: MonitorActions
    /// Called after each change.
    let onWrite: @Sendable () -> Void

    private struct Page: Encodable {
        let schema = "aasa-monitor/deliveries/v1"
        let deliveries: [Entry]
        let pending: [PendingCount]
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
        let query = try APIQuery(request, keys: ["limit", "channel", "incident", "domain"])
        let records = try await store.deliveries(
            channel: query.text("channel"), incident: query.text("incident")?.lowercased(),
            domain: try query.domain("domain"), limit: try query.limit(default: 100))
        let named = try await store.named(records)
        let time = PageTime(timekeeper)
        let pending = try await store.pendingNotifications()
        let page = Page(
            deliveries: named.map {
                Entry(
                    delivery: DeliveryDocument($0, time: time),
                    more: Entry.More(
                        domain: Nullable($0.incident?.domain?.name), kind: Nullable($0.incident?.kind.rawValue),
                        version: $0.version, messageKey: $0.key))
            },
            pending: pending.filter { $0.count > 0 }.map {
                PendingCount(channel: $0.channel, count: $0.count, since: time.shown($0.since))
            })
        return Response(json: try APIDocument.encoder.encode(page))
    }

    func one(_ id: String) async throws -> Response {
        guard let message = try await store.sentMessage(named: id) else {
            return Response(plain: "no delivery has this id, or several have; name more of its key", status: .notFound)
        }
        return Response(json: try MessageDocument(message).json())
    }

    func retry(_ request: Request, channel: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        guard actions.hasChannel(channel),
            let answer = try await store.retry(channel: channel, now: timekeeper.now())
        else {
            return gate.fault("no channel has this name", .notFound)
        }
        onWrite()
        return try gate.json(RetryDocument(answer.record, pending: answer.pending))
    }
}
