import Foundation
import Hummingbird
import Storage

/// Whether the monitor does its work: the store answers, and checks begin when they are due.
struct ReadyRoute: Sendable {
    let store: Store
    let health: @Sendable () async -> MonitorHealth

    func answer() async -> Response {
        do {
            _ = try await store.incident(id: "")
        } catch {
            return Self.notReady("the store cannot be read")
        }
        if store.health.isFailing, store.health.lastError?.code == .displaced {
            return Self.notReady("the store was deleted or replaced")
        }
        let health = await health()
        guard !health.isBehind else { return Self.notReady("checks begin \(Int(health.lateness)) s late") }
        return Response(plain: "ready\n")
    }

    private static func notReady(_ words: String) -> Response {
        Response(plain: "not ready: \(words)\n", status: .serviceUnavailable)
    }
}
