// Silences over the API.

import Evidence
import Foundation
import HTTPTypes
import Hummingbird
import Monitoring
import NIOCore
import Storage

struct SilenceRoute: Sendable {
    let store: Store
    let timekeeper: any Timekeeper
    let windows: WindowList
    let gate: WriteGate

    func list() async throws -> Response {
        let now = timekeeper.wall()
        let silences = try await store.silences(notOverAt: now)
        return try gate.json(
            SilenceList(
                silences: silences.map { SilenceDocument($0, now: now) },
                maintenance: windows.current.map { MaintenanceDocument(window: $0, now: now) }))
    }

    func add(_ request: Request) async throws -> Response {
        try await gate.answer(request, upTo: SilenceOrder.maximumBytes) { body in
            let now = timekeeper.wall()
            do {
                let order = try SilenceOrder(json: body, now: now)
                let silence = try await store.add(order.request)
                return try gate.json(SilenceDocument(silence, now: now), .created)
            } catch let error as SilenceFault {
                return gate.fault(error.description, .badRequest)
            }
        }
    }

    func end(_ request: Request, id: String) async throws -> Response {
        if let refusal = gate.refusal(request) { return refusal }
        let now = timekeeper.wall()
        guard let silence = try await store.endSilence(id: id, now: now) else {
            return gate.fault("no silence has this id", .notFound)
        }
        return try gate.json(SilenceDocument(silence, now: now))
    }
}
