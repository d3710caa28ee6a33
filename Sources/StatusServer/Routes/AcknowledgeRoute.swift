// `POST /api/v1/incidents/{id}/ack` acknowledges an incident, `DELETE` ends the acknowledgement. Who may write is decided as
// for silences.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import NIOCore
import Storage

struct AcknowledgeRoute: Sendable {
    let store: Store
    let timekeeper: any Timekeeper
    let gate: WriteGate
    /// Called after each change.
    let onWrite: @Sendable () -> Void

    private static let maximumBytes = 16 * 1024

    /// The body: `{"by": "eva", "reason": "on it"}`; `reason` may be left out.
    private struct Order: Decodable {
        let by: String
        let reason: String?
    }

    private struct Document: Encodable {
        let id: String
        let kind: String
        let domain: Nullable<String>
        let by: Nullable<String>
        let reason: Nullable<String>
    }

    func acknowledge(_ request: Request, id: String) async throws -> Response {
        try await gate.answer(request, upTo: Self.maximumBytes) { body in
            guard let order = try? JSONDecoder().decode(Order.self, from: body) else {
                return gate.fault("the body must be a JSON object with 'by' and, if wanted, 'reason'", .badRequest)
            }
            let acknowledgement: Acknowledgement
            do {
                acknowledgement = try Acknowledgement(
                    asked: order.by, reason: order.reason ?? "", at: timekeeper.now())
            } catch let error as SilenceFault {
                return gate.fault(error.description, .badRequest)
            }
            return try answer(await store.acknowledge(prefix: id, acknowledgement), acknowledgement)
        }
    }

    func unacknowledge(_ request: Request, id: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        return try answer(await store.unacknowledge(prefix: id), nil)
    }

    private func answer(_ answer: AcknowledgeAnswer, _ acknowledgement: Acknowledgement?) throws -> Response {
        guard case .done(let incident) = answer else {
            return gate.fault(answer.refusal ?? "", answer == .unknown ? .notFound : .conflict)
        }
        onWrite()
        return try gate.json(
            Document(
                id: incident.id, kind: incident.kind.rawValue, domain: Nullable(incident.domain?.name),
                by: Nullable(acknowledgement?.by), reason: Nullable(acknowledgement?.reason)))
    }
}
