// `POST /api/v1/incidents/{id}/ack`: takes an incident in hand. Who may write is decided as for silences.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import Monitoring
import NIOCore
import Storage

struct AcknowledgeRoute: Sendable {
    let store: Store
    let timekeeper: any Timekeeper
    let logger: Logger
    let gate: WriteGate

    static let path = "/api/v1/incidents/:id/ack"
    private static let maximumBytes = 16 * 1024

    /// Whether a request may write here, as far as its method and path say.
    static func takes(_ request: Request) -> Bool {
        let parts = request.uri.path.split(separator: "/", omittingEmptySubsequences: false)
        return request.method == .post && parts.count == 6 && request.uri.path.hasPrefix("/api/v1/incidents/")
            && parts.last == "ack"
    }

    /// The body: `{"by": "eva", "reason": "on it"}`; `reason` may be left out.
    private struct Order: Decodable {
        let by: String
        let reason: String?
    }

    private struct Document: Encodable {
        let id: String
        let kind: String
        let domain: String?
        let by: String
        let reason: String
    }

    func acknowledge(_ request: Request, id: String) async throws -> Response {
        try await gate.answer(request, upTo: Self.maximumBytes) { try await acknowledge($0, id: id) }
    }

    private func acknowledge(_ body: Data, id: String) async throws -> Response {
        guard let order = try? JSONDecoder().decode(Order.self, from: body) else {
            return gate.fault("the body must be a JSON object with 'by' and, if wanted, 'reason'", .badRequest)
        }
        let acknowledgement: Acknowledgement
        do {
            acknowledgement = try Acknowledgement(
                asked: order.by, reason: order.reason ?? "", at: timekeeper.now())
        } catch {
            return gate.fault(error.description, .badRequest)
        }
        let answer = try await store.acknowledge(prefix: id, acknowledgement)
        guard case .done(let incident) = answer else {
            return gate.fault(answer.refusal ?? "", answer == .unknown ? .notFound : .conflict)
        }
        logger.notice(
            "an incident was taken in hand over the API",
            metadata: ["incident": "\(incident.id)", "by": "\(acknowledgement.by.displayable)"])
        return try gate.json(
            Document(
                id: incident.id, kind: incident.kind.rawValue, domain: incident.domain?.name, by: acknowledgement.by,
                reason: acknowledgement.reason))
    }
}
